/** What one client may cost us: sizes, times and numbers, in one place. */

export const SERVER_LIMITS = {
  /** Request line and headers together. */
  headerBytes: 16 * 1024,
  /** From the first byte of a request to the last of its headers. */
  headersTimeoutMs: 10_000,
  /** From the first byte of a request to the last of its body. */
  requestTimeoutMs: 30_000,
  /** How often the two above are looked at. */
  timeoutCheckMs: 2_000,
  /** How long a connection may wait for its next request: longer than the 60 s that common proxies keep theirs. */
  keepAliveMs: 65_000,
  /** Beyond this, new connections are dropped. */
  connections: 10_000,
  /**
   * Above what headerBytes lets through, so that the router refuses no path for its length: that would answer before the
   * key was looked at. Names that are too long are simply not found.
   */
  pathParameterLength: 16 * 1024,
  /** A body that an endpoint takes, as it comes and after decompression. */
  bodyBytes: 16 * 1024 * 1024,
  /** A body that an endpoint does not want is read and thrown away up to here. */
  ignoredBodyBytes: 1024 * 1024,
  /** All bodies that are held in memory at the same time. */
  bodyMemoryBytes: 128 * 1024 * 1024,
} as const
