/** How much is written at once, and how much may wait. */
export interface GroupLimits {
  /** Events and bytes of one batch: ClickHouse gets them as one block for each day and table. */
  readonly events: number
  readonly bytes: number
  /** Each day is a part on the disk in several tables. */
  readonly days: number
  /** Events and bytes that may wait for the batch before them, on this server. Beyond this senders are refused and retry later. */
  readonly waitingEvents: number
  readonly waitingBytes: number
  /** How long a batch may take, with the wait for the shard. */
  readonly deadlineMs: number
}

export const GROUP_LIMITS: GroupLimits = {
  events: 50_000,
  bytes: 32 * 1024 * 1024,
  days: 10,
  waitingEvents: 100_000,
  waitingBytes: 128 * 1024 * 1024,
  deadlineMs: 8000,
}
