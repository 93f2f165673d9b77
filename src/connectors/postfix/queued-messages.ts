/**
 * The messages that a log is about. Each has a host, an instance of Postfix and a queue id; where one instance hands a
 * message over to another, only the queue id says where it continues.
 */
import type { LogReaderOptions } from '../maillog/log-reader.ts'
import { RememberedMap } from '../maillog/remembered-map.ts'
import type { PostfixLine } from './postfix-line.ts'
import { hasEvents, type QueuedMessage } from './queued-message.ts'

export type QueuePlace = Pick<PostfixLine, 'host' | 'instance' | 'queueId'>

export interface PlacedMessage {
  readonly place: QueuePlace
  readonly message: QueuedMessage
}

/** Far above the longest interval between two attempts (maximal_backoff_time): an older message has lost its end. */
const FORGET_AFTER = 3 * 86_400
const MESSAGES_MAX = 500_000
/** Of one queue id: short ones are used by several instances by chance, long ones by none. */
const PLACES_MAX = 16
/** A content filter that replies late has logged the delivery by then. */
const KNOWN_AFTER_LEAVING = 30
const LEFT_MAX = 100_000

export class QueuedMessages {
  readonly #messages: RememberedMap<QueuedMessage>
  /** The keys of the messages with a queue id, oldest first. */
  readonly #keys = new Map<string, readonly string[]>()
  /** When messages that may have come from a filter were removed from the queue, by host and queue id. */
  readonly #left: RememberedMap<number>

  constructor(remembered: LogReaderOptions['remembered']) {
    this.#messages = new RememberedMap('message ', remembered)
    this.#left = new RememberedMap('left ', remembered)
    for (const key of this.#messages.keys()) this.#index(key)
  }

  get(place: QueuePlace): QueuedMessage | undefined {
    return this.#messages.get(keyOf(place))
  }

  set(place: QueuePlace, message: QueuedMessage): void {
    const key = keyOf(place)
    if (!this.#messages.get(key)) this.#index(key)
    this.#messages.set(key, message)
  }

  delete(place: QueuePlace): void {
    const key = keyOf(place)
    this.#messages.delete(key)
    this.#unindex(key)
  }

  /** Removed from the queue. */
  leave(place: QueuePlace, time: number): void {
    const message = this.get(place)
    if (message?.isFromHere && hasEvents(message)) this.#left.set(`${place.host} ${place.queueId}`, time)
    this.delete(place)
  }

  hasLeft({ host }: QueuePlace, queueId: string): boolean {
    return this.#left.get(`${host} ${queueId}`) !== undefined
  }

  /** In all instances and on all hosts: those of the same instance first, then those of the same host. */
  list({ host, instance }: QueuePlace, queueId: string): readonly PlacedMessage[] {
    const found = (this.#keys.get(queueId) ?? []).flatMap((key) => {
      const message = this.#messages.get(key)
      return message ? [{ place: placeOf(key), message }] : []
    })
    const distance = ({ place }: PlacedMessage) => (place.host !== host ? 2 : place.instance !== instance ? 1 : 0)
    return found.length < 2 ? found : found.toSorted((a, b) => distance(a) - distance(b))
  }

  forgetBefore(time: number): void {
    this.#messages.forgetWhile(
      (message, size) => message.lastTime < time - FORGET_AFTER || size > MESSAGES_MAX,
      (key) => this.#unindex(key),
    )
    this.#left.forgetWhile((leftAt, size) => leftAt < time - KNOWN_AFTER_LEAVING || size > LEFT_MAX)
  }

  takeChanges() {
    return [...this.#messages.takeChanges(), ...this.#left.takeChanges()]
  }

  #index(key: string): void {
    const queueId = queueIdOf(key)
    const keys = this.#keys.get(queueId)
    this.#keys.set(queueId, keys ? [...keys.slice(1 - PLACES_MAX), key] : [key])
  }

  #unindex(key: string): void {
    const queueId = queueIdOf(key)
    const others = this.#keys.get(queueId)?.filter((other) => other !== key) ?? []
    if (others.length > 0) this.#keys.set(queueId, others)
    else this.#keys.delete(queueId)
  }
}

function keyOf({ host, instance, queueId = '' }: QueuePlace): string {
  return `${host} ${instance} ${queueId}`
}

function queueIdOf(key: string): string {
  return key.slice(key.lastIndexOf(' ') + 1)
}

function placeOf(key: string): QueuePlace {
  const [host = '', instance = '', queueId = ''] = key.split(' ')
  return { host, instance, queueId }
}
