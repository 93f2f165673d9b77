/** The event fields of one line about a recipient. */
import type { EventType } from '../../events/event.ts'
import { parseReply, responseCode } from '../maillog/smtp-reply.ts'
import { toldExtension } from '../shared/told-extension.ts'
import type { UntrustedRecord } from '../shared/untrusted.ts'
import type { ParsedDelivery } from './parse-delivery.ts'

/** Deferred without an attempt. Exim's error numbers for it differ between versions; its texts do not. */
const NOT_TRIED =
  /^(?:retry time not (?:yet )?reached|domain is held|domain is in queue_domains|remote deliveries suppressed|concurrency limit reached|connection limit reached|SMTP delivery explicitly queued|no host found for existing SMTP connection|first-pass only routing|reusing SMTP connection skips)/i

/** Given up without another attempt. */
const EXPIRED = /(?:^|: )retry timeout exceeded$/
const GIVEN_UP = /^(?:all hosts\b.* have been failing for a long time|delivery cancelled by administrator)/

export type DeliveryFlag = '=>' | '==' | '**'

export function typeOfDelivery(flag: DeliveryFlag, { text = '' }: ParsedDelivery): EventType {
  if (flag === '=>') return 'Delivery'
  if (flag === '**') return 'Bounce'
  return NOT_TRIED.test(text) ? 'Delayed' : 'TransientFailure'
}

export function isAttempt(type: EventType, { text = '' }: ParsedDelivery): boolean {
  if (type === 'Delayed') return false
  return type !== 'Bounce' || !(EXPIRED.test(text) || GIVEN_UP.test(text))
}

export function deliveryFields({ text, peerName, tls }: ParsedDelivery, type: EventType): UntrustedRecord {
  const isExpired = type === 'Bounce' && text !== undefined && EXPIRED.test(text)
  const reply = text === undefined || isExpired ? undefined : findReply(text)
  return {
    type,
    response_code: responseCode(type, reply),
    response_enhanced_code: reply?.enhancedCode || undefined,
    response_content: reply?.text ?? text,
    peer_name: peerName,
    tls_protocol_version: tls?.version,
    tls_cipher: tls?.cipher,
    bounce_classification: isExpired ? 'MessageExpired' : undefined,
  }
}

/**
 * Where it was sent from; a delivery to a local mailbox has no peer. Without a reply there may have been no connection: Exim
 * then logs the address of an earlier delivery of the same message (deliver.c).
 */
export function sendingOf({ peerName, localAddress, transport, text }: ParsedDelivery, type: EventType) {
  if (peerName === undefined) return {}
  const isReplied = type === 'Delivery' || (text !== undefined && findReply(text) !== undefined)
  const address = isReplied ? localAddress : undefined
  return toldExtension({ sending_address: address, sending_source: transport }).extension ?? {}
}

/** `SMTP error from remote mail server after RCPT TO:<…>: 550 …`; older versions name the host before the reply. */
const ERROR =
  /^(?:SMTP|LMTP|PRDR) error (?:from remote mail(?:er| server) )?after (?:pipelined )?(?:(?:RCPT TO|MAIL FROM):<.*?>[^:>]*|[^:]*): (?:host \S+ \[[^\]]*\]: )?(?=[2-5]\d\d)/s

/** For an accepted message, the text is the reply alone. */
function findReply(text: string) {
  const [prefix = ''] = ERROR.exec(text) ?? []
  return parseReply(text.slice(prefix.length))
}
