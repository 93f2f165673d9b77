/** Limits on what SMTP clients may cost. */

export const SMTP_LIMITS = {
  /** In total, and from one client network. Mail servers open up to twenty to one host by default. */
  connections: { total: 400, perNetwork: 50 },
  /** From one client network. */
  messages: { burst: 1000, perMinute: 3000 },
  recipients: { burst: 2000, perMinute: 6000 },
  /** Processor time for one client network: a tenth of a processor in the long run, 5 seconds at once. */
  work: { burstMs: 5000, perMinuteMs: 6000 },
  /** For all of them together: once it is used up, only those continue that have hardly used any. */
  workOfAll: { burstMs: 20_000, perMinuteMs: 24_000 },
  littleWorkMs: 250,
  /** Per message. */
  recipientsPerMessage: 20,
  /** Per connection; then it is closed. */
  refusedRecipients: 20,
  /** Announced; larger messages are rejected. Only the beginning is examined, the rest is read and dropped. */
  messageBytes: 64 * 1024 * 1024,
  commandBytes: 4096,
  idleMs: 60_000,
  /** Total duration of a connection, even a busy one. */
  connectionMs: 10 * 60_000,
  /** Interval for charging what connections have received. */
  chargeEveryMs: 1000,
  /** Grace period for transactions in progress when the server closes. */
  closeMs: 10_000,
} as const

/** Estimates of processor time, in milliseconds. */
export const SMTP_COSTS = {
  connection: 1,
  /** Of the message itself, which is mostly dropped. */
  contentByte: 0.00002,
  /** Commands, escaped dots and handshakes: few bytes make the most work. */
  otherByte: 0.002,
} as const
