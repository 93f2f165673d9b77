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
import { type LeftOutReason, leftOut } from '../maillog/left-out.ts'
import type { LogReader, LogReaderOptions } from '../maillog/log-reader.ts'
import { notInFuture } from '../maillog/log-time.ts'
import type { MailLogRecord, SendingExtension } from '../maillog/maillog.ts'
import { RememberedMap } from '../maillog/remembered-map.ts'
import type { UntrustedRecord } from '../shared/untrusted.ts'
import { type DeliveryFlag, deliveryFields, isAttempt, sendingOf, typeOfDelivery } from './delivery-event.ts'
import {
  type EximLine,
  isLineOfDaemon,
  parseEximLine,
  parseReception,
  parseRecipient,
  whyNotDelivered,
} from './exim-line.ts'
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
  readonly sending: SendingExtension
}

/** Far above the longest interval between two lines about a queued message: an older one has lost its end. */
const FORGET_AFTER = 7 * 86_400
const MESSAGES_MAX = 500_000
const EARLY_MAX = 1000
/** As written by the ACL of docs/connectors/exim.md. */
const HEADER = new RegExp(`^(From|${ID_HEADER}): (.*)$`, 's')

export class EximLog implements LogReader {
  understoodCount = 0
  readonly #messages: RememberedMap<SpooledMessage>
  readonly #host: string
  readonly #nowMs: () => number

  constructor({ remembered, host, nowMs }: LogReaderOptions) {
    this.#messages = new RememberedMap('message ', remembered)
    this.#host = host
    this.#nowMs = nowMs
  }

  read(text: string): readonly MailLogRecord[] {
    const nowMs = this.#nowMs()
    const line = parseEximLine(text, nowMs)
    if (line || isLineOfDaemon(text, nowMs)) this.understoodCount += 1
    if (!line) return []
    const time = notInFuture(line.time, nowMs)
    const lost = this.#forget((message, size) => message.lastTime < time - FORGET_AFTER || size > MESSAGES_MAX)
    const records = this.#readMessage(line)
    return lost.length === 0 ? records : [...lost, ...records]
  }

  /** Outcomes whose arrival line never came. */
  finish(): readonly MailLogRecord[] {
    const waiting = this.#messages.list().filter((message) => message.early !== undefined)
    return waiting.flatMap((message) => withoutEarly(message, 'sender_not_logged'))
  }

  #forget(isOld: (message: SpooledMessage, size: number) => boolean): LogRecords {
    const lost: MailLogRecord[] = []
    this.#messages.forgetWhile((message, size) => {
      if (!isOld(message, size)) return false
      if (message.early) lost.push(...withoutEarly(message, 'sender_not_logged'))
      return true
    })
    return lost
  }

  takeChanges() {
    return this.#messages.takeChanges()
  }

  #readMessage(line: EximLine): LogRecords {
    const { words } = line
    const rest = words.slice(3)
    // A line may be cut off after the flag.
    switch (words.slice(0, 3).padEnd(3)) {
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
      // Delivery was only simulated (-N).
      case '*> ':
        return [leftOut('discarded')]
      default:
        return this.#readOther(line)
    }
  }

  #readOther(line: EximLine): LogRecords {
    const { words } = line
    const [start = '', header = '', value = ''] = HEADER.exec(words) ?? []
    if (start !== '') {
      const message = this.#find(line) ?? this.#begin(line, true)
      const text = unescapeText(value).replaceAll(/\s+/g, ' ').trim()
      if (header === ID_HEADER) giveId(message, text)
      else message.from ??= text
      this.#touch(line, message)
    } else if (words === 'Completed' || words.startsWith('Completed ')) return this.#complete(line)
    else if (/^rescind the above|\brejected\b/.test(words)) return this.#discard(line)
    return []
  }

  #complete(line: EximLine): LogRecords {
    const message = this.#find(line)
    this.#messages.delete(this.#keyOf(line))
    return message ? withoutEarly(message, 'sender_not_logged') : []
  }

  /** The message was not accepted after all. */
  #discard(line: EximLine): LogRecords {
    const message = this.#find(line)
    if (!message || (message.isReceived && !line.words.startsWith('rescind'))) return []
    this.#messages.delete(this.#keyOf(line))
    return withoutEarly(message, 'not_an_outcome')
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
    if (message.isReport) return early.map(() => leftOut('notification'))
    const receptions = reception.recipients.flatMap((recipient) => noteRecipient(message, recipient).records)
    return [...receptions, ...early.flatMap((outcome) => toRecords(message, outcome))]
  }

  #readRecipient(line: EximLine, flag: DeliveryFlag, words: string): LogRecords {
    const reason = whyNotDelivered(words)
    if (reason !== undefined) return [leftOut(reason)]
    const found = parseRecipient(words)
    const delivery = found && parseOutcome(flag, found.rest)
    if (!found || !delivery) return [leftOut('unreadable')]
    const message = this.#find(line) ?? this.#begin(line, line.words.startsWith('>>'))
    if (delivery.sender !== undefined) message.sender ??= delivery.sender
    this.#touch(line, message)
    if (message.isReport) return [leftOut('notification')]
    const outcome = outcomeOf(line, flag, found.recipient, delivery)
    if (message.isReceived || !message.isWhole) return toRecords(message, outcome)
    message.early ??= []
    if (message.early.length >= EARLY_MAX) return [leftOut('sender_not_logged')]
    message.early.push(outcome)
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

function toRecords(message: SpooledMessage, { recipient, isAttempt: counts, fields, sending }: Outcome): LogRecords {
  const { state, records } = noteRecipient(message, recipient)
  if (counts) state.attempts += 1
  return [...records, toRecord(message, { ...fields, num_attempts: attemptsOf(message, state) }, sending)]
}

/** Why its waiting outcomes do not become events. */
function withoutEarly(message: SpooledMessage, reason: LeftOutReason): LogRecords {
  const { early = [] } = message
  delete message.early
  return early.map(() => leftOut(reason))
}

function outcomeOf(line: EximLine, flag: DeliveryFlag, recipient: string, delivery: ParsedDelivery): Outcome {
  const type = typeOfDelivery(flag, delivery)
  const fields = { timestamp: line.time, recipient, ...deliveryFields(delivery, type) }
  return { recipient, isAttempt: isAttempt(type, delivery), fields, sending: sendingOf(delivery, type) }
}

function parseOutcome(flag: DeliveryFlag, rest: string): ParsedDelivery | undefined {
  if (flag === '=>') return parseDelivery(rest)
  return flag === '==' ? parseDeferral(rest) : parseFailure(rest)
}

/** `esmtpsa` in upper case; names of other protocols, such as `local`, are left as they are. */
function protocolName(name: string): string {
  return /^e?smtp/.test(name) ? name.toUpperCase() : name
}
