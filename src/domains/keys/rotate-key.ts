/** Starts the rotation of a domain's DKIM key: creates a second key, whose record must be published and seen by a check. */
import { AppError } from '../../lib/app-error.ts'
import type { Sealer } from '../../lib/sealing/sealer.ts'
import type { DkimAlgorithm, DkimKey, Domain, RequiredDnsRecord } from '../domain.ts'
import { createDkimKey } from '../records/dkim-key.ts'
import { findKeyInState } from '../records/dkim-keys.ts'
import { dkimRecord } from '../records/required-records.ts'
import { requireDomain } from '../require-domain.ts'
import { firstRecheck } from '../verification/recheck-schedule.ts'
import { type ChangeKeysDeps, changeKeys } from './change-keys.ts'

export interface RotateKeyDeps extends ChangeKeysDeps {
  readonly sealer: Sealer
}

/** A domain without a key gets its first one, which is in use at once. Throws `conflict` while another key is `next`. */
export async function rotateKey(
  deps: RotateKeyDeps,
  request: { readonly name: string; readonly algorithm?: DkimAlgorithm },
): Promise<{ readonly domain: Domain; readonly key: DkimKey }> {
  // Checked first because creating a key is slow.
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
    `${domain.name} already has a new key: ${next.selector}. Promote it after a check has seen it, or retire it, before ` +
      'you create another.',
  )
}

/** After the other DKIM records, so that the list stays in the order of purposes. */
function insertDkim(records: readonly RequiredDnsRecord[], record: RequiredDnsRecord): readonly RequiredDnsRecord[] {
  const last = records.findLastIndex(({ purpose }) => purpose === 'DKIM')
  return records.toSpliced(last + 1, 0, record)
}
