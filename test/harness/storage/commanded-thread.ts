/**
 * A reading thread that does as it is told: the first number that it is asked to count is the command. `forget` answers the
 * reads that it holds back.
 */
import { parentPort } from 'node:worker_threads'
import type { ReaderMessage, ReaderReply } from '../../../src/storage/sqlite/read-pool/read-protocol.ts'

export const ANSWER = 0
export const HOLD = 1
export const DIE = 2
export const FAIL = 3

const held: number[] = []

function answer(id: number): void {
  parentPort?.postMessage({ id, value: new Map(), isLast: true } satisfies ReaderReply)
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
  if (message.kind !== 'read') return
  const { id, call } = message
  // A series never ends.
  if (call.name === 'series') parentPort?.postMessage({ id, value: [], isLast: false } satisfies ReaderReply)
  else obey(id, (call.values as [number[]])[0][0])
})

parentPort?.postMessage('ready')
