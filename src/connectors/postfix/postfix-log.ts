/**
 * Postfix's log: lines of many processes, correlated by queue id. They report the arrival of a message (smtpd, pickup,
 * cleanup), its activation (qmgr) and the outcome for each recipient (smtp and others).
 */

import {
  attemptsOf,
  giveId,
  type LogRecords,
  listWaiting,
  noteRecipient,
  type OutcomeRecords,
  toRecord,
} from '../maillog/followed-message.ts'
import { leftOut } from '../maillog/left-out.ts'
import type { LogReader, LogReaderOptions } from '../maillog/log-reader.ts'
import { notInFuture } from '../maillog/log-time.ts'
import type { MailLogRecord } from '../maillog/maillog.ts'
import { decodeHeaderText } from '../shared/header-text.ts'
import type { UntrustedRecord } from '../shared/untrusted.ts'
import { deliveryFields, typeOfDelivery, whereSent, whyNoEvent } from './delivery-event.ts'
import { isFromHere } from './hand-over.ts'
import { HandOvers } from './hand-overs.ts'
import {
  type LoggedHeader,
  type ParsedDelivery,
  type PostfixLine,
  parseDelivery,
  parseHeader,
  parsePostfixLine,
} from './postfix-line.ts'
import { beginMessage, continueMessage, isNotification, type QueuedMessage } from './queued-message.ts'
import { QueuedMessages } from './queued-messages.ts'
import { TlsConnections } from './tls-connections.ts'

/** Only compared, and kept for every message in the queue; Postfix logs up to 2000 characters of it. */
const MESSAGE_ID_LENGTH_MAX = 255

export class PostfixLog implements LogReader {
  understoodCount = 0
  readonly #messages: QueuedMessages
  readonly #handOvers: HandOvers
  readonly #connections: TlsConnections
  readonly #nowMs: () => number
  readonly #host: string

  constructor({ remembered, nowMs, host }: LogReaderOptions) {
    this.#messages = new QueuedMessages(remembered)
    this.#handOvers = new HandOvers(this.#messages)
    this.#connections = new TlsConnections(remembered)
    this.#nowMs = nowMs
    this.#host = host
  }

  read(text: string): readonly MailLogRecord[] {
    const nowMs = this.#nowMs()
    const line = parsePostfixLine(text, nowMs, this.#host)
    if (!line) return isDamagedOutcome(text) ? [leftOut('unreadable')] : []
    this.understoodCount += 1
    const time = notInFuture(line.time, nowMs)
    this.#messages.forgetBefore(time)
    this.#connections.forgetBefore(time)
    if (line.queueId === undefined) this.#connections.read(line)
    const records = line.queueId === undefined ? [] : this.#readMessage(line)
    return records.length === 0 && isDamagedOutcome(text) ? [leftOut('unreadable')] : records
  }

  takeChanges() {
    return [...this.#messages.takeChanges(), ...this.#connections.takeChanges()]
  }

  #readMessage(line: PostfixLine): LogRecords {
    const delivery = parseDelivery(line.words)
    if (delivery) return this.#readDelivery(line, delivery)
    if (/^from=<.*, status=/s.test(line.words)) return this.#expire(line)
    switch (line.daemon) {
      case 'smtpd':
      case 'pickup':
        this.#begin(line)
        return []
      case 'cleanup':
        this.#readCleanup(line)
        return []
      case 'qmgr':
        return this.#readQueueManager(line)
      default:
        // Deleted by an administrator (postsuper -d).
        if (line.words === 'removed') this.#messages.delete(line)
        return []
    }
  }

  /** `client=` of smtpd or `uid=` of pickup: a new message, or one that returns from a filter or was requeued. */
  #begin(line: PostfixLine): void {
    if (!/^(?:client|uid)=/.test(line.words)) return
    const [, filteredId] = /, orig_queue_id=(\w+)/.exec(line.words) ?? []
    const [, requeuedId] = /^uid=.* orig_id=(\w+)$/.exec(line.words) ?? []
    const message =
      this.#handOvers.findFiltered(line, filteredId) ??
      this.#takeOver(line, requeuedId) ??
      this.#handOvers.findExpected(line) ??
      beginMessage(line, true)
    if (isFromHere(line.words)) message.isFromHere = true
    const [, submitter] = /^uid=\d+ from=<(.*?)>/.exec(line.words) ?? []
    if (submitter !== undefined) message.submitter ??= submitter
    this.#messages.set(line, message)
  }

