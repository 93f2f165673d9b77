/** The records of one type in a message, and their text. */
import type { DnsRecords, DnsRecordType } from '../../domains/dns-resolver.ts'
import type { Resource } from '../wire/message.ts'

export interface RecordSet<T extends DnsRecordType> {
  readonly records: readonly DnsRecords[T][]
  readonly values: readonly string[]
  readonly ttlSeconds: number
}

/** Undefined if there are none. RFC 2181 section 5: duplicates count once. */
export function findRecordSet<T extends DnsRecordType>(
  resources: readonly Resource[],
  name: string,
  type: T,
): RecordSet<T> | undefined {
  const found = resources.filter((resource) => resource.name === name && resource.type === type)
  const distinct = [...new Map(found.map((resource) => [JSON.stringify(resource.data), resource])).values()]
  if (distinct.length === 0) return undefined
  return {
    // The filter guarantees that the data is of type T.
    records: distinct.map(({ data }) => data as DnsRecords[T]),
    values: distinct.map(describeRecord),
    ttlSeconds: Math.min(...distinct.map(({ ttlSeconds }) => ttlSeconds)),
  }
}

function describeRecord({ type, data }: Resource): string {
  switch (type) {
    case 'A':
    case 'AAAA':
      return data.address
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return data.target
    case 'MX':
      return `${data.preference} ${data.exchange}`
    case 'SOA':
      return `${data.primary} ${data.mailbox} ${data.serial}`
    case 'TXT':
      return data.text
  }
}

/** The alias that answers a query for `type` at the name, if there is one. */
export function findAlias(resources: readonly Resource[], name: string, type: DnsRecordType) {
  const found = type === 'CNAME' ? undefined : findRecordSet(resources, name, 'CNAME')
  const [alias] = found?.records ?? []
  return found && alias && { target: alias.target, ttlSeconds: found.ttlSeconds }
}

/** RFC 2308 section 5: how long the absence may be cached, from the SOA record of the zone. */
export function findNegativeTtl(authorities: readonly Resource[]): number | undefined {
  for (const resource of authorities) {
    if (resource.type === 'SOA') return Math.min(resource.ttlSeconds, resource.data.minimumSeconds)
  }
  return undefined
}
