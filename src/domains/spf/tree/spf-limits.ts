/** What a receiver may spend on one evaluation of SPF (RFC 7208 4.6.4), and what a check reads of a policy. */

/** Terms that query DNS. */
export const LOOKUPS_MAX = 10
/** Terms among them whose answer has no records. */
export const VOID_LOOKUPS_MAX = 2
/** Exchanges of one `mx`. */
export const EXCHANGES_MAX = 10

/** Nested repeated includes turn a small zone into a huge tree: nothing is followed beyond this. */
export const LOOKUPS_FOLLOWED_MAX = 100
/** RFC 7208 3.4 recommends 450; long lists of networks have a few thousand. */
export const RECORD_LENGTH_MAX = 8192
/** Of all records of a tree together; those of the largest senders have a few hundred. */
export const TERMS_MAX = 2000
/** Of one term and one family. */
export const ADDRESSES_MAX = 500
