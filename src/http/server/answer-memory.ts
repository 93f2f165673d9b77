/**
 * Responses that have been written but that their readers have not taken yet: how much memory they may hold, altogether and for
 * one client network, and for how long. The oldest ones are closed first: their readers are the slowest.
 */
import type { Socket } from 'node:net'
import type { CloseReason } from './close-reason.ts'

export interface AnswerLimits {
  readonly answerMemoryBytes: number
  readonly answerMemoryBytesPerNetwork: number
  readonly answerStallMs: number
  readonly answerBytesPerSecond: number
}

interface Answer {
  /** Undefined if the limit per network does not apply. */
  readonly network: string | undefined
  readonly bytes: number
  readonly dueMs: number
}

export class AnswerMemory {
  readonly #limits: AnswerLimits
  readonly #close: (socket: Socket, reason: CloseReason) => void
  /** One for each connection, the oldest first. */
  readonly #answers = new Map<Socket, Answer>()
  readonly #bytesOf = new Map<string | undefined, number>()
  #bytes = 0

  constructor(limits: AnswerLimits, close: (socket: Socket, reason: CloseReason) => void) {
    this.#limits = limits
    this.#close = close
  }

  get bytes(): number {
    return this.#bytes
  }

  hold(socket: Socket, network: string | undefined, bytes: number, nowMs: number): void {
    const { answerMemoryBytes, answerMemoryBytesPerNetwork, answerStallMs, answerBytesPerSecond } = this.#limits
    this.release(socket)
    this.#answers.set(socket, { network, bytes, dueMs: nowMs + answerStallMs + (bytes / answerBytesPerSecond) * 1000 })
    this.#change(network, bytes)
    for (const [other, answer] of this.#answers) {
      const isNetworkFull = network !== undefined && (this.#bytesOf.get(network) ?? 0) > answerMemoryBytesPerNetwork
      const isFull = this.#bytes > answerMemoryBytes
      // The new one stays in any case: a single response is never too large.
      if (other === socket || !(isFull || isNetworkFull)) return
      if (isFull || answer.network === network) this.#drop(other, 'answer_memory')
    }
  }

  /** It was sent, or its connection is closed. */
  release(socket: Socket): void {
    const answer = this.#answers.get(socket)
    if (!answer) return
    this.#answers.delete(socket)
    this.#change(answer.network, -answer.bytes)
  }

  /** Closes connections whose readers take less than the minimum rate. */
  closeDue(nowMs: number): void {
    for (const [socket, { dueMs }] of this.#answers) if (dueMs <= nowMs) this.#drop(socket, 'stalled')
  }

  #drop(socket: Socket, reason: CloseReason): void {
    this.release(socket)
    this.#close(socket, reason)
  }

  #change(network: string | undefined, bytes: number): void {
    this.#bytes += bytes
    const held = (this.#bytesOf.get(network) ?? 0) + bytes
    if (held === 0) this.#bytesOf.delete(network)
    else this.#bytesOf.set(network, held)
  }
}
