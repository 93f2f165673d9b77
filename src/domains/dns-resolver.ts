/** How a check asks DNS. Port; the adapters are under dns/. */

export type DnsAnswer =
  /** TXT: the strings of each record joined without a separator (RFC 7208 section 3.3). Never empty. */
  | { readonly kind: 'records'; readonly values: readonly string[] }
  /** NXDOMAIN: the name does not exist. */
  | { readonly kind: 'no_such_name' }
  /** The name exists and has no record of that type. */
  | { readonly kind: 'no_such_type' }
  /** We could not find out: time out, SERVFAIL, REFUSED, malformed answer. `reason` is for people. */
  | { readonly kind: 'unreachable'; readonly reason: string }

export interface DnsResolver {
  /** Never rejects: failure to ask is an answer too. Stops asking when `signal` aborts. */
  resolveTxt(name: string, signal: AbortSignal): Promise<DnsAnswer>
}
