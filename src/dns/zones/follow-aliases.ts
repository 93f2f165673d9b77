/** Follows aliases from a name to its records, querying each alias in its own zone. */
import type { DnsAnswer, DnsRecordType, DnsStep } from '../../domains/dns-resolver.ts'
import { AliasChain } from '../answers/alias-chain.ts'
import { readAskedName } from '../answers/asked-name.ts'
import type { ZoneAnswer } from './ask-zone.ts'

export interface Followed<T extends DnsRecordType> {
  readonly steps: readonly DnsStep<T>[]
  /** Absent if the servers of a zone on the way could not be queried. */
  readonly answer?: DnsAnswer<T>
}

export async function followAliases<T extends DnsRecordType>(
  name: string,
  ask: (name: string) => Promise<ZoneAnswer<T>>,
): Promise<Followed<T>> {
  const chain = new AliasChain(name)
  const steps: DnsStep<T>[] = []
  for (;;) {
    const { step, statement } = await ask(chain.name)
    steps.push(step)
    if (!statement) return { steps }
    if (statement.kind === 'records') {
      const ttlSeconds = chain.limitTtl(statement.ttlSeconds)
      return { steps, answer: { ...statement, ttlSeconds, aliases: chain.aliases } }
    }
    if (statement.kind !== 'alias') return { steps, answer: { ...statement, aliases: chain.aliases } }
    const reason = chain.follow(statement.target, statement.ttlSeconds)
    const { aliases } = chain
    if (reason !== undefined) return { steps, answer: { kind: 'alias_loop', reason, aliases } }
    // Such as the root or a single label: nothing is published there.
    if ('problem' in readAskedName(chain.name)) return { steps, answer: { kind: 'no_such_name', aliases } }
  }
}