  /** Requeued with postsuper -r: the old queue file is gone. */
  #takeOver(line: PostfixLine, originId: string | undefined): QueuedMessage | undefined {
    const place = { ...line, queueId: originId }
    const origin = originId === undefined ? undefined : this.#messages.get(place)
    if (origin) this.#messages.delete(place)
    return origin && { ...continueMessage(origin, line), recipients: origin.recipients }
  }

  #find(line: PostfixLine): QueuedMessage | undefined {
    return this.#messages.get(line) ?? this.#handOvers.findExpected(line)
  }

  #readCleanup(line: PostfixLine): void {
    // Rejected by a filter after its queue file was created.
    if (/^(?:milter-)?(?:reject|discard): /.test(line.words)) this.#messages.delete(line)
    const [, wholeId] = /^message-id=<?(.*?)>?$/.exec(line.words) ?? []
    const messageId = wholeId?.slice(0, MESSAGE_ID_LENGTH_MAX)
    const header = parseHeader(line.words)
    if (messageId === undefined && !header) return
    const known = this.#find(line)
    // Without an earlier line of smtpd or pickup, the message was generated by Postfix itself.
    const isOther = messageId !== undefined && known?.messageId !== undefined && known.messageId !== messageId
    const message = known && !isOther ? known : beginMessage(line, messageId !== undefined)
    if (messageId !== undefined) message.messageId = messageId
    if (header) learnHeader(message, header)
    this.#touch(line, message)
  }

  #readQueueManager(line: PostfixLine): LogRecords {
    const { words } = line
    if (words === 'removed') {
      this.#messages.leave(line, line.time)
      return []
    }
    const [, sender, size] = /^from=<(.*)>, size=(\d+), nrcpt=\d+/.exec(words) ?? []
    if (sender === undefined) return []
    const message = this.#find(line) ?? beginMessage(line, false)
    message.sender ??= sender
    message.size ??= Number(size)
    message.activeTime = line.time
    this.#touch(line, message)
    return []
  }

  /** `status=expired, returned to sender`: all recipients still waiting have failed permanently. */
  #expire(line: PostfixLine): OutcomeRecords {
    const [, status] = /, status=((?:force-)?expired, returned to sender)$/.exec(line.words) ?? []
    if (status === undefined) return [leftOut('unreadable')]
    const message = this.#find(line)
    if (!message) return [leftOut('recipients_not_logged')]
    this.#touch(line, message)
    if (isNotification(message)) return [leftOut('notification')]
    const records = listWaiting(message).map(({ recipient, state }) => {
      state.isDone = true
      return toRecord(message, {
        type: 'Bounce',
        timestamp: line.time,
        recipient,
        response_content: status,
        bounce_classification: 'MessageExpired',
        num_attempts: attemptsOf(message, state),
      })
    })
    const last = records.at(-1)
    return last ? [...records.slice(0, -1), last] : [leftOut('recipients_not_logged')]
  }

  #readDelivery(line: PostfixLine, delivery: ParsedDelivery): OutcomeRecords {
    const reason = whyNoEvent(delivery, line)
    if (reason !== undefined) return [leftOut(reason)]
    const type = typeOfDelivery(delivery)
    if (type === undefined) return [leftOut('unreadable')]
    const message = this.#find(line) ?? beginMessage(line, false)
    if (message.submitter !== undefined) message.sender ??= message.submitter
    const tls = this.#connections.find(line, delivery.relay, message)
    const next = this.#handOvers.findNext(line, delivery, message)
    const { state, records } = noteRecipient(message, delivery.recipient)
    if (type !== 'Delayed') state.attempts += 1
    state.isDone = type === 'Delivery' || type === 'Bounce'
    this.#touch(line, message)
    if (isNotification(message)) return [leftOut('notification')]
    if (next) {
      const isFirst = this.#handOvers.noteReception(next, delivery.recipient, state.attempts - 1)
      return [...(isFirst ? records : []), leftOut(next.reason)]
    }
    const fields: UntrustedRecord = {
      timestamp: line.time,
      ...deliveryFields(delivery, type, line.daemon),
      num_attempts: attemptsOf(message, state),
      tls_protocol_version: tls?.version,
      tls_cipher: tls?.cipher,
    }
    return [...records, toRecord(message, fields, whereSent(line))]
  }

  #touch(line: PostfixLine, message: QueuedMessage): void {
    message.lastTime = line.time
    this.#messages.set(line, message)
  }
}

function learnHeader(message: QueuedMessage, { name, value, isExact, protocol }: LoggedHeader): void {
  if (name === 'from') message.from ??= value
  else if (name === 'subject') message.subject ??= decodeHeaderText(value).trim()
  // A truncated id would be a different id.
  else if (isExact) giveId(message, value)
  if (protocol !== undefined) message.protocol ??= protocol
}

/** A line with an outcome whose beginning is damaged, or missing like the end of the line before it. */
function isDamagedOutcome(text: string): boolean {
  const status = text.lastIndexOf(', status=')
  const address = status === -1 ? -1 : text.search(/: (?:to|from)=</)
  // The text of a header is the sender's.
  return address !== -1 && address < status && !text.slice(0, address).includes('header ')
}
