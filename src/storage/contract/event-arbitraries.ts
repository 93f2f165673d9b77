/** Random events and filters from few domains, days, seconds and words, so that ties and matches are common. */
import fc from 'fast-check'
import { type EmailEvent, EVENT_TYPES } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import type { LogFilters, LogWindow } from '../../events/log/log-query.ts'

/** 2026-03-01T00:00:00Z. */
export const BASE_TIMESTAMP = 1_772_323_200
const DAY = 86_400

/** Words with a special meaning in SQL, LIKE, FTS5, JSON or Unicode, which must have none here. */
const WORDS = [
  'order',
  'ORDER',
  'Invoice',
  '%',
  '_',
  '\\',
  '"',
  "'",
  '*',
  'NEAR(',
  'a:b',
  'OR',
  '\0',
  '\n',
  '😀',
  'ß',
  'ẞ',
  'İ',
  'ΣΑΣ',
  'σας',
  'ﬁ',
  '{x}',
  '--',
  '日本語',
  '\u202e',
]

const word = fc.constantFrom(...WORDS)
const text = fc.array(word, { minLength: 0, maxLength: 4 }).map((words) => words.join(''))
const needle = fc.oneof(
  { weight: 3, arbitrary: fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => words.join('')) },
  { weight: 1, arbitrary: fc.constantFrom('o', 'rd', 'DER', '@', 'b.test', 'nothing matches this', 'x'.repeat(1000)) },
)

/** Around two midnights, with few distinct seconds. */
const timestamp = fc
  .tuple(fc.constantFrom(0, DAY, 2 * DAY), fc.constantFrom(-2, -1, 0, 1, 2, 3600))
  .map(([day, second]) => BASE_TIMESTAMP + DAY + day + second)

const event: fc.Arbitrary<EmailEvent> = fc
  .record(
    {
      id: fc.constantFrom('m1', 'm2', 'm3', 'm\u00e9"4'),
      timestamp,
      type: fc.constantFrom(...EVENT_TYPES),
      domain_name: fc.constant('a.test'),
      recipient: text.map((words) => `${words}u@b.test`),
      sender: text,
      from: text,
      subject: text,
      response_code: fc.constantFrom(250, 400, 451, 550),
      response_content: text,
      bounce_classification: fc.constantFrom('InvalidRecipient', ''),
      provider_name: fc.constantFrom('Google', 'Other\n'),
      num_attempts: fc.nat(3),
      size: fc.nat(3),
      service_message_id: text,
      campaign: fc.option(text),
    },
    { requiredKeys: ['id', 'timestamp', 'type', 'domain_name', 'recipient'] },
  )
  .map((record) => ({ ...record }) as EmailEvent)

/** Events of two domains, called 0 and 1; each run of a test replaces them by new numbers. */
export const attributedEvents: fc.Arbitrary<readonly AttributedEvent[]> = fc.array(
  fc.record({ domainNumber: fc.constantFrom(0, 1), event }, { noNullPrototype: true }),
  { minLength: 1, maxLength: 25 },
)

export const logWindow: fc.Arbitrary<LogWindow> = fc
  .option(fc.tuple(timestamp, timestamp), { freq: 2 })
  .map((times) => ({
    startTimestamp: times ? Math.min(...times) : BASE_TIMESTAMP - DAY,
    endTimestamp: times ? Math.max(...times) : BASE_TIMESTAMP + 10 * DAY,
  }))

const codeRange = fc
  .tuple(fc.constantFrom(0, 250, 400, 451, 500, 550), fc.constantFrom(250, 450, 451, 550, 599))
  .map(([from, to]) => ({ from: Math.min(from, to), to }))

export const logFilters: fc.Arbitrary<LogFilters> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        types: fc.subarray([...EVENT_TYPES], { minLength: 1 }),
        codes: fc.array(codeRange, { minLength: 1, maxLength: 3 }),
        providers: fc.subarray(['Google', 'Other\n', 'Nobody'], { minLength: 1 }),
        classifications: fc.subarray(['InvalidRecipient', 'x'], { minLength: 1 }),
        anyText: fc.oneof(needle, fc.constantFrom('m1', 'm\u00e9"4')),
        recipient: needle,
        sender: needle,
        from: needle,
        subject: needle,
        messageId: fc.constantFrom('m1', 'm2', 'no such'),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
)
