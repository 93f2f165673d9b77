/** What a receiver may spend on one evaluation of SPF (RFC 7208 4.6.4). */

/** Terms that query DNS. */
export const LOOKUPS_MAX = 10
/** Terms among them whose answer has no records. */
export const VOID_LOOKUPS_MAX = 2
/** Exchanges of one `mx`. */
export const EXCHANGES_MAX = 10
