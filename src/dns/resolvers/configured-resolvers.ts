/** The resolvers that the operator configured: recursive, and possibly with cached answers. */
import type { DnsFailure, DnsRecordType } from '../../domains/dns-resolver.ts'
import { describeFailure, findServerFailure, type ServerFailure } from '../answers/failure-words.ts'
import { askServer } from '../exchange/ask-server.ts'
import { type Endpoint, formatEndpoint } from '../exchange/endpoint.ts'
import { findFirstGood } from '../exchange/first-good.ts'
import type { SessionMemory } from '../exchange/session-memory.ts'
import type { Message } from '../wire/message.ts'

/** A resolver may have to query several servers before it can answer. */
const TIMEOUT_MS = 4000
/** For a resolver that was silent before in the same check, so that a total outage is reported soon. */
const AGAIN_TIMEOUT_MS = 1000
const STAGGER_MS = 1000

export type ResolverReply =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'unreachable'; readonly failure: DnsFailure; readonly reason: string }

/** Never rejects. */
export type AskResolver = (name: string, type: DnsRecordType, signal: AbortSignal) => Promise<ResolverReply>

export interface ConfiguredResolver {
  /** `ip` or `ip:port`. */
  readonly address: string
  readonly ask: AskResolver
}

export interface ConfiguredResolvers {
  readonly each: readonly ConfiguredResolver[]
  /** The first usable reply; does not wait for failing or slow resolvers. */
  readonly ask: AskResolver
}

export function createConfiguredResolvers(endpoints: readonly Endpoint[], memory: SessionMemory): ConfiguredResolvers {
  return {
    each: endpoints.map((endpoint) => ({
      address: formatEndpoint(endpoint),
      ask: (name, type, signal) => askOne(endpoint, memory, name, type, signal),
    })),
    async ask(name, type, signal) {
      const attempt = (endpoint: Endpoint, own: AbortSignal) => askOne(endpoint, memory, name, type, own)
      const isGood = ({ kind }: ResolverReply) => kind === 'message'
      const ordered = memory.slowLast(endpoints, (endpoint) => [endpoint])
      const { good, others, overtaken } = await findFirstGood(ordered, attempt, isGood, STAGGER_MS, signal)
      for (const endpoint of overtaken) memory.noteSlow(endpoint)
      return good ?? joinFailures(others, signal)
    },
  }
}

async function askOne(
  endpoint: Endpoint,
  memory: SessionMemory,
  name: string,
  type: DnsRecordType,
  signal: AbortSignal,
): Promise<ResolverReply> {
  const timeoutMs = memory.wasSilent(endpoint) ? AGAIN_TIMEOUT_MS : TIMEOUT_MS
  const reply = await askServer(endpoint, { name, type, isRecursive: true }, timeoutMs, signal)
  if (reply.kind === 'message') {
    const problem = findServerFailure(reply.message)
    return problem ? failed(endpoint, problem) : reply
  }
  if (reply.failure === 'silent') memory.noteSilent(endpoint)
  return failed(endpoint, reply)
}

function failed(endpoint: Endpoint, { failure, detail }: ServerFailure): ResolverReply {
  const reason = describeFailure(`the DNS server ${formatEndpoint(endpoint)}`, failure, detail)
  return { kind: 'unreachable', failure, reason }
}

/** Failures without any reply; a failure with a reason is more informative. */
const MUTE: readonly DnsFailure[] = ['silent', 'unreachable', 'cancelled']

function joinFailures(replies: readonly ResolverReply[], signal: AbortSignal): ResolverReply {
  if (signal.aborted) {
    const reason = 'the check ran out of time before a DNS server answered'
    return { kind: 'unreachable', failure: 'cancelled', reason }
  }
  const failures = replies.filter((reply) => reply.kind === 'unreachable')
  const telling = failures.find(({ failure }) => !MUTE.includes(failure)) ?? failures[0]
  if (!telling) return { kind: 'unreachable', failure: 'unreachable', reason: 'no DNS server is configured' }
  return { ...telling, reason: failures.map(({ reason }) => reason).join('; ') }
}
