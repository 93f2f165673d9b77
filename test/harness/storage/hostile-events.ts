/** Random events whose texts are treated in a way of its own by some format, protocol or database. */
import fc from 'fast-check'
import { type EmailEvent, EVENT_TYPES, type EventExtension } from '../../../src/events/event.ts'
import type { AttributedEvent } from '../../../src/events/log/event-log.ts'
import { codePoint } from '../code-point.ts'

/** Any text, and texts that some format treats in its own way. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: codePoint, maxLength: 60 }),
  fc.constantFrom(
    '',
    '\0',
    '\t\n\r',
    '\\',
    '\\N',
    "'",
    '"',
    '\x7f',
    '\u2028',
    '😀'.repeat(50),
    'é'.repeat(43),
    'x'.repeat(65_536),
  ),
  fc.constantFrom('\uFFFF', 'Ä', '\\'.repeat(200), '"\n'.repeat(5000), '日'.repeat(20_000)),
)
const wellFormed = text.map((any) => any.toWellFormed())

const EXTENSION_TEXT = fc.constantFrom('192.0.2.1', 'mta "1"', 'ä\\', '日本')

/** Of the domain that random events call 0. */
export const hostileEvent: fc.Arbitrary<AttributedEvent> = fc
  .record({
    event: fc.record(
      {
        id: wellFormed,
        timestamp: fc.integer({ min: 1_772_323_200, max: 1_772_409_599 }),
        type: fc.constantFrom(...EVENT_TYPES),
        domain_name: fc.constant('a.test'),
        recipient: wellFormed,
        sender: wellFormed,
        from: wellFormed,
        subject: wellFormed,
        response_code: fc.integer({ min: 0, max: 999 }),
        response_content: wellFormed,
        response_enhanced_code: wellFormed,
        provider_name: wellFormed,
        peer_name: wellFormed,
        bounce_classification: wellFormed,
        num_attempts: fc.nat(2_147_483_647),
        size: fc.maxSafeNat(),
        service_message_id: wellFormed,
        direction: wellFormed,
        campaign: fc.option(wellFormed),
        reception_protocol: wellFormed,
        delivery_protocol: wellFormed,
        tls_protocol_version: wellFormed,
        tls_cipher: wellFormed,
      },
      { requiredKeys: ['id', 'timestamp', 'type', 'domain_name', 'recipient'], noNullPrototype: true },
    ),
    extension: fc.record(
      {
        url: wellFormed,
        machine: fc.constantFrom('head', 'prefetch'),
        sending_address: EXTENSION_TEXT,
        sending_source: EXTENSION_TEXT,
        sending_pool: EXTENSION_TEXT,
        next_attempt: fc.nat(30 * 86_400),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  })
  .map(({ event, extension }) => ({
    domainNumber: 0,
    event: event as EmailEvent,
    extension: withTime(extension as EventExtension, event.timestamp),
  }))

function withTime({ next_attempt: after, ...rest }: EventExtension, timestamp: number): EventExtension {
  return after === undefined ? rest : { ...rest, next_attempt: timestamp + after }
}
