/** Compares a log with what the hosts of a mail network did: every recipient, every attempt, the exact replies. */
import assert from 'node:assert/strict'
import type { EmailEvent } from '../../../src/events/event.ts'
import type { SinkRecord } from './smtp-sink.ts'

export interface SentLetter {
  /** The id that the sending program chose; absent if the mail server chooses it. */
  readonly id?: string
  readonly sender: string
  readonly from: string
  readonly subject: string
  readonly recipients: readonly string[]
}

const ATTEMPT_TYPES = ['Delivery', 'TransientFailure', 'Bounce', 'Delayed']

/** Undefined when every recipient has a final result, except those whose hosts never answer. */
export function findUnfinished(letters: readonly SentLetter[], events: readonly EmailEvent[]): string | undefined {
  const finished = new Set(
    events.filter(({ type }) => type === 'Delivery' || type === 'Bounce').map(({ recipient }) => recipient),
  )
  const tried = new Set(events.filter(({ type }) => type === 'TransientFailure').map(({ recipient }) => recipient))
  const recipients = letters.flatMap((letter) => letter.recipients)
  const open = recipients.filter((recipient) => !(isHopeless(recipient) ? tried : finished).has(recipient))
  return open.length === 0 ? undefined : `no end yet for ${open.join(', ')}`
}

export interface OutcomeOptions {
  /** False if the mail server does not log the encryption. */
  readonly logsTls?: (record: SinkRecord) => boolean
  /** The part of a cipher's name that all libraries have in common. */
  readonly cipherName?: (name: string) => string
}

/** Every recipient is written to once, so that its address identifies its events. */
export function assertOutcome(
  letters: readonly SentLetter[],
  records: readonly SinkRecord[],
  events: readonly EmailEvent[],
  options: OutcomeOptions = {},
): void {
  const recipients = letters.flatMap((letter) => letter.recipients)
  assert.deepEqual([...new Set(events.map(({ recipient }) => recipient))].sort(), recipients.toSorted())
  const ids = new Set<string>()
  for (const letter of letters) {
    const ofLetter = events.filter(({ recipient }) => letter.recipients.includes(recipient))
    assert.equal(new Set(ofLetter.map(({ id }) => id)).size, 1, `one id for ${letter.subject}`)
    for (const { id } of ofLetter) ids.add(id)
    for (const event of ofLetter) {
      if (letter.id !== undefined) assert.equal(event.id, letter.id)
      assert.equal(event.sender, letter.sender)
      assert.equal(event.from, letter.from)
      assert.equal(event.subject, letter.subject)
    }
    for (const recipient of letter.recipients) {
      assertRecipient(
        recipient,
        records.filter((record) => record.recipient === recipient),
        ofLetter.filter((event) => event.recipient === recipient),
        options,
      )
    }
  }
  assert.equal(ids.size, letters.length)
}

function assertRecipient(
  recipient: string,
  records: readonly SinkRecord[],
  events: readonly EmailEvent[],
  { logsTls = () => true, cipherName = (name) => name }: OutcomeOptions,
): void {
  assert.equal(events.filter(({ type }) => type === 'Reception').length, 1, `one Reception of ${recipient}`)
  const attempts = events
    .filter(({ type }) => ATTEMPT_TYPES.includes(type))
    .toSorted((a, b) => (a.num_attempts ?? 0) - (b.num_attempts ?? 0) || a.timestamp - b.timestamp)
  // One event for each attempt: none missing, none twice.
  assert.deepEqual(
    attempts.filter(({ type }) => type !== 'Delayed').map((event) => event.num_attempts),
    attempts.filter(({ type }) => type !== 'Delayed').map((_, index) => index + 1),
    recipient,
  )
  const logged = attempts.filter(({ type }) => type !== 'Delayed').map((event) => summarize(event, cipherName))
  if (records.length > 0) {
    const done = records.map((record) =>
      summarizeRecord(logsTls(record) ? record : { ...record, tls: undefined }, cipherName),
    )
    assert.deepEqual(logged, done, recipient)
  } else for (const summary of logged) assert.deepEqual(summary, summarizeHopeless(recipient, summary), recipient)
}

interface Summary {
  readonly type: string
  readonly code: number | undefined
  readonly text: string | undefined
  readonly tls: string
}

function summarize(event: EmailEvent, cipherName: (name: string) => string): Summary {
  const { type, response_code: code, response_content: text, tls_protocol_version: version, tls_cipher: cipher } = event
  // For attempts without an answer, the text is the sending server's own.
  return {
    type,
    code,
    text: code === undefined || code === 400 ? undefined : text,
    tls: version ? `${version} ${cipherName(cipher ?? '')}` : '',
  }
}

function summarizeRecord({ code, text, tls }: SinkRecord, cipherName: (name: string) => string): Summary {
  const type = code >= 500 ? 'Bounce' : code >= 400 || code === 0 ? 'TransientFailure' : 'Delivery'
  return {
    type,
    code: code || 400,
    text: code === 0 ? undefined : text,
    tls: tls ? `${tls.version} ${cipherName(tls.cipher)}` : '',
  }
}

/** Hosts that record nothing. */
function summarizeHopeless(recipient: string, { tls }: Summary): Summary {
  const [, domain = ''] = recipient.split('@')
  switch (domain) {
    case 'nowhere.example':
      return { type: 'Bounce', code: undefined, text: undefined, tls }
    case 'hello.example':
      return { type: 'TransientFailure', code: 421, text: 'not now, try later', tls }
    default:
      return { type: 'TransientFailure', code: 400, text: undefined, tls }
  }
}

function isHopeless(recipient: string): boolean {
  return /@(?:hello|down|broken)\.example$/.test(recipient)
}
