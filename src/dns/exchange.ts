/** What comes of sending one query to one server, over either transport. */
import type { DnsFailure } from '../domains/dns-resolver.ts'
import type { Message } from './message.ts'

export type Exchanged =
  | {
      readonly kind: 'message'
      readonly message: Message
      /** The server repeated the random letter case of the question. */
      readonly isSameCase: boolean
    }
  | { readonly kind: 'failure'; readonly failure: Extract<DnsFailure, 'silent' | 'unreachable' | 'malformed'> }

/** Once the time is over: a server that sent what nobody could use was not silent. */
export function noUsableAnswer(sawUnusable: boolean): Exchanged {
  return { kind: 'failure', failure: sawUnusable ? 'malformed' : 'silent' }
}

export const UNREACHABLE: Exchanged = { kind: 'failure', failure: 'unreachable' }
