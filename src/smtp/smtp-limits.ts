/** Limits on what SMTP clients may cost. */

export const SMTP_LIMITS = {
  /** In total, and from one address. Mail servers open up to twenty to one host by default. */
  connections: 200,
  connectionsPerClient: 50,
  /** From one address. */
  messages: { burst: 1000, perMinute: 3000 },
  /** Per message. */
  recipients: 20,
  /** Announced; larger messages are rejected. Only the beginning is examined, the rest is read and dropped. */
  messageBytes: 64 * 1024 * 1024,
  commandBytes: 4096,
  idleMs: 60_000,
  /** Total duration of a connection, even a busy one. */
  connectionMs: 10 * 60_000,
  /** Above this many quarantined reports, further ones that cannot be tied to a message are deferred. */
  quarantined: 4_000,
  /** Grace period for transactions in progress when the server closes. */
  closeMs: 10_000,
} as const
