/** Changes the DKIM keys of a domain together with their records, safe against concurrent changes. */
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DkimKey, Domain } from '../domain.ts'
import type { DomainStore, KeyUpdate } from '../domain-store.ts'
import { requireDomain } from '../require-domain.ts'

/** A check that finishes at the same time causes a retry; more conflicts than this mean that a client is looping. */
const ATTEMPTS_MAX = 5

export interface ChangeKeysDeps {
  readonly domains: Pick<DomainStore, 'findByName' | 'saveKeys'>
  readonly clock: Clock
}

/** `change` gets the current domain and may be called several times; its errors are passed on. */
export async function changeKeys(
  { domains, clock }: ChangeKeysDeps,
  name: string,
  change: (domain: Domain) => Omit<KeyUpdate, 'updatedAtMs'>,
): Promise<Domain> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const domain = await requireDomain(domains, name)
    const update = { ...change(domain), updatedAtMs: clock() }
    if (await domains.saveKeys(domain, update)) return requireDomain(domains, name)
  }
  throw new AppError(
    'conflict',
    `The keys of ${name} are being changed by another process. Nothing was changed; try again.`,
  )
}

/** Throws AppError `not_found`, which lists the existing selectors. */
export function requireKey({ name, dkimKeys }: Domain, selector: string): DkimKey {
  const key = dkimKeys.find((candidate) => candidate.selector === selector.toLowerCase())
  if (key) return key
  const known = dkimKeys.map((other) => `${other.selector} (${other.state})`).join(', ')
  throw new AppError('not_found', `${name} has no key with the selector ${selector}. Its keys: ${known || 'none'}.`)
}
