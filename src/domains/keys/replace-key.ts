/** The rest of a DKIM key's life: it is put into use, kept for mail in transit when another replaces it, and deleted. */
import { AppError } from '../../lib/app-error.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import type { DkimKey, DnsRecordStatus, Domain } from '../domain.ts'
import { findKeyRecord } from '../records/dkim-keys.ts'
import { type ChangeKeysDeps, changeKeys, requireKey } from './change-keys.ts'

interface NamedKey {
  readonly name: string
  readonly selector: string
}

/**
 * Puts a key into use after a check has seen its record. A previous key can be promoted too, which reverts a rotation. Throws
 * `not_found` or `conflict`.
 */
export async function promoteKey(deps: ChangeKeysDeps, { name, selector }: NamedKey): Promise<Domain> {
  return changeKeys(deps, name, (domain) => {
    const promoted = requireKey(domain, selector)
    if (promoted.state === 'current') {
      throw new AppError('conflict', `The key ${promoted.selector} of ${domain.name} is already in use.`)
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

/** Of the DKIM records, only that of the current key is required. */
function requireCurrent(domain: Domain): Domain['dnsRecords'] {
  const states = new Map(domain.dkimKeys.map((key) => [findKeyRecord(domain, key), key.state]))
  return domain.dnsRecords.map((record) => {
    const state = states.get(record)
    return state === undefined ? record : { ...record, required: state === 'current' }
  })
}

const REASONS: Readonly<Record<Exclude<DnsRecordStatus, 'valid'>, string>> = {
  pending: 'no check has looked for it yet',
  invalid: 'the last check did not find it, or found another value',
  unknown: 'the DNS query of the last check failed',
}

/** Receivers could not verify a signature whose key is not in DNS. */
function requireSeen(domain: Domain, { selector }: DkimKey): void {
  const record = findKeyRecord(domain, { selector })
  const status = record?.status ?? 'pending'
  if (status === 'valid') return
  throw new AppError(
    'conflict',
    `The key ${selector} has not been seen in DNS: ${REASONS[status]}. Publish ${record?.name ?? 'its record'}, run ` +
      `${PROGRAM} domain verify ${domain.name}, then promote the key. Nothing was changed.`,
  )
}

/** Deletes a key, whose record is no longer checked. Throws `not_found`, or `conflict` for the key in use. */
export async function retireKey(deps: ChangeKeysDeps, { name, selector }: NamedKey): Promise<Domain> {
  return changeKeys(deps, name, (domain) => {
    const retired = requireKey(domain, selector)
    if (retired.state === 'current') {
      throw new AppError(
        'conflict',
        `The key ${retired.selector} of ${domain.name} is in use: verification depends on it. Promote another key ` +
          'first. Nothing was changed.',
      )
    }
    const record = findKeyRecord(domain, retired)
    return {
      dkimKeys: domain.dkimKeys.filter((key) => key !== retired),
      dnsRecords: domain.dnsRecords.filter((other) => other !== record),
    }
  })
}
