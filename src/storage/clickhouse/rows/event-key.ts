/**
 * The 64 bits by which a duplicate is recognised: a hash over everything that makes two events different. Keys are compared within
 * one domain and second only.
 *
 * Two different events with the same key would be taken for one, and the second would not be stored. With n events of a domain in one
 * second the probability is n² / 2^65: for 10,000 of them three in a million million. Somebody who looks for such a pair on purpose
 * needs about 2^32 attempts, and loses an event of their own domain.
 */
import { hash } from 'node:crypto'
import type { EmailEvent } from '../../../events/event.ts'

/** One for all: to make a buffer for every event takes as long as the hash itself. */
const digest = Buffer.alloc(32)

/**
 * Stored with every event: the text must stay the same in all versions. Lengths come first, so that no two events have the same text;
 * `circumstance` and `mailing` are members of JSON, with different names, and need none.
 */
export function eventKey(
  domain: number,
  typeNumber: number,
  event: EmailEvent,
  circumstance: string,
  mailing: string,
): bigint {
  const { id, recipient, sender, subject, response_content: content, service_message_id: serviceMessageId } = event
  const numbers = `${domain} ${event.timestamp} ${typeNumber} ${event.response_code ?? ''} ${event.size ?? ''}`
  const lengths = `${id.length} ${recipient.length} ${lengthOf(sender)} ${lengthOf(subject)} ${lengthOf(content)} ${lengthOf(serviceMessageId)}`
  const texts = `${id}${recipient}${sender ?? ''}${subject ?? ''}${content ?? ''}${serviceMessageId ?? ''}`
  digest.write(hash('sha256', `${numbers} ${lengths} ${texts}${circumstance}${mailing}`, 'binary'), 'binary')
  return digest.readBigUInt64LE(0)
}

function lengthOf(text: string | undefined): string {
  return text === undefined ? '' : String(text.length)
}
