/**
 * Outcomes in a log that do not become events, and why. A reader that finds an outcome returns either its record or one of
 * these, never nothing: `tail` and `import` do not send them, but count and print them.
 */
import type { MailLogRecord } from './maillog.ts'

/** Events may be missing: the operator has to know. */
const LOSSES = {
  sender_not_logged: 'the log has no line with the sender of the message',
  recipients_not_logged: 'the log has no line with the recipients of the message',
  no_sender_domain: 'neither the sender nor From names a domain',
  next_hop_not_logged: 'handed over to a filter or relay on the same machine, and the log has no line about it there',
  unreadable: 'the line is damaged or has an unknown form',
} as const

/** Not events of a sender's message. */
const ON_PURPOSE = {
  handed_over: 'handed over within the mail server; later lines of the log have the final outcome',
  bounce_message: 'bounce messages (without a sender) whose From is not in the log',
  notification: 'notifications of the mail server itself',
  probe: 'address probes',
  not_a_complaint: 'feedback reports that are not complaints',
  discarded: 'discarded by the configuration of the mail server',
  not_an_outcome: 'not about the delivery of a message to a recipient',
} as const

export const LEFT_OUT_REASONS = { ...LOSSES, ...ON_PURPOSE } as const

export type LeftOutReason = keyof typeof LEFT_OUT_REASONS

/** How many were left out, by reason. */
export type LeftOutCounts = Partial<Record<LeftOutReason, number>>

export function isLoss(reason: LeftOutReason): boolean {
  return Object.hasOwn(LOSSES, reason)
}

/** Takes the place of a record. */
export function leftOut(reason: LeftOutReason): MailLogRecord {
  return { sender_domains: [], event: {}, left_out: reason }
}

export function addCounts(sums: LeftOutCounts, counts: LeftOutCounts): void {
  for (const [reason, count] of Object.entries(counts) as [LeftOutReason, number][])
    sums[reason] = (sums[reason] ?? 0) + count
}

/** The records to send; the others are added to the counts. */
export function withoutLeftOut(records: readonly MailLogRecord[], counts: LeftOutCounts): readonly MailLogRecord[] {
  return records.filter(({ left_out: reason }) => {
    if (reason !== undefined) counts[reason] = (counts[reason] ?? 0) + 1
    return reason === undefined
  })
}
