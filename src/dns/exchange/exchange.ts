/** The outcome of one query to one server, over UDP or TCP. */
import type { DnsFailure } from '../../domains/dns-resolver.ts'
import type { Message } from '../wire/message.ts'

export type Exchanged =
  | {
      readonly kind: 'message'
      readonly message: Message
      /** The server repeated the random letter case of the question. */
      readonly isSameCase: boolean
    }
  | { readonly kind: 'failure'; readonly failure: Extract<DnsFailure, 'silent' | 'unreachable' | 'malformed'> }

/** After the time limit: a server that sent unusable answers was not silent. */
export function noUsableAnswer(sawUnusable: boolean): Exchanged {
  return { kind: 'failure', failure: sawUnusable ? 'malformed' : 'silent' }
}

export const UNREACHABLE: Exchanged = { kind: 'failure', failure: 'unreachable' }
