/** The outcome of one query to one server, over UDP or TCP. */
import type { DnsFailure } from '../../domains/dns-resolver.ts'
import type { Received } from '../wire/query.ts'

export type Exchanged =
  | Extract<Received, { readonly kind: 'message' }>
  | {
      readonly kind: 'failure'
      readonly failure: Extract<DnsFailure, 'silent' | 'unreachable' | 'malformed' | 'oversize' | 'query_limit'>
    }

/** After the time limit: a server that sent unusable answers was not silent. */
export function noUsableAnswer(sawUnusable: boolean): Exchanged {
  return { kind: 'failure', failure: sawUnusable ? 'malformed' : 'silent' }
}

export const UNREACHABLE: Exchanged = { kind: 'failure', failure: 'unreachable' }
export const OVERSIZE: Exchanged = { kind: 'failure', failure: 'oversize' }
export const QUERY_LIMIT: Exchanged = { kind: 'failure', failure: 'query_limit' }
