/** The statement that most servers make. */
import type { DnsAnswer, DnsRecordType, DnsStatement } from '../../domains/dns-resolver.ts'
import type { Referral } from '../answers/statement.ts'
import type { Heard } from './ask-name-server.ts'

export type Said<T extends DnsRecordType> = Exclude<DnsStatement<T> | Referral, { readonly kind: 'unreachable' }>

/** `statement` is absent if no server made one. */
export function findConsensus<T extends DnsRecordType>(heard: readonly Heard<T>[]) {
  const said = heard.map(({ statement }) => statement).filter((statement) => statement.kind !== 'unreachable')
  const groups = [...Map.groupBy(said, describeContent).values()]
  const [largest] = groups.toSorted((a, b) => b.length - a.length || Number(isPresence(b)) - Number(isPresence(a)))
  const [statement] = largest ?? []
  return { ...(statement && { statement }), agreeing: largest?.length ?? 0, answered: said.length }
}

/** Breaks ties: records are added far more often than removed, so servers that have it are more likely up to date. */
function isPresence([statement]: readonly Said<DnsRecordType>[]): boolean {
  return statement?.kind === 'records' || statement?.kind === 'alias'
}

/** Equal for equal content, regardless of order and TTL. */
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
