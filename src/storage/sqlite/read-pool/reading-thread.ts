/** A thread that reads the log, in slices: reads of different callers take turns. */
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../../../lib/app-error.ts'
import { LogReads, type LogReadsOptions } from './log-reads.ts'
import type { ReadCall, ReaderMessage, ReaderNotice, ReaderReply } from './read-protocol.ts'

const reads = new LogReads(workerData as LogReadsOptions, {
  onTrouble: (trouble) => send({ trouble }),
  onHistoryLost: () => send({ isHistoryLost: true }),
})
/** Reads with several batches. */
const open = new Map<number, AsyncGenerator<unknown>>()
/** Running reads; those with one answer look at the signal, their last argument, between two slices. */
const stops = new Map<number, AbortController>()

function send(reply: ReaderReply | ReaderNotice): void {
  parentPort?.postMessage(reply)
}

async function read(id: number, { name, values }: ReadCall): Promise<void> {
  const stop = new AbortController()
  stops.set(id, stop)
  try {
    const read = reads[name] as (...values: readonly unknown[]) => Promise<unknown> | AsyncGenerator<unknown>
    const answer = read.apply(reads, [...values, stop.signal])
    if (!(Symbol.asyncIterator in answer)) return send({ id, value: await answer, isLast: true })
    open.set(id, answer)
    await step(id, answer.next())
  } catch (error) {
    send({ id, ...toFailure(error) })
  } finally {
    stops.delete(id)
  }
}

/** One batch for each request, so that no more is read than the other side takes. */
async function step(id: number, next: Promise<IteratorResult<unknown>>): Promise<void> {
  try {
    const { value, done = false } = await next
    if (done) open.delete(id)
    send({ id, value, isLast: done })
  } catch (error) {
    open.delete(id)
    send({ id, ...toFailure(error) })
  }
}

function proceed(id: number, how: 'next' | 'return'): void {
  const generator = open.get(id)
  if (generator) void step(id, generator[how](undefined))
}

function toFailure(thrown: unknown) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  if (error instanceof AppError) return { error, code: error.code }
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' ? { error, errcode } : { error }
}

parentPort?.on('message', (json: string) => {
  const message = JSON.parse(json) as ReaderMessage
  switch (message.kind) {
    case 'read':
      return void read(message.id, message.call)
    case 'more':
      return proceed(message.id, 'next')
    case 'stop':
      stops.get(message.id)?.abort()
      return proceed(message.id, 'return')
    case 'commits':
      return reads.learn(message.commits)
    case 'summarized':
      return reads.learnSummarized(message.days)
    case 'removed':
      return reads.dropRemoved()
    case 'erased':
      return reads.dropErased(message.day)
    case 'forget':
      return reads.forget()
    case 'setAside':
      return void reads.setAside(message.day).then(() => {
        if (message.isAsked) send({ closedDay: message.day })
      })
    case 'takeBack':
      return reads.takeBack(message.day)
  }
})

parentPort?.postMessage('ready')
