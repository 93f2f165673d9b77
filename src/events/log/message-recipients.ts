/** The recipients of a message, by its events in the log. A mailing may have very many, so they are read in pages. */
import type { EmailEvent } from '../event.ts'
import type { EventLog } from './event-log.ts'
import { listMessagePages, listPages } from './list-pages.ts'
import type { LogDomain, LogWindow } from './log-query.ts'

const PAGE = 100
const BUDGET_MS = 100
const ALL_TIMES: LogWindow = { startTimestamp: 0, endTimestamp: 253_402_300_799 }

/** The recipient as the log spells it, if the message has one with this address, letter case ignored. */
export async function findRecipientOfMessage(
  log: Pick<EventLog, 'list'>,
  domain: LogDomain,
  messageId: string,
  address: string,
): Promise<string | undefined> {
  const wanted = address.toLowerCase()
  const query = {
    domains: [domain],
    filters: { messageId, recipient: address },
    window: ALL_TIMES,
    limit: PAGE,
    budgetMs: BUDGET_MS,
  }
  for await (const texts of listPages((after) => log.list({ ...query, ...after }))) {
    const found = texts.map(recipientOf).find((recipient) => recipient.toLowerCase() === wanted)
    if (found !== undefined) return found
  }
  return undefined
}

/** All of them, a page at a time; one that has several events occurs several times. */
export async function* listRecipientsOfMessage(
  log: Pick<EventLog, 'listMessage'>,
  domain: LogDomain,
  messageId: string,
): AsyncGenerator<readonly string[]> {
  for await (const texts of listMessagePages(log, [domain], messageId)) yield texts.map(recipientOf)
}

function recipientOf(text: string): string {
  return (JSON.parse(text) as EmailEvent).recipient
}
