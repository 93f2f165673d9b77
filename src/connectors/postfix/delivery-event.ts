/** The event fields of one line about a recipient. */
import type { EventType } from '../../events/event.ts'
import type { LeftOutReason } from '../maillog/left-out.ts'
import type { SendingExtension } from '../maillog/maillog.ts'
import { parseReply, responseCode } from '../maillog/smtp-reply.ts'
import type { UntrustedRecord } from '../shared/untrusted.ts'
import { isDiscardedByFilter } from './hand-over.ts'
import type { ParsedDelivery, PostfixLine } from './postfix-line.ts'

/** Deferred without an attempt: the destination failed for other messages, or the transport is not available. */
const NOT_TRIED =
  /^(?:delivery temporarily suspended|mail transport unavailable|deferred transport|connection dropped by client request)/

/** The syslog_name of an installation with one instance. */
const DEFAULT_INSTANCE = 'postfix'

const PROTOCOLS: Readonly<Record<string, string>> = { smtp: 'SMTP', lmtp: 'LMTP' }

/** The results of an address probe (verify(8), sendmail -bv). */
const PROBES = ['deliverable', 'undeliverable']

/** Undefined for an outcome of a message. */
export function whyNoEvent(delivery: ParsedDelivery, { daemon }: PostfixLine): LeftOutReason | undefined {
  if (daemon === 'discard' || isDiscardedByFilter(delivery)) return 'discarded'
  return PROBES.includes(delivery.status) ? 'probe' : undefined
}

/** Undefined for an unknown status. */
export function typeOfDelivery({ status, text }: ParsedDelivery): EventType | undefined {
  switch (status) {
    case 'sent':
      return 'Delivery'
    case 'bounced':
      return 'Bounce'
    case 'deferred':
      return NOT_TRIED.test(text) ? 'Delayed' : 'TransientFailure'
    // soft_bounce: would have bounced, but stays in the queue.
    case 'SOFTBOUNCE':
      return 'TransientFailure'
    default:
      return undefined
  }
}

export function deliveryFields(delivery: ParsedDelivery, type: EventType, daemon: string): UntrustedRecord {
  const reply = findReply(delivery.text)
  return {
    type,
    recipient: delivery.recipient,
    response_code: responseCode(type, reply),
    response_enhanced_code: reply?.enhancedCode || delivery.enhancedCode || undefined,
    response_content: reply?.text ?? delivery.text,
    peer_name: peerName(delivery.relay),
    delivery_protocol: delivery.relay === 'none' ? undefined : PROTOCOLS[daemon],
  }
}

/** The origins of one log have different names if instances have a syslog_name, or transports one of their own (master.cf). */
export function whereSent({ instance, service, daemon }: PostfixLine): SendingExtension {
  if (!Object.hasOwn(PROTOCOLS, daemon)) return {}
  const names = [instance === DEFAULT_INSTANCE ? '' : instance, service].filter((name) => name !== '')
  return names.length === 0 ? {} : { sending_source: names.join('/') }
}

/** `host mx.example.org[192.0.2.1] said: 550 5.1.1 no (in reply to RCPT TO command)`, or the reply alone if accepted. */
function findReply(text: string) {
  const [, quoted] =
    /^host \S+ (?:said|refused to talk to me): (.*?)(?: \(in reply to [^()]*(?:\([^()]*\))?[^()]*\))?$/s.exec(text) ??
    []
  return parseReply(quoted ?? text)
}

/** The host of `mx.example.org[192.0.2.1]:25`; `none`, `local` and the like have no host. */
function peerName(relay: string): string | undefined {
  return /^(\S+?)\[[^\]]*\](?::\d+)?$/.exec(relay)?.[1]
}
