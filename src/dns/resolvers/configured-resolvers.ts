/** The resolvers that the operator configured: recursive, and possibly with cached answers. */
import type { DnsRecordType } from '../../domains/dns-resolver.ts'
import { type FailedAnswer, findServerFailure, isMute, joinFailures, toFailedAnswer } from '../answers/failure-words.ts'
import { askServer } from '../exchange/ask-server.ts'
import { type Endpoint, formatEndpoint } from '../exchange/endpoint.ts'
import { findFirstGood } from '../exchange/first-good.ts'
import type { Means } from '../exchange/session-memory.ts'
import type { Message } from '../wire/message.ts'

/** A resolver may have to query several servers before it can answer. */
const TIMEOUT_MS = 4000
/** For a resolver that was silent before in the same check, so that a total outage is reported soon. */
const AGAIN_TIMEOUT_MS = 1000
const STAGGER_MS = 1000

export type ResolverReply = { readonly kind: 'message'; readonly message: Message } | FailedAnswer

/** Never rejects. */
export type AskResolver = (name: string, type: DnsRecordType, signal: AbortSignal) => Promise<ResolverReply>

export interface ConfiguredResolver {
  readonly endpoint: Endpoint
  readonly ask: AskResolver
}

export interface ConfiguredResolvers {
  readonly each: readonly ConfiguredResolver[]
  /** The first usable reply; does not wait for failing or slow resolvers. */
  readonly ask: AskResolver
}

export function createConfiguredResolvers(endpoints: readonly Endpoint[], means: Means): ConfiguredResolvers {
  const { memory } = means
  const each = endpoints.map((endpoint) => ({ endpoint, ask: createAsk(endpoint, means) }))
  return {
    each,
    async ask(name, type, signal) {
      const attempt = ({ ask }: ConfiguredResolver, own: AbortSignal) => ask(name, type, own)
      const isGood = ({ kind }: ResolverReply) => kind === 'message'
      const ordered = memory.slowLast(each, ({ endpoint }) => [endpoint])
      const { good, others, overtaken } = await findFirstGood(ordered, attempt, isGood, STAGGER_MS, signal)
      for (const { endpoint } of overtaken) memory.noteSlow(endpoint)
      if (good) return good
      if (signal.aborted) {
        const reason = 'the check ran out of time before a DNS server answered'
        return { kind: 'unreachable', failure: 'cancelled', reason, aliases: [] }
      }
      // None of them was good.
      const failures = others as readonly FailedAnswer[]
      return joinFailures(
        failures,
        failures.find((failure) => !isMute(failure)),
      )
    },
  }
}

function createAsk(endpoint: Endpoint, { memory, budget }: Means): AskResolver {
  const who = `the DNS server ${formatEndpoint(endpoint)}`
  return async (name, type, signal) => {
    const timeoutMs = memory.wasSilent(endpoint) ? AGAIN_TIMEOUT_MS : TIMEOUT_MS
    const reply = await askServer(endpoint, { name, type, isRecursive: true }, timeoutMs, signal, budget)
    if (reply.kind === 'message') {
      const problem = findServerFailure(reply.message)
      return problem ? toFailedAnswer(who, problem) : reply
    }
    if (reply.failure === 'silent') memory.noteSilent(endpoint)
    return toFailedAnswer(who, reply)
  }
}
