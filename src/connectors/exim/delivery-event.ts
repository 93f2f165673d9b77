/** What one line about a recipient says, as fields of an event. */
import type { EventType } from '../../events/event.ts'
import { parseReply } from '../maillog/smtp-reply.ts'
import type { UntrustedRecord } from '../untrusted.ts'
import type { DeliveryWords } from './delivery-words.ts'

/** Put off without an attempt. Exim's numbers for it differ between versions; its words do not. */
const NOT_TRIED =
  /^(?:retry time not (?:yet )?reached|domain is held|domain is in queue_domains|remote deliveries suppressed|concurrency limit reached|connection limit reached|SMTP delivery explicitly queued|no host found for existing SMTP connection|first-pass only routing|reusing SMTP connection skips)/i

/** Given up without another attempt. */
const EXPIRED = /(?:^|: )retry timeout exceeded$/
const GIVEN_UP = /^(?:all hosts\b.* have been failing for a long time|delivery cancelled by administrator)/

/** The interface's code for trouble that is not the answer of a server. */
const CODE_INTERNAL = 400

export type DeliveryFlag = '=>' | '==' | '**'

export function typeOfDelivery(flag: DeliveryFlag, { text = '' }: DeliveryWords): EventType {
  if (flag === '=>') return 'Delivery'
  if (flag === '**') return 'Bounce'
  return NOT_TRIED.test(text) ? 'Delayed' : 'TransientFailure'
}

export function isAttempt(type: EventType, { text = '' }: DeliveryWords): boolean {
  if (type === 'Delayed') return false
  return type !== 'Bounce' || !(EXPIRED.test(text) || GIVEN_UP.test(text))
}

export function deliveryFields(delivery: DeliveryWords, type: EventType): UntrustedRecord {
  const { text, peerName, tls } = delivery
  const isExpired = type === 'Bounce' && text !== undefined && EXPIRED.test(text)
  const reply = text === undefined || isExpired ? undefined : findReply(text)
  const isTemporary = type === 'TransientFailure' || type === 'Delayed'
  return {
    type,
    // A permanent failure without an answer has no code: none was given.
    response_code: type === 'Delayed' ? CODE_INTERNAL : (reply?.code ?? (isTemporary ? CODE_INTERNAL : undefined)),
    response_enhanced_code: reply?.enhancedCode || undefined,
    response_content: reply?.text ?? text,
    peer_name: peerName,
    tls_protocol_version: tls?.version,
    tls_cipher: tls?.cipher,
    bounce_classification: isExpired ? 'MessageExpired' : undefined,
  }
}

/** `SMTP error from remote mail server after RCPT TO:<…>: 550 …`; older versions name the host before the answer. */
const ERROR =
  /^(?:SMTP|LMTP|PRDR) error (?:from remote mail(?:er| server) )?after (?:pipelined )?(?:(?:RCPT TO|MAIL FROM):<.*?>[^:]*|[^:]*): (?:host \S+ \[[^\]]*\]: )?(?=[2-5]\d\d)/s

/** An accepted message has the answer alone. */
function findReply(text: string) {
  const [words = ''] = ERROR.exec(text) ?? []
  return parseReply(text.slice(words.length))
}
