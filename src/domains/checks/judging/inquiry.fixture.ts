/** The check of one record in DNS that is written down, for tests. */
import type { DnsAlias, DnsAnswer, DnsEvidence, DnsRecordType, DnsResolver } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'
import { type CheckRequest, Inquiry } from './inquiry.ts'

/** The values by type, as text; or every query for the name fails. */
export type WrittenName = Readonly<Partial<Record<DnsRecordType, readonly string[]>>> | 'unreachable'
export type WrittenDns = Readonly<Record<string, WrittenName>>

export interface WrittenInquiry {
  readonly inquiry: Inquiry
  /** What was queried in addition to the record itself: `TYPE name`. */
  readonly asked: readonly string[]
}

type Wanted = Pick<RequiredDnsRecord, 'type' | 'name' | 'value' | 'purpose'>

/** `zone`: of every name. */
export function openInquiry(
  dns: WrittenDns,
  wanted: Wanted,
  { zone = 'example.com', ...request }: Partial<CheckRequest> & { readonly zone?: string } = {},
): WrittenInquiry {
  const asked: string[] = []
  const record = { ...wanted, required: true, status: 'pending', actual: [] } as const
  const resolver: DnsResolver = {
    async resolve(name, type) {
      asked.push(`${type} ${name}`)
      return answerTo(dns, name, type)
    },
    async examine(name, type): Promise<DnsEvidence<typeof type>> {
      const steps = [{ name, zone, servers: [], agreeing: 1, answered: 1 }]
      const answer = answerTo(dns, name, type)
      return { name, type, answer, source: 'authoritative', steps, isUnanimous: true, resolvers: [] }
    },
  }
  const whole = { domainName: 'example.com', records: [record], ...request }
  return { inquiry: new Inquiry(record, whole, resolver, new AbortController().signal), asked }
}

function answerTo<T extends DnsRecordType>(
  dns: WrittenDns,
  name: string,
  type: T,
  aliases: readonly DnsAlias[] = [],
): DnsAnswer<T> {
  const entry = dns[name]
  if (entry === undefined) return { kind: 'no_such_name', aliases }
  if (entry === 'unreachable') return { kind: 'unreachable', failure: 'silent', reason: 'it is silent', aliases }
  const target = type === 'CNAME' ? undefined : entry.CNAME?.[0]
  if (target !== undefined) return answerTo(dns, target, type, [...aliases, { name, target, ttlSeconds: 60 }])
  const values = entry[type]
  // Checks read the text of records only.
  return values ? { kind: 'records', records: [], values, ttlSeconds: 60, aliases } : { kind: 'no_such_type', aliases }
}
