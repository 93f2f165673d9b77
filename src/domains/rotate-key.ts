/** Begins the rotation of a domain's DKIM key: a second key beside the first, whose record is to be published and seen. */
import { AppError } from '../lib/app-error.ts'
import type { Sealer } from '../lib/sealer.ts'
import { type ChangeKeysDeps, changeKeys } from './change-keys.ts'
import { createDkimKey } from './dkim-key.ts'
import { findKeyInState } from './dkim-keys.ts'
import type { DkimAlgorithm, DkimKey, Domain, RequiredDnsRecord } from './domain.ts'
import { firstRecheck } from './recheck-schedule.ts'
import { requireDomain } from './require-domain.ts'
import { dkimRecord } from './required-records.ts'

export interface RotateKeyDeps extends ChangeKeysDeps {
  readonly sealer: Sealer
}

export interface RotatedKey {
  readonly domain: Domain
  readonly key: DkimKey
}

/** A domain without any key gets its first, which is in use at once. Throws `conflict` while another key is waiting. */
export async function rotateKey(
  deps: RotateKeyDeps,
  request: { readonly name: string; readonly algorithm?: DkimAlgorithm },
): Promise<RotatedKey> {
  // Asked first because making a key takes a while.
  refuseSecondNext(await requireDomain(deps.domains, request.name))
  const nowMs = deps.clock()
  const made = await createDkimKey(deps.sealer, { ...request, state: 'next', nowMs })
  const domain = await changeKeys(deps, request.name, (before) => {
    refuseSecondNext(before)
    const state = findKeyInState(before, 'current') ? 'next' : 'current'
    const record = { ...dkimRecord(before.name, made), required: state === 'current' }
    return {
      dkimKeys: [...before.dkimKeys, { ...made, state }],
      dnsRecords: insertDkim(before.dnsRecords, record),
      ...(before.isActive && { recheck: firstRecheck(before.id, nowMs) }),
    }
  })
  const key = domain.dkimKeys.find(({ selector }) => selector === made.selector) ?? made
  return { domain, key }
}

function refuseSecondNext(domain: Domain): void {
  const next = findKeyInState(domain, 'next')
  if (!next) return
  throw new AppError(
    'conflict',
    `${domain.name} has a new key already: ${next.selector}. Promote it once a check has seen it, or retire it, before ` +
      'you make another.',
  )
}

/** Behind the other DKIM records, so that a list of records stays in the order of their purposes. */
function insertDkim(records: readonly RequiredDnsRecord[], record: RequiredDnsRecord): readonly RequiredDnsRecord[] {
  const last = records.findLastIndex(({ purpose }) => purpose === 'DKIM')
  return records.toSpliced(last + 1, 0, record)
}
