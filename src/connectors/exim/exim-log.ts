/**
 * Exim's main log. Its lines begin with the id of the message: headers (logged by an ACL), the arrival, the outcome for
 * each recipient, and the completion.
 */
import { eventId } from '../maillog/event-id.ts'
import {
  attemptsOf,
  type FollowedMessage,
  giveId,
  type LogRecords,
  noteRecipient,
  toRecord,
} from '../maillog/followed-message.ts'
import { ID_HEADER } from '../maillog/given-id.ts'
import type { LogReader, LogReaderOptions } from '../maillog/log-reader.ts'
import type { MailLogRecord } from '../maillog/maillog.ts'
import { RememberedMap } from '../maillog/remembered-map.ts'
import type { UntrustedRecord } from '../shared/untrusted.ts'
import { type DeliveryFlag, deliveryFields, isAttempt, typeOfDelivery } from './delivery-event.ts'
import { type EximLine, isLineOfDaemon, parseEximLine, parseReception, parseRecipient } from './exim-line.ts'
import { unescapeSubject, unescapeText } from './exim-text.ts'
import { type ParsedDelivery, parseDeferral, parseDelivery, parseFailure } from './parse-delivery.ts'

interface SpooledMessage extends FollowedMessage {
  /** Whether its arrival line was read. */
  isReceived: boolean
  /** A bounce message of Exim itself about another message. */
  isReport: boolean
  /** Cutthrough deliveries, which are logged before the arrival. */
  early?: Outcome[]
}

interface Outcome {
  readonly recipient: string
  readonly isAttempt: boolean
  /** Event fields. */
  readonly fields: UntrustedRecord
}

/** Far above the longest interval between two lines about a queued message: an older one has lost its end. */
const FORGET_AFTER = 7 * 86_400
const MESSAGES_MAX = 500_000
/** Exim's own limit is 8192. */
const LINE_LENGTH_MAX = 16_384
const EARLY_MAX = 1000
/** As written by the ACL of docs/connectors/exim.md. */
const HEADER = new RegExp(`^(From|${ID_HEADER}): (.*)$`, 's')

export class EximLog implements LogReader {
  understoodCount = 0
  readonly #messages: RememberedMap<SpooledMessage>
  readonly #host: string

  constructor({ remembered, host }: LogReaderOptions) {
    this.#messages = new RememberedMap('message ', remembered)
    this.#host = host
  }

  read(text: string): readonly MailLogRecord[] {
    const line = parseEximLine(text.slice(0, LINE_LENGTH_MAX))
    if (line || isLineOfDaemon(text)) this.understoodCount += 1
    if (!line) return []
    this.#messages.forgetWhile((message, size) => message.lastTime < line.time - FORGET_AFTER || size > MESSAGES_MAX)
    return this.#readMessage(line).filter((record) => record !== undefined)
  }

  takeChanges() {
    return this.#messages.takeChanges()
  }

  #readMessage(line: EximLine): LogRecords {
    const { words } = line
    const rest = words.slice(3)
    switch (words.slice(0, 3)) {
      case '<= ':
      // Accepted, although the client was told otherwise (fakereject).
      case '(= ':
        return this.#receive(line, rest)
      case '=> ':
      case '-> ':
      case '>> ':
        return this.#readRecipient(line, '=>', rest)
      case '== ':
        return this.#readRecipient(line, '==', rest)
      case '** ':
        return this.#readRecipient(line, '**', rest)
      default:
        this.#readOther(line)
        return []
    }
  }

  #readOther(line: EximLine): void {
    const { words } = line
    const [start = '', header = '', value = ''] = HEADER.exec(words) ?? []
    if (start !== '') {
      const message = this.#find(line) ?? this.#begin(line, true)
      const text = unescapeText(value).replaceAll(/\s+/g, ' ').trim()
      if (header === ID_HEADER) giveId(message, text)
      else message.from ??= text
      this.#touch(line, message)
    } else if (words === 'Completed' || words.startsWith('Completed ')) this.#messages.delete(this.#keyOf(line))
    else if (/^rescind the above|\brejected\b/.test(words)) this.#discard(line)
  }

  /** The message was not accepted after all. */
  #discard(line: EximLine): void {
    const message = this.#find(line)
    if (message && (!message.isReceived || line.words.startsWith('rescind'))) this.#messages.delete(this.#keyOf(line))
  }

  #receive(line: EximLine, rest: string): LogRecords {
    const reception = parseReception(rest)
    if (!reception) return []
    const message = this.#find(line) ?? this.#begin(line, true)
    message.isReceived = true
    message.firstTime = line.time
    message.isReport = reception.reportOn !== undefined
    message.sender = reception.sender
    if (reception.protocol !== undefined) message.protocol = protocolName(reception.protocol)
    if (reception.size !== undefined) message.size = reception.size
    if (reception.subject !== undefined) message.subject = unescapeSubject(reception.subject)
    const { early = [] } = message
    delete message.early
    this.#touch(line, message)
    if (message.isReport) return []
    const receptions = reception.recipients.flatMap((recipient) => noteRecipient(message, recipient).records)
    return [...receptions, ...early.flatMap((outcome) => toRecords(message, outcome))]
  }

  #readRecipient(line: EximLine, flag: DeliveryFlag, words: string): LogRecords {
    const found = parseRecipient(words)
    const delivery = found && parseOutcome(flag, found.rest)
    if (!found || !delivery) return []
    const message = this.#find(line) ?? this.#begin(line, line.words.startsWith('>>'))
    if (delivery.sender !== undefined) message.sender ??= delivery.sender
    this.#touch(line, message)
    if (message.isReport) return []
    const outcome = outcomeOf(line, flag, found.recipient, delivery)
    if (message.isReceived || !message.isWhole) return toRecords(message, outcome)
    message.early ??= []
    if (message.early.length < EARLY_MAX) message.early.push(outcome)
    return []
  }

  #begin(line: EximLine, isWhole: boolean): SpooledMessage {
    const { time, messageId } = line
    const id = eventId('exim', line.host ?? this.#host, messageId)
    return { id, firstTime: time, lastTime: time, isWhole, isReceived: false, isReport: false, recipients: {} }
  }

  #find(line: EximLine): SpooledMessage | undefined {
    return this.#messages.get(this.#keyOf(line))
  }

  #touch(line: EximLine, message: SpooledMessage): void {
    message.lastTime = line.time
    this.#messages.set(this.#keyOf(line), message)
  }

  #keyOf({ host, messageId }: EximLine): string {
    return `${host ?? this.#host} ${messageId}`
  }
}

function toRecords(message: SpooledMessage, { recipient, isAttempt: counts, fields }: Outcome): LogRecords {
  const { state, records } = noteRecipient(message, recipient)
  if (counts) state.attempts += 1
  return [...records, toRecord(message, { ...fields, num_attempts: attemptsOf(message, state) })]
}

function outcomeOf(line: EximLine, flag: DeliveryFlag, recipient: string, delivery: ParsedDelivery): Outcome {
  const type = typeOfDelivery(flag, delivery)
  const fields = { timestamp: line.time, recipient, ...deliveryFields(delivery, type) }
  return { recipient, isAttempt: isAttempt(type, delivery), fields }
}

function parseOutcome(flag: DeliveryFlag, rest: string): ParsedDelivery | undefined {
  if (flag === '=>') return parseDelivery(rest)
  return flag === '==' ? parseDeferral(rest) : parseFailure(rest)
}

/** `esmtpsa` in upper case; names of other protocols, such as `local`, are left as they are. */
function protocolName(name: string): string {
  return /^e?smtp/.test(name) ? name.toUpperCase() : name
}
