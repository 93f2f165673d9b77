/** Use case: private DKIM keys that an earlier secret has sealed are sealed with the newest. Repeating it does no harm. */
import type { DataSecret } from '../../lib/sealing/data-secret.ts'
import type { GenerationSealer } from '../../lib/sealing/keyring.ts'
import { nextTurn } from '../../lib/turns/next-turn.ts'
import type { Domain } from '../domain.ts'
import type { DomainStore } from '../domain-store.ts'

/** Domains read at a time. */
const PAGE = 100

export interface ResealDeps {
  readonly domains: Pick<DomainStore, 'list' | 'findById' | 'saveKeys'>
  readonly sealer: GenerationSealer
}

export interface Resealed {
  readonly resealed: number
  /** Keys that no known secret opens; they stay as they are. */
  readonly unreadable: number
}

/** A full pass, noted when it is complete: then earlier secrets are needed only for what they signed. */
export async function completeRotation(
  deps: ResealDeps & { readonly dataSecret: DataSecret },
  onProgress?: (domainsSoFar: number) => void,
  signal?: AbortSignal,
): Promise<Resealed> {
  const { dataSecret } = deps
  const [{ id }] = dataSecret.keyring.generations
  const result = await resealKeys(deps, onProgress, signal)
  await dataSecret.markResealed(id)
  return result
}

/** `onProgress`: after each page. A domain is written in one step, so an interruption leaves every key readable. */
export async function resealKeys(
  { domains, sealer }: ResealDeps,
  onProgress: (domainsSoFar: number) => void = () => undefined,
  signal?: AbortSignal,
): Promise<Resealed> {
  const total = { resealed: 0, unreadable: 0 }
  for (let skip = 0; ; skip += PAGE) {
    signal?.throwIfAborted()
    // By creation: a domain that is added meanwhile comes last, and none is ever removed.
    const page = await domains.list({ skip, take: PAGE, orderBy: { field: 'createdAt', direction: 'asc' } })
    for (const domain of page.domains) {
      const { resealed, unreadable } = await resealDomain(domain)
      total.resealed += resealed
      total.unreadable += unreadable
    }
    if (page.domains.length > 0) onProgress(skip + page.domains.length)
    if (page.domains.length < PAGE) return total
    await nextTurn()
  }

  async function resealDomain(found: Domain): Promise<Resealed> {
    let domain: Domain | undefined = found
    while (domain) {
      const opened = domain.dkimKeys.map((key) => {
        return { key, plain: sealer.isCurrent(key.sealedPrivateKey) ? undefined : sealer.open(key.sealedPrivateKey) }
      })
      const unreadable = opened.filter(({ key, plain }) => !plain && !sealer.isCurrent(key.sealedPrivateKey)).length
      const resealed = opened.filter(({ plain }) => plain).length
      if (resealed === 0) return { resealed, unreadable }
      const dkimKeys = opened.map(({ key, plain }) => (plain ? { ...key, sealedPrivateKey: sealer.seal(plain) } : key))
      const { dnsRecords, updatedAtMs } = domain
      if (await domains.saveKeys(domain, { dkimKeys, dnsRecords, updatedAtMs })) return { resealed, unreadable }
      // The keys or records were changed at the same time.
      domain = await domains.findById(domain.id)
    }
    return { resealed: 0, unreadable: 0 }
  }
}
