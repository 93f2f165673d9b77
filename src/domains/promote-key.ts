/** Puts a DKIM key into use whose record a check has seen; the one before it is kept for mail that is on its way. */
import { AppError } from '../lib/app-error.ts'
import { type ChangeKeysDeps, changeKeys, requireKey } from './change-keys.ts'
import { findKeyRecord } from './dkim-keys.ts'
import type { DkimKey, DnsRecordStatus, Domain } from './domain.ts'

/** A previous key can be promoted too, which takes a rotation back. Throws `not_found` or `conflict`. */
export async function promoteKey(
  deps: ChangeKeysDeps,
  { name, selector }: { readonly name: string; readonly selector: string },
): Promise<Domain> {
  return changeKeys(deps, name, (domain) => {
    const promoted = requireKey(domain, selector)
    if (promoted.state === 'current') {
      throw new AppError('conflict', `The key ${promoted.selector} of ${domain.name} is in use already.`)
    }
    requireSeen(domain, promoted)
    const isPromoted = (key: Pick<DkimKey, 'selector'>) => key.selector === promoted.selector
    const dkimKeys = domain.dkimKeys.map((key): DkimKey => {
      if (isPromoted(key)) return { ...key, state: 'current' }
      return key.state === 'current' ? { ...key, state: 'previous' } : key
    })
    return { dkimKeys, dnsRecords: requireCurrent({ ...domain, dkimKeys }) }
  })
}

/** Of the DKIM records, verification depends on that of the current key alone. */
function requireCurrent(domain: Domain): Domain['dnsRecords'] {
  const states = new Map(domain.dkimKeys.map((key) => [findKeyRecord(domain, key), key.state]))
  return domain.dnsRecords.map((record) => {
    const state = states.get(record)
    return state === undefined ? record : { ...record, required: state === 'current' }
  })
}

const REASONS: Readonly<Record<Exclude<DnsRecordStatus, 'valid'>, string>> = {
  pending: 'no check has looked for it yet',
  invalid: 'the last check did not find it, or found something else there',
  unknown: 'DNS could not be asked for it by the last check',
}

/** Receivers could not verify a signature whose key is not in DNS. */
function requireSeen(domain: Domain, { selector }: DkimKey): void {
  const record = findKeyRecord(domain, { selector })
  const status = record?.status ?? 'pending'
  if (status === 'valid') return
  throw new AppError(
    'conflict',
    `The key ${selector} is not seen in DNS: ${REASONS[status]}. Publish ${record?.name ?? 'its record'}, check with ` +
      `bin/envelog domain verify ${domain.name}, then promote the key. Nothing was changed.`,
  )
}
