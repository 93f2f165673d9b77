/** Settings of ClickHouse that are sent with requests, by kind of request and version. */
import { isNew, type Version } from './features.ts'

export type Settings = Readonly<Record<string, number | string>>

/** How long a server waits for another one, in seconds. Its default of 300 would hang a read on a frozen replica. */
const PEER_TIMEOUT_SECONDS = 3
/** The default of 50 ms fails on a busy machine. */
const PEER_CONNECT_TIMEOUT_MS = 1000
const QUORUM_TIMEOUT_MS = 3000

const PEERS: Settings = {
  connect_timeout_with_failover_ms: PEER_CONNECT_TIMEOUT_MS,
  receive_timeout: PEER_TIMEOUT_SECONDS,
  send_timeout: PEER_TIMEOUT_SECONDS,
}

export interface ReadOptions {
  readonly version: Version
  readonly timeoutMs: number
  readonly isStrict: boolean
}

/** Reads cannot write (2 allows settings), and end when we close the connection, or with their time. */
export function readSettings({ version, timeoutMs, isStrict }: ReadOptions): Settings {
  return {
    ...PEERS,
    readonly: 2,
    // Sets of thousands of domains or keys are parts of statements.
    max_query_size: 1 << 24,
    max_execution_time: Math.ceil(timeoutMs / 1000),
    ...(isStrict && { select_sequential_consistency: 1 }),
    ...(isNew(version) && { cancel_http_readonly_queries_on_client_close: 1 }),
  }
}

export interface InsertOptions {
  readonly version: Version
  /** How many replicas have to store it; 1 for a single server. */
  readonly quorum: number
  readonly timeoutMs: number
  readonly token: string
}

export function insertSettings({ version, quorum, timeoutMs, token }: InsertOptions): Settings {
  const quorumTimeoutMs = Math.min(QUORUM_TIMEOUT_MS, timeoutMs)
  return {
    ...PEERS,
    // The other server says nothing while it waits for the quorum.
    receive_timeout: PEER_TIMEOUT_SECONDS + Math.ceil(quorumTimeoutMs / 1000),
    insert_distributed_sync: 1,
    ...(quorum > 1 && { insert_quorum: quorum, insert_quorum_timeout: quorumTimeoutMs }),
    ...(isNew(version) && {
      // Its default of 1 would make strict reads meaningless.
      insert_quorum_parallel: 0,
      async_insert: 0,
      insert_deduplication_token: token,
    }),
  }
}
