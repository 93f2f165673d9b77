/** How a check asks DNS, and what it can learn. Port; the adapters are under dns/. */

/** What each type of record holds. */
export interface DnsRecords {
  readonly A: DnsAddress
  readonly AAAA: DnsAddress
  readonly CNAME: DnsTarget
  readonly MX: { readonly preference: number; readonly exchange: string }
  readonly NS: DnsTarget
  readonly PTR: DnsTarget
  readonly SOA: DnsSoa
  readonly TXT: DnsText
}

export type DnsRecordType = keyof DnsRecords

export interface DnsAddress {
  readonly address: string
}

/** Names are in lower case, without the final dot. */
export interface DnsTarget {
  readonly target: string
}

export interface DnsText {
  /** The strings joined without a separator (RFC 7208 section 3.3, RFC 6376 section 3.6.2.2). */
  readonly text: string
  /** As published: a record of two strings is one record, which two records of one string are not. */
  readonly strings: readonly string[]
}

export interface DnsSoa {
  readonly primary: string
  readonly mailbox: string
  readonly serial: number
  /** How long the absence of something in this zone may be remembered (RFC 2308 section 4). */
  readonly minimumSeconds: number
}

/** One CNAME that was followed. */
export interface DnsAlias {
  readonly name: string
  readonly target: string
  readonly ttlSeconds: number
}

export type DnsFailure =
  /** Nothing was sent: DNS cannot carry the name, or it is none that others could publish records under. */
  | 'bad_name'
  /** No answer in time. */
  | 'silent'
  /** The network said that nobody is there. */
  | 'unreachable'
  | 'servfail'
  | 'refused'
  /** Another error code than those above (FORMERR, NOTIMP, ...). */
  | 'error'
  | 'malformed'
  /** The answer does not fit into a datagram and could not be fetched over TCP. */
  | 'truncated'
  /** A server to which the zone is delegated and which does not serve it. */
  | 'lame'
  /** The caller's signal aborted first. */
  | 'cancelled'

/** The name exists or not, but what was asked for is not there. */
interface DnsAbsence {
  readonly aliases: readonly DnsAlias[]
  /** How long resolvers may go on saying so: min(TTL of the SOA, its minimum), RFC 2308 section 5. Absent without a SOA. */
  readonly negativeTtlSeconds?: number
}

export type DnsAnswer<T extends DnsRecordType = DnsRecordType> =
  | {
      readonly kind: 'records'
      /** Never empty. */
      readonly records: readonly DnsRecords[T][]
      /** The same as text for people, in the same order; TXT: the joined strings. */
      readonly values: readonly string[]
      /** The least of the records and of the aliases that led to them. */
      readonly ttlSeconds: number
      /** The CNAMEs that were followed, in order; the records are at the target of the last. */
      readonly aliases: readonly DnsAlias[]
    }
  /** NXDOMAIN: the name (or, with aliases, the target of the last) does not exist. */
  | ({ readonly kind: 'no_such_name' } & DnsAbsence)
  /** The name exists and has no record of that type. */
  | ({ readonly kind: 'no_such_type' } & DnsAbsence)
  /** The CNAMEs lead in a circle or on without end: a mistake in the zone, not a failure to ask. `reason` is for people. */
  | { readonly kind: 'alias_loop'; readonly reason: string; readonly aliases: readonly DnsAlias[] }
  /** We could not find out. `reason` is for people. */
  | {
      readonly kind: 'unreachable'
      readonly failure: DnsFailure
      readonly reason: string
      readonly aliases: readonly DnsAlias[]
    }

/** What one server said about one name. It is not asked to follow aliases, so an alias is an answer of its own. */
export type DnsStatement<T extends DnsRecordType = DnsRecordType> =
  | Exclude<DnsAnswer<T>, { readonly kind: 'alias_loop' }>
  | { readonly kind: 'alias'; readonly target: string; readonly ttlSeconds: number }

export interface DnsServerStatement<T extends DnsRecordType = DnsRecordType> {
  /** The host name that the zone gives its server. */
  readonly server: string
  /** `ip` or `ip:port` that was asked last; absent where the name has no address that may be asked. */
  readonly address?: string
  readonly statement: DnsStatement<T>
}

/** One name on the way from the question to the records: the name itself, then the target of each alias. */
export interface DnsStep<T extends DnsRecordType = DnsRecordType> {
  readonly name: string
  /** The zone that holds the name; absent where it could not be found. */
  readonly zone?: string
  /** What each of the zone's name servers says; empty where none could be found. */
  readonly servers: readonly DnsServerStatement<T>[]
  /** Of the servers that could be asked: how many say what was gone by. Fewer than `answered`: they disagree. */
  readonly agreeing: number
  /** How many servers made a statement: all but silent, failing and lame ones. */
  readonly answered: number
}

/** What one of the configured resolvers (not the zone's own servers) says, with the aliases that it followed. */
export interface DnsResolverStatement<T extends DnsRecordType = DnsRecordType> {
  /** `ip` or `ip:port`. */
  readonly address: string
  readonly answer: DnsAnswer<T>
  /** It says something else than the zone's own servers do, from memory. False where either could not be asked. */
  readonly isStale: boolean
  /** With `isStale`: how long it may go on remembering, where it said so. */
  readonly staleSeconds?: number
}

export interface DnsEvidence<T extends DnsRecordType = DnsRecordType> {
  readonly name: string
  readonly type: T
  /** The one to go by: of the zone's own servers what most of them say, or of the resolvers where none could be asked. */
  readonly answer: DnsAnswer<T>
  readonly source: 'authoritative' | 'resolver'
  /** At least one: the name that was asked for. Empty for a name that cannot be asked. */
  readonly steps: readonly DnsStep<T>[]
  /** No step has servers that disagree. */
  readonly isUnanimous: boolean
  readonly resolvers: readonly DnsResolverStatement<T>[]
}

/** For one check: what it learns about zones is remembered as long as it lives, and answers are not. */
export interface DnsResolver {
  /** Never rejects: failure to ask is an answer too. Stops asking when `signal` aborts. */
  resolve<T extends DnsRecordType>(name: string, type: T, signal: AbortSignal): Promise<DnsAnswer<T>>
  /** The same with what every server and every configured resolver said; asks more and takes longer. */
  examine<T extends DnsRecordType>(name: string, type: T, signal: AbortSignal): Promise<DnsEvidence<T>>
}

export interface Dns {
  /** One per check: nothing is remembered beyond it. */
  session(): DnsResolver
}

/** A `DnsAnswer` for TXT, reduced to what matters where DNS is made up. */
export type TxtAnswer =
  | { readonly kind: 'records'; readonly values: readonly string[] }
  | { readonly kind: 'no_such_name' }
  | { readonly kind: 'no_such_type' }
  | { readonly kind: 'unreachable'; readonly reason: string }
