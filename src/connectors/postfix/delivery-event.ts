/** What one line about a recipient says, as fields of an event. */
import type { EventType } from '../../events/event.ts'
import { parseReply } from '../maillog/smtp-reply.ts'
import type { UntrustedRecord } from '../untrusted.ts'
import type { DeliveryWords } from './postfix-line.ts'

/** Put off without an attempt: the destination failed for other messages, or the transport is not to be used. */
const NOT_TRIED =
  /^(?:delivery temporarily suspended|mail transport unavailable|deferred transport|connection dropped by client request)/

/** The interface's code for trouble that is not the answer of a server. */
const CODE_INTERNAL = 400

const PROTOCOLS: Readonly<Record<string, string>> = { smtp: 'SMTP', lmtp: 'LMTP' }

/** Undefined for a status that says nothing about delivery, such as the outcome of a probe. */
export function typeOfDelivery({ status, text }: DeliveryWords): EventType | undefined {
  switch (status) {
    case 'sent':
      return 'Delivery'
    case 'bounced':
      return 'Bounce'
    case 'deferred':
      return NOT_TRIED.test(text) ? 'Delayed' : 'TransientFailure'
    // soft_bounce: would have bounced, and stays in the queue.
    case 'SOFTBOUNCE':
      return 'TransientFailure'
    default:
      return undefined
  }
}

export function deliveryFields(delivery: DeliveryWords, type: EventType, daemon: string): UntrustedRecord {
  const reply = findReply(delivery.text)
  const isTemporary = type === 'TransientFailure' || type === 'Delayed'
  return {
    type,
    recipient: delivery.recipient,
    // A permanent failure without an answer has no code: none was given.
    response_code: type === 'Delayed' ? CODE_INTERNAL : (reply?.code ?? (isTemporary ? CODE_INTERNAL : undefined)),
    response_enhanced_code: reply?.enhancedCode || delivery.enhancedCode,
    response_content: reply?.text ?? delivery.text,
    peer_name: peerName(delivery.relay),
    delivery_protocol: delivery.relay === 'none' ? undefined : PROTOCOLS[daemon],
  }
}

/** `host mx.example.org[192.0.2.1] said: 550 5.1.1 no (in reply to RCPT TO command)`; an accepted message has the answer alone. */
function findReply(text: string) {
  const [, quoted] =
    /^host \S+ (?:said|refused to talk to me): (.*?)(?: \(in reply to [^()]*(?:\([^()]*\))?[^()]*\))?$/s.exec(text) ??
    []
  return parseReply(quoted ?? text)
}

/** `mx.example.org[192.0.2.1]:25`; there is none in `none`, `local` and the like. */
function peerName(relay: string): string | undefined {
  return /^(\S+?)\[[^\]]*\](?::\d+)?$/.exec(relay)?.[1]
}
