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
  toRecord,
} from '../maillog/followed-message.ts'
import type { LogReader, LogReaderOptions } from '../maillog/log-reader.ts'
import type { MailLogRecord } from '../maillog/maillog.ts'
import { RememberedMap } from '../maillog/remembered-map.ts'
import { decodeHeaderText } from '../shared/header-text.ts'
import type { UntrustedRecord } from '../shared/untrusted.ts'
import { deliveryFields, typeOfDelivery } from './delivery-event.ts'
import {
  type LoggedHeader,
  type LoggedTls,
  type ParsedDelivery,
  type PostfixLine,
  parseDelivery,
  parseHeader,
  parsePostfixLine,
  parseTls,
} from './postfix-line.ts'
import { beginMessage, continueMessage, isNotification, type QueuedMessage } from './queued-message.ts'

/** The last TLS connection of a process, and the message that was sent over it. */
interface TlsConnection extends LoggedTls {
  readonly queueId?: string
  readonly time: number
}

/** Far above the longest interval between two attempts (maximal_backoff_time): an older message has lost its end. */
const FORGET_MESSAGE_AFTER = 3 * 86_400
const FORGET_CONNECTION_AFTER = 3600
const MESSAGES_MAX = 500_000
/** Postfix's own limit is 2000. */
const LINE_LENGTH_MAX = 8192

export class PostfixLog implements LogReader {
  understoodCount = 0
  readonly #messages: RememberedMap<QueuedMessage>
  readonly #connections: RememberedMap<TlsConnection>
  readonly #nowMs: () => number

  constructor({ remembered, nowMs }: LogReaderOptions) {
    this.#messages = new RememberedMap('message ', remembered)
    this.#connections = new RememberedMap('tls ', remembered)
    this.#nowMs = nowMs
  }

  read(text: string): readonly MailLogRecord[] {
    const line = parsePostfixLine(text.slice(0, LINE_LENGTH_MAX), this.#nowMs())
    if (!line) return []
    this.understoodCount += 1
    this.#messages.forgetWhile(
      (message, size) => message.lastTime < line.time - FORGET_MESSAGE_AFTER || size > MESSAGES_MAX,
    )
    this.#connections.forgetWhile((connection) => connection.time < line.time - FORGET_CONNECTION_AFTER)
    const records = line.queueId === undefined ? this.#readConnection(line) : this.#readMessage(line)
    return records.filter((record) => record !== undefined)
  }

  takeChanges() {
    return [...this.#messages.takeChanges(), ...this.#connections.takeChanges()]
  }

  /** TLS is logged when the connection is made, without a queue id. */
  #readConnection(line: PostfixLine): readonly [] {
    const tls = parseTls(line.words)
    if (tls) this.#connections.set(processOf(line), { ...tls, time: line.time })
    return []
  }

