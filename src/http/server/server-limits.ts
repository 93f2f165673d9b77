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
  /** Beyond this, new connections are dropped. */
  connections: 10_000,
  /**
   * Larger than headerBytes, so that the router never refuses a path for its length: that would happen before the key is
   * checked. Names that are too long are not found.
   */
  pathParameterLength: 16 * 1024,
  /** A request body, as sent and after decompression. */
  bodyBytes: 16 * 1024 * 1024,
  /** The body of a request that takes none: read and discarded up to this size. */
  ignoredBodyBytes: 1024 * 1024,
  /** All request bodies in memory at the same time. */
  bodyMemoryBytes: 128 * 1024 * 1024,
} as const
