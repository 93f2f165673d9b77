/** The DNS of the demo: answers TXT queries from a map of published records. */
import type { Dns, DnsAnswer, DnsEvidence, DnsRecordType } from '../domains/dns-resolver.ts'

/** TXT values by name; other names do not exist. Entries may be added at any time. */
export type DemoZone = Map<string, readonly string[]>

export function createDemoDns(zone: DemoZone): Dns {
  const resolve = async <T extends DnsRecordType>(name: string, type: T): Promise<DnsAnswer<T>> => {
    return toAnswer(type === 'TXT' ? (zone.get(name) ?? []) : []) as DnsAnswer<T>
  }
  return {
    session: () => ({
      resolve,
      async examine(name, type) {
        return toEvidence(name, type, await resolve(name, type))
      },
    }),
  }
}

function toAnswer(texts: readonly string[]): DnsAnswer<'TXT'> {
  if (texts.length === 0) return { kind: 'no_such_name', aliases: [], negativeTtlSeconds: 300 }
  const records = texts.map((text) => ({ text, strings: text.match(/.{1,255}/g) ?? [] }))
  return { kind: 'records', records, values: texts, ttlSeconds: 300, aliases: [] }
}

function toEvidence<T extends DnsRecordType>(name: string, type: T, answer: DnsAnswer<T>): DnsEvidence<T> {
  const steps = [{ name, servers: [], agreeing: 0, answered: 0 }]
  return { name, type, answer, source: 'authoritative', steps, isUnanimous: true, resolvers: [] }
}
