/** Asks DNS through Node's own resolver (c-ares): configured servers, truncated answers repeated over TCP, nothing cached. */
import { Resolver } from 'node:dns/promises'
import type { TxtAnswer, TxtResolver } from '../domains/dns-resolver.ts'

export interface NodeDnsResolverOptions {
  /** `ip[:port]` each; empty means the system's. */
  readonly servers: readonly string[]
}

/** Per try and server; the caller's signal is the deadline, because c-ares repeats and stretches this one. */
const TRY_TIMEOUT_MS = 2000
const TRIES = 2

export function createNodeDnsResolver(options: NodeDnsResolverOptions): TxtResolver {
  return {
    async resolveTxt(name, signal) {
      if (signal.aborted) return unreachable('cancelled before it was asked')
      // One resolver per question: cancel() ends everything that a resolver is asking.
      const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES })
      if (options.servers.length > 0) resolver.setServers(options.servers)
      const cancel = () => resolver.cancel()
      signal.addEventListener('abort', cancel, { once: true })
      try {
        const records = await resolver.resolveTxt(name)
        if (records.length === 0) return { kind: 'no_such_type' }
        return { kind: 'records', values: records.map((strings) => strings.join('')) }
      } catch (error) {
        return toAnswer(error)
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    },
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name server failed to answer (SERVFAIL)',
  EREFUSED: 'the name server refused the question (REFUSED)',
  ENOTIMP: 'the name server does not know this kind of question (NOTIMP)',
  EFORMERR: 'the name server did not understand the question (FORMERR)',
  EBADNAME: 'DNS cannot carry this name',
  EBADRESP: 'the name server sent a malformed answer',
  ETIMEOUT: 'no name server answered in time',
  ECONNREFUSED: 'no name server could be reached',
  ECANCELLED: 'the check ran out of time before a name server answered',
}

function toAnswer(error: unknown): TxtAnswer {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  switch (code) {
    case 'ENOTFOUND':
      return { kind: 'no_such_name' }
    case 'ENODATA':
      return { kind: 'no_such_type' }
    default:
      return unreachable(REASONS[code] ?? (code === '' ? String(error) : `the question failed (${code})`))
  }
}

function unreachable(reason: string): TxtAnswer {
  return { kind: 'unreachable', reason }
}
