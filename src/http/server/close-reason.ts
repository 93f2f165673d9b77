/** Why the server closed a connection on its own account. */

export const CLOSE_REASONS = [
  /** To make room for a new connection, or because there was no room for this one. */
  'limit',
  /** The same, for the connections of one client network. */
  'network_limit',
  /** Without a request for a while, when there were many connections. */
  'idle',
  /** The client did not read its response, or read it too slowly. */
  'stalled',
  /** Too many responses were waiting for their readers. */
  'answer_memory',
  /** Too many requests at once on this connection. */
  'pipelining',
] as const

export type CloseReason = (typeof CLOSE_REASONS)[number]
