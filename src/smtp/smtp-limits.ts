/** What strangers may cost us who talk SMTP: sizes, times and numbers, in one place. */

export const SMTP_LIMITS = {
  /** All at once, and of one address. Mail servers open twenty to one host unless told otherwise. */
  connections: 200,
  connectionsPerClient: 50,
  /** Messages of one address: how many at once, and how many a minute. */
  messages: { burst: 1000, perMinute: 3000 },
  /** Of one message. */
  recipients: 20,
  /** Announced, and refused beyond. Only the beginning is looked at, the rest is read and dropped. */
  messageBytes: 64 * 1024 * 1024,
  commandBytes: 4096,
  /** Without a word from the client. */
  idleMs: 60_000,
  /** However busy it is. */
  connectionMs: 10 * 60_000,
  /** What may wait in quarantine before more that cannot be tied to a message is put off. */
  quarantined: 4_000,
  /** For what is under way when the server closes. */
  closeMs: 10_000,
} as const
