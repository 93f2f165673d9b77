/** Retires a DKIM key: deletes it, and no longer checks its record. */
import { AppError } from '../../lib/app-error.ts'
import type { Domain } from '../domain.ts'
import { findKeyRecord } from '../records/dkim-keys.ts'
import { type ChangeKeysDeps, changeKeys, requireKey } from './change-keys.ts'

/** Throws `not_found`, or `conflict` for the key in use. */
export async function retireKey(
  deps: ChangeKeysDeps,
  { name, selector }: { readonly name: string; readonly selector: string },
): Promise<Domain> {
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
