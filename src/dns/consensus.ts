/** What several servers say as one: the statement that most of them make. */
import type { DnsAnswer, DnsRecordType, DnsStatement } from '../domains/dns-resolver.ts'
import type { Heard } from './ask-name-server.ts'
import type { Referral } from './statement.ts'

export type Said<T extends DnsRecordType> = Exclude<DnsStatement<T> | Referral, { readonly kind: 'unreachable' }>

export interface Consensus<T extends DnsRecordType> {
  /** Absent where nobody said anything. */
  readonly statement?: Said<T>
  readonly agreeing: number
  readonly answered: number
}

export function findConsensus<T extends DnsRecordType>(heard: readonly Heard<T>[]): Consensus<T> {
  const said = heard.map(({ statement }) => statement).filter((statement) => statement.kind !== 'unreachable')
  const groups = [...Map.groupBy(said, describeContent).values()]
  const [largest] = groups.toSorted((a, b) => b.length - a.length || Number(isPresence(b)) - Number(isPresence(a)))
  const [statement] = largest ?? []
  return { ...(statement && { statement }), agreeing: largest?.length ?? 0, answered: said.length }
}

/** On a tie: a record is added far more often than taken away, so the servers that have it are the newer ones. */
function isPresence([statement]: readonly Said<DnsRecordType>[]): boolean {
  return statement?.kind === 'records' || statement?.kind === 'alias'
}

/** Equal for those that say the same, in whatever order and for however long. */
export function describeContent(said: Said<DnsRecordType> | DnsAnswer): string {
  switch (said.kind) {
    case 'records':
      return JSON.stringify([said.kind, ...said.values.toSorted()])
    case 'alias':
      return JSON.stringify([said.kind, said.target])
    case 'referral':
      return JSON.stringify([said.kind, said.zone])
    case 'no_such_name':
    case 'no_such_type':
    case 'alias_loop':
    case 'unreachable':
      return said.kind
  }
}
