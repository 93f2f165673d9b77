/**
 * A reading thread that does as it is told: the first number that it is asked to count is the command. `forget` answers the
 * reads that it holds back. An answer has the days that are set aside. A series has as many batches as the first hour says.
 */
import { parentPort } from 'node:worker_threads'
import type { ReaderMessage, ReaderNotice, ReaderReply } from '../../../src/storage/sqlite/read-pool/read-protocol.ts'

export const ANSWER = 0
export const HOLD = 1
export const DIE = 2
export const FAIL = 3

const held: number[] = []
const aside: string[] = []
/** Batches that are left of each series. */
const series = new Map<number, number>()

function answer(id: number): void {
  parentPort?.postMessage({ id, value: [...aside], isLast: true } satisfies ReaderReply)
}

function nextBatch(id: number): void {
  const left = series.get(id) ?? 0
  series.set(id, left - 1)
  parentPort?.postMessage({ id, value: [left], isLast: left === 0 } satisfies ReaderReply)
}

function setAside(day: string, isAsked = false): void {
  aside.push(day)
  if (isAsked) parentPort?.postMessage({ closedDay: day } satisfies ReaderNotice)
}

function obey(id: number, command: number | undefined): void {
  if (command === ANSWER) answer(id)
  if (command === HOLD) held.push(id)
  if (command === FAIL) parentPort?.postMessage({ id, error: new Error('told to fail') } satisfies ReaderReply)
  if (command === DIE) throw new Error('told to die')
}

parentPort?.on('message', (json: string) => {
  const message = JSON.parse(json) as ReaderMessage
  if (message.kind === 'forget') for (const id of held.splice(0)) answer(id)
  if (message.kind === 'stop') obey(message.id, FAIL)
  if (message.kind === 'more') nextBatch(message.id)
  if (message.kind === 'setAside') setAside(message.day, message.isAsked)
  if (message.kind !== 'read') return
  const { id, call } = message
  if (call.name === 'series') {
    series.set(id, (call.values as [{ readonly fromHour: number }])[0].fromHour)
    nextBatch(id)
  } else obey(id, (call.values as [number[]])[0][0])
})

parentPort?.postMessage('ready')
