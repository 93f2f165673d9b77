/** Limits on the resources of one client: sizes, times and counts. */

export const SERVER_LIMITS = {
  /** Request line and headers together. */
  headerBytes: 16 * 1024,
  /** From the first byte of a request to the last byte of its headers. */
  headersTimeoutMs: 10_000,
  /** From the first byte of a request to the last byte of its body. */
  requestTimeoutMs: 30_000,
  /** Interval at which the two timeouts above are checked. */
  timeoutCheckMs: 2_000,
  /** Keep-alive timeout of a connection: longer than the 60 s of common proxies. */
  keepAliveMs: 65_000,
  /** Half of the files that may be open if that is less. Beyond this, the longest idle connection gives way to a new one. */
  connections: 10_000,
  /** Of one IPv4 address or IPv6 /64, unless it is a proxy; at most a quarter of all. */
  connectionsPerNetwork: 500,
  /** Keep-alive timeout while there are more than half of the connections. */
  crowdedKeepAliveMs: 5_000,
  /** Requests that wait on a connection for the response to an earlier one. */
  pipelinedRequests: 64,
  /** A client that takes nothing of its response for this long is disconnected. */
  answerStallMs: 60_000,
  /** A reader of a response that takes less than this, on average, is disconnected. */
  answerBytesPerSecond: 1024,
  /** Responses in memory that wait for their readers. Beyond this, the connections of the oldest ones are closed. */
  answerMemoryBytes: 128 * 1024 * 1024,
  /** Those of one IPv4 address or IPv6 /64, unless it is a proxy. */
  answerMemoryBytesPerNetwork: 32 * 1024 * 1024,
  /**
   * Larger than headerBytes, so that the router never refuses a path for its length: that would happen before the key is
   * checked. Names that are too long are not found.
   */
  pathParameterLength: 16 * 1024,
  /** A request body, as sent and after decompression. */
  bodyBytes: 16 * 1024 * 1024,
  /** The body of a request to a route that anyone may call. */
  publicBodyBytes: 4 * 1024,
  /** A JSON body of any route but ingest. */
  smallBodyBytes: 64 * 1024,
  /** The body of a request that takes none: read and discarded up to this size. */
  ignoredBodyBytes: 1024 * 1024,
  /** All request bodies in memory at the same time; those of one key may use half of it. */
  bodyMemoryBytes: 128 * 1024 * 1024,
  /** A compressed body may expand to this size in any case, and beyond it to `expansionRatio` times its size as sent. */
  expandedBytesFree: 1024 * 1024,
  expansionRatio: 500,
  /** Compressed bodies that are expanded at the same time. */
  expandedAtOnce: 2,
  /** Compressed bodies of one key that wait for that; further ones are refused. */
  waitingToExpandPerKey: 64,
} as const

export type ServerLimits = { readonly [Name in keyof typeof SERVER_LIMITS]: number }
