/** How a check queries DNS, and what it can learn. Port; the adapter is in src/dns. */

/** The data of each record type. Names are in lower case, without the final dot. */
export interface DnsRecords {
  readonly A: { readonly address: string }
  readonly AAAA: { readonly address: string }
  readonly CNAME: { readonly target: string }
  readonly MX: { readonly preference: number; readonly exchange: string }
  readonly NS: { readonly target: string }
  readonly PTR: { readonly target: string }
  readonly SOA: {
    readonly primary: string
    readonly mailbox: string
    readonly serial: number
    /** How long the absence of a name or type in this zone may be cached (RFC 2308 section 4). */
    readonly minimumSeconds: number
  }
  readonly TXT: {
    /** The strings joined without a separator (RFC 7208 section 3.3, RFC 6376 section 3.6.2.2). */
    readonly text: string
    /** As published: one record with two strings is not the same as two records. */
    readonly strings: readonly string[]
  }
}

export type DnsRecordType = keyof DnsRecords

/** One CNAME that was followed. */
export interface DnsAlias {
  readonly name: string
  readonly target: string
  readonly ttlSeconds: number
}

export type DnsFailure =
  /** Nothing was sent: the name is not valid in DNS, or nobody could publish records there. */
  | 'bad_name'
  /** No answer in time. */
  | 'silent'
  /** The network reported that the server cannot be reached. */
  | 'unreachable'
  | 'servfail'
  | 'refused'
  /** Any other error code (FORMERR, NOTIMP, ...). */
  | 'error'
  | 'malformed'
  /** The answer does not fit into a datagram and could not be fetched over TCP. */
  | 'truncated'
  /** The answer is larger than a check reads. */
  | 'oversize'
  /** The zone is delegated to the server, but the server is not authoritative for it. */
  | 'lame'
  /** The caller's signal aborted first. */
  | 'cancelled'
  /** Not sent: the check has used up its queries. */
  | 'query_limit'

/** There is no such record, whether or not the name exists. */
interface DnsAbsence {
  readonly aliases: readonly DnsAlias[]
  /** How long resolvers may cache the absence: min(TTL of the SOA, its minimum), RFC 2308 section 5. Absent without a SOA. */
  readonly negativeTtlSeconds?: number
}

export type DnsAnswer<T extends DnsRecordType = DnsRecordType> =
  | {
      readonly kind: 'records'
      /** Never empty. */
      readonly records: readonly DnsRecords[T][]
      /** The records as text, in the same order; TXT: the joined strings. */
      readonly values: readonly string[]
      /** The minimum over the records and the aliases that led to them. */
      readonly ttlSeconds: number
      /** The CNAMEs that were followed, in order; the records are at the target of the last. */
      readonly aliases: readonly DnsAlias[]
    }
  /** NXDOMAIN: the name (or, with aliases, the target of the last) does not exist. */
  | ({ readonly kind: 'no_such_name' } & DnsAbsence)
  /** The name exists and has no record of that type. */
  | ({ readonly kind: 'no_such_type' } & DnsAbsence)
  /** The CNAMEs form a loop or a chain that is too long: a mistake in the zone, not a failed query. `reason` is for people. */
  | { readonly kind: 'alias_loop'; readonly reason: string; readonly aliases: readonly DnsAlias[] }
  /** The query failed. `reason` is for people. */
  | {
      readonly kind: 'unreachable'
      readonly failure: DnsFailure
      readonly reason: string
      readonly aliases: readonly DnsAlias[]
    }

/** How long the answer may stay in a cache, if known. */
export function findTtl(answer: DnsAnswer): number | undefined {
  switch (answer.kind) {
    case 'records':
      return answer.ttlSeconds
    case 'no_such_name':
    case 'no_such_type':
      return answer.negativeTtlSeconds
    case 'alias_loop':
    case 'unreachable':
      return undefined
  }
}

/** What one server says about one name. It is not asked to follow aliases, so an alias is an answer in itself. */
export type DnsStatement<T extends DnsRecordType = DnsRecordType> =
  | Exclude<DnsAnswer<T>, { readonly kind: 'alias_loop' }>
  | { readonly kind: 'alias'; readonly target: string; readonly ttlSeconds: number }

export interface DnsServerStatement<T extends DnsRecordType = DnsRecordType> {
  /** The host name that the zone gives its server. */
  readonly server: string
  /** `ip` or `ip:port` that was queried last; absent if the server has no address that may be queried. */
  readonly address?: string
  readonly statement: DnsStatement<T>
}

/** One name on the way from the question to the records: the name itself, then the target of each alias. */
export interface DnsStep<T extends DnsRecordType = DnsRecordType> {
  readonly name: string
  /** The zone that contains the name; absent if it could not be found. */
  readonly zone?: string
  /** What each of the zone's name servers says; empty if none could be found. */
  readonly servers: readonly DnsServerStatement<T>[]
  /** How many of the servers that answered made the statement that was used. Fewer than `answered`: they disagree. */
  readonly agreeing: number
  /** How many servers made a statement: all except silent, failing and lame ones. */
  readonly answered: number
}

/** What one of the configured resolvers (not the zone's own servers) says, with the aliases that it followed. */
export interface DnsResolverStatement<T extends DnsRecordType = DnsRecordType> {
  /** `ip` or `ip:port`. */
  readonly address: string
  readonly answer: DnsAnswer<T>
  /** Its cached answer differs from that of the zone's own servers. False if either could not be queried. */
  readonly isStale: boolean
  /** With `isStale`: how long the answer may stay in its cache, if known. */
  readonly staleSeconds?: number
}

export interface DnsEvidence<T extends DnsRecordType = DnsRecordType> {
  readonly name: string
  readonly type: T
  /** The answer to use: that of most of the zone's own servers, or of the resolvers if none of them could be queried. */
  readonly answer: DnsAnswer<T>
  readonly source: 'authoritative' | 'resolver'
  /** The first is the name of the question. Empty for a name that cannot be queried. */
  readonly steps: readonly DnsStep<T>[]
  /** No step has servers that disagree. */
  readonly isUnanimous: boolean
  readonly resolvers: readonly DnsResolverStatement<T>[]
}

/** For one check: caches what it learns about zones, but not answers. */
export interface DnsResolver {
  /** Never rejects: a failed query is an answer too. Stops when `signal` aborts. */
  resolve<T extends DnsRecordType>(name: string, type: T, signal: AbortSignal): Promise<DnsAnswer<T>>
  /** Like `resolve`, with the statements of every name server and configured resolver; slower. */
  examine<T extends DnsRecordType>(name: string, type: T, signal: AbortSignal): Promise<DnsEvidence<T>>
}

export interface Dns {
  /** One per check: nothing is cached across checks. */
  session(): DnsResolver
}