  #readMessage(line: PostfixLine): LogRecords {
    const delivery = parseDelivery(line.words)
    if (delivery) return this.#readDelivery(line, delivery)
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
        if (line.words === 'removed') this.#messages.delete(keyOf(line))
        return []
    }
  }

  /** `client=` of smtpd or `uid=` of pickup: a new message, or one that returns from a filter or was requeued. */
  #begin(line: PostfixLine): void {
    if (!/^(?:client|uid)=/.test(line.words)) return
    const [, filteredId] = /, orig_queue_id=(\w+)/.exec(line.words) ?? []
    const [, requeuedId] = /^uid=.* orig_id=(\w+)$/.exec(line.words) ?? []
    const message = this.#follow(line, filteredId) ?? this.#takeOver(line, requeuedId) ?? beginMessage(line, true)
    const [, sender] = /^uid=\d+ from=<(.*?)>/.exec(line.words) ?? []
    if (sender !== undefined) message.sender ??= sender
    this.#messages.set(keyOf(line), message)
  }

  #follow(line: PostfixLine, originId: string | undefined): QueuedMessage | undefined {
    const origin = this.#find(line, originId)
    return origin && continueMessage(origin, line)
  }

  /** Requeued with postsuper -r: the old queue file is gone. */
  #takeOver(line: PostfixLine, originId: string | undefined): QueuedMessage | undefined {
    const origin = this.#find(line, originId)
    if (origin) this.#messages.delete(keyOf({ ...line, queueId: originId }))
    return origin && { ...continueMessage(origin, line), recipients: origin.recipients }
  }

  #find(line: PostfixLine, queueId: string | undefined): QueuedMessage | undefined {
    return queueId === undefined ? undefined : this.#messages.get(keyOf({ ...line, queueId }))
  }

  #readCleanup(line: PostfixLine): void {
    // Rejected by a filter after its queue file was created.
    if (/^(?:milter-)?(?:reject|discard): /.test(line.words)) this.#messages.delete(keyOf(line))
    const [, messageId] = /^message-id=<?(.*?)>?$/.exec(line.words) ?? []
    const header = parseHeader(line.words)
    if (messageId === undefined && !header) return
    const known = this.#messages.get(keyOf(line))
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
      this.#messages.delete(keyOf(line))
      return []
    }
    if (/, status=(?:force-)?expired, returned to sender$/.test(words)) return this.#expire(line)
    const [, sender, size] = /^from=<(.*)>, size=(\d+), nrcpt=\d+/.exec(words) ?? []
    if (sender === undefined) return []
    const message = this.#messages.get(keyOf(line)) ?? beginMessage(line, false)
    message.sender ??= sender
    message.size ??= Number(size)
    message.activeTime = line.time
    this.#touch(line, message)
    return []
  }

  /** All recipients still waiting have failed permanently. */
  #expire(line: PostfixLine): LogRecords {
    const message = this.#messages.get(keyOf(line))
    if (!message) return []
    this.#touch(line, message)
    if (isNotification(message)) return []
    return listWaiting(message).map(({ recipient, state }) => {
      state.isDone = true
      return toRecord(message, {
        type: 'Bounce',
        timestamp: line.time,
        recipient,
        response_content: line.words.replace(/^.*, status=/, ''),
        bounce_classification: 'MessageExpired',
        num_attempts: attemptsOf(message, state),
      })
    })
  }

  #readDelivery(line: PostfixLine, delivery: ParsedDelivery): LogRecords {
    const type = line.daemon === 'discard' ? undefined : typeOfDelivery(delivery)
    if (type === undefined) return []
    const message = this.#messages.get(keyOf(line)) ?? beginMessage(line, false)
    const tls = this.#findTls(line, delivery.relay, message)
    const { state, records } = noteRecipient(message, delivery.recipient)
    if (type !== 'Delayed') state.attempts += 1
    state.isDone = type === 'Delivery' || type === 'Bounce'
    this.#touch(line, message)
    if (isNotification(message)) return []
    if (this.#isHandedOver(line, delivery, message)) return records
    const fields: UntrustedRecord = {
      timestamp: line.time,
      ...deliveryFields(delivery, type, line.daemon),
      num_attempts: attemptsOf(message, state),
      tls_protocol_version: tls?.version,
      tls_cipher: tls?.cipher,
    }
    return [...records, toRecord(message, fields)]
  }

  /**
   * Whether the message was sent to this host itself: a content filter or an alias reinjects it under a new queue id, and
   * only lines with the new id report the delivery.
   */
  #isHandedOver(line: PostfixLine, { relay, status, text }: ParsedDelivery, message: QueuedMessage): boolean {
    if (status !== 'sent') return false
    const isLocal = relay === 'local' || /\[(?:127\.[\d.]+|::1)\]/.test(relay)
    const [, nextId] = isLocal ? (/(?:queued|forwarded) as (\w+)/.exec(text) ?? []) : []
    if (nextId === undefined) return false
    const next = this.#find(line, nextId)
    if (!next) return false
    // If the filter did not pass on the queue id, the two are linked here, provided the new one has no events yet.
    const hasNoEvents = Object.keys(next.recipients).length === 0
    if (next.id !== message.id && hasNoEvents) {
      this.#messages.set(keyOf({ ...line, queueId: nextId }), continueMessage(message, line))
    }
    return true
  }

  /** The TLS connection that this process made for this attempt, if it is to the relay of the line. */
  #findTls(line: PostfixLine, relay: string, message: QueuedMessage): TlsConnection | undefined {
    const found = this.#connections.get(processOf(line))
    if (!found) return undefined
    const connection = { ...found, queueId: found.queueId ?? line.queueId ?? '' }
    const isOutdated = connection.queueId !== line.queueId || connection.time < (message.activeTime ?? 0)
    if (isOutdated) {
      this.#connections.delete(processOf(line))
      return undefined
    }
    this.#connections.set(processOf(line), connection)
    return connection.relay === relay ? connection : undefined
  }

  #touch(line: PostfixLine, message: QueuedMessage): void {
    message.lastTime = line.time
    this.#messages.set(keyOf(line), message)
  }
}

function learnHeader(message: QueuedMessage, { name, value, isExact, protocol }: LoggedHeader): void {
  if (name === 'from') message.from ??= value
  else if (name === 'subject') message.subject ??= decodeHeaderText(value).trim()
  // A truncated id would be a different id.
  else if (isExact) giveId(message, value)
  if (protocol !== undefined) message.protocol ??= protocol
}

function keyOf({ host, instance, queueId = '' }: PostfixLine): string {
  return `${host} ${instance} ${queueId}`
}

function processOf({ host, instance, daemon, pid }: PostfixLine): string {
  return `${host} ${instance} ${daemon} ${pid}`
}
