/** Simulated DNS: a function answers queries for TXT records; for all other types the name does not exist. */
import type { Dns, DnsAnswer, DnsEvidence, DnsRecordType } from '../../../src/domains/dns-resolver.ts'

/** A simplified `DnsAnswer` for TXT, for simulated DNS. */
export type TxtAnswer =
  | { readonly kind: 'records'; readonly values: readonly string[] }
  | { readonly kind: 'no_such_name' }
  | { readonly kind: 'no_such_type' }
  | { readonly kind: 'unreachable'; readonly reason: string }

export type TxtLookup = (name: string, signal: AbortSignal) => TxtAnswer | undefined | Promise<TxtAnswer | undefined>

export interface ToldDns extends Dns {
  /** One per check. */
  readonly sessions: number
  /** The names, in the order of the queries. */
  readonly asked: readonly string[]
}

/** Names for which `lookup` returns nothing do not exist. */
export function createToldDns(lookup: TxtLookup): ToldDns {
  const asked: string[] = []
  let sessions = 0
  const resolve = async <T extends DnsRecordType>(name: string, type: T, signal: AbortSignal) => {
    asked.push(name)
    const answer = type === 'TXT' ? await lookup(name, signal) : undefined
    return toDnsAnswer(answer ?? { kind: 'no_such_name' }) as DnsAnswer<T>
  }
  return {
    asked,
    get sessions() {
      return sessions
    },
    session() {
      sessions += 1
      return {
        resolve,
        async examine(name, type, signal) {
          return toEvidence(name, type, await resolve(name, type, signal))
        },
      }
    },
  }
}

function toDnsAnswer(answer: TxtAnswer): DnsAnswer<'TXT'> {
  switch (answer.kind) {
    case 'records': {
      const records = answer.values.map((text) => ({ text, strings: [text] }))
      return { kind: 'records', records, values: answer.values, ttlSeconds: 300, aliases: [] }
    }
    case 'unreachable':
      return { kind: 'unreachable', failure: 'silent', reason: answer.reason, aliases: [] }
    case 'no_such_name':
    case 'no_such_type':
      return { kind: answer.kind, aliases: [] }
  }
}

function toEvidence<T extends DnsRecordType>(name: string, type: T, answer: DnsAnswer<T>): DnsEvidence<T> {
  const steps = [{ name, servers: [], agreeing: 0, answered: 0 }]
  return { name, type, answer, source: 'authoritative', steps, isUnanimous: true, resolvers: [] }
}
