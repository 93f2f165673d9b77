/** The recipients of a message by its events in the log, as far as a report needs them and its budget allows. */
import type { Domain } from '../domains/domain.ts'
import type { EventLog } from '../events/log/event-log.ts'
import { findRecipientOfMessage, listRecipientsOfMessage } from '../events/log/message-recipients.ts'
import { lowerCase } from './reference.ts'
import type { TieBudget } from './tie-budget.ts'

export interface KnownRecipients {
  /** Keyed by their address in lower case. */
  readonly recipients: ReadonlyMap<string, string>
  /** Whether these are all recipients of the message. */
  readonly isComplete: boolean
}

export const NO_RECIPIENTS: KnownRecipients = { recipients: new Map(), isComplete: false }

/** All recipients if they are few; of a large mailing some, and those that the report names. */
export async function listKnownRecipients(
  log: Pick<EventLog, 'listMessage' | 'list'>,
  { number, name }: Domain,
  messageId: string,
  named: readonly string[],
  budget: TieBudget,
): Promise<KnownRecipients> {
  const recipients = new Map<string, string>()
  let isComplete = budget.has('events')
  for await (const page of isComplete ? listRecipientsOfMessage(log, { number, name }, messageId) : []) {
    const granted = budget.take('events', page.length)
    for (const recipient of page.slice(0, granted)) recipients.set(lowerCase(recipient), recipient)
    isComplete = granted === page.length
    if (!isComplete) break
  }
  if (isComplete) return { recipients, isComplete }
  const missing = named.filter((address) => !recipients.has(lowerCase(address)))
  for (const address of missing.slice(0, budget.take('lookups', missing.length))) {
    const found = await findRecipientOfMessage(log, { number, name }, messageId, address)
    if (found !== undefined) recipients.set(lowerCase(found), found)
  }
  return { recipients, isComplete }
}
