/** Random events and filters from few domains, days, seconds and words, so that ties and matches are common. */
import fc from 'fast-check'
import { type EmailEvent, EVENT_TYPES, type EventExtension } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import type { LogExclusions, LogFilters, LogWindow, TextFilter } from '../../events/log/log-query.ts'
import { maskReply } from '../../events/replies/mask-reply.ts'

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

/** Texts of which several have the same mask, and words that a search for a mask must not take for something else. */
const REPLIES = [
  '550 5.1.1 <u1@b.test>: User unknown',
  '550 5.1.1  <u2@b.test>:\r\nUser unknown ',
  '550 5.1.1 <u2@b.test>: user unknown',
  'User unknown: 550 5.1.1 <u3@b.test>',
  'queued as 4XyZ9k2',
  'queued as 0A1B2C3',
  '12345',
  '67 89',
  `it's 100% "_\\_" \0 of 9`,
  `it's 7% "_\\_" \0 of 12`,
  '日本語 😀 x1y',
  `${'long '.repeat(100)}17`,
  `${'long '.repeat(100)}18 other`,
]
const reply = fc.oneof(fc.constantFrom(...REPLIES), text)
const masks = fc.array(
  fc
    .oneof({ weight: 4, arbitrary: reply.map(maskReply) }, { weight: 1, arbitrary: fc.constantFrom('*', 'no such') })
    .filter((mask) => mask !== ''),
  { minLength: 1, maxLength: 2 },
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
      response_content: reply,
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

/** What mail servers report beyond the fields of the interface; `next_attempt` in seconds after the event. */
const extension: fc.Arbitrary<EventExtension> = fc.record(
  {
    sending_address: fc.constantFrom('192.0.2.1', '192.0.2.2', '2001:db8::1'),
    sending_source: fc.constantFrom('mta "1"', 'ä'),
    sending_pool: fc.constantFrom('bulk', 'mta "1"'),
    next_attempt: fc.constantFrom(0, 1, 86_400),
  },
  { requiredKeys: [], noNullPrototype: true },
)

const told = fc.tuple(event, fc.option(extension, { nil: undefined })).map(([told, own]) => {
  if (own?.next_attempt === undefined) return { event: told, ...(own && { extension: own }) }
  return { event: told, extension: { ...own, next_attempt: told.timestamp + own.next_attempt } }
})

/** Events of two domains, called 0 and 1; each run of a test replaces them by new numbers. */
export const attributedEvents: fc.Arbitrary<readonly AttributedEvent[]> = fc.array(
  fc.tuple(fc.constantFrom(0, 1), told).map(([domainNumber, event]) => ({ domainNumber, ...event })),
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

export const sendingFilters = {
  sendingAddresses: fc.subarray(['192.0.2.1', '192.0.2.9', '2001:db8::1'], { minLength: 1 }),
  sendingSources: fc.subarray(['mta "1"', 'ä'], { minLength: 1 }),
  sendingPools: fc.subarray(['bulk', 'mta "1"'], { minLength: 1 }),
}

const textFilter: fc.Arbitrary<TextFilter> = fc
  .record(
    {
      text: needle,
      fields: fc.subarray(['recipient', 'sender', 'from', 'subject'] as const, { minLength: 1 }),
      ids: fc.subarray(['m1', 'm\u00e9"4', 'no such'], { minLength: 1 }),
    },
    { requiredKeys: ['text', 'fields'], noNullPrototype: true },
  )
  .map((filter) => ({ ...filter }))
const texts = fc.array(textFilter, { minLength: 1, maxLength: 3 })
const answers = fc.array(needle, { minLength: 1, maxLength: 2 })

/** One or two kinds of them: with all of them, nothing would be left. */
const exclusions: fc.Arbitrary<LogExclusions> = fc
  .tuple(
    fc.record({
      types: fc.subarray([...EVENT_TYPES], { minLength: 1 }),
      codes: fc.array(codeRange, { minLength: 1, maxLength: 2 }),
      providers: fc.subarray(['Google', 'Other\n'], { minLength: 1 }),
      classifications: fc.subarray(['InvalidRecipient', 'x'], { minLength: 1 }),
      texts,
      answers,
      replies: masks,
      ...sendingFilters,
    }),
    fc.nat(),
    fc.nat(),
  )
  .map(([all, ...indexes]) => {
    const given = Object.entries(all)
    return Object.fromEntries(indexes.flatMap((index) => given.slice(index % given.length, (index % given.length) + 1)))
  })

export const logFilters: fc.Arbitrary<LogFilters> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  {
    weight: 3,
    arbitrary: fc.record(
      { texts, answers, replies: masks, without: exclusions },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
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
        texts,
        replies: masks,
        without: exclusions,
        messageId: fc.constantFrom('m1', 'm2', 'no such'),
        ...sendingFilters,
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
)
