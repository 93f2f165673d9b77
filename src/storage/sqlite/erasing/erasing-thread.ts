/** The thread that looks for rows to be erased, and rewrites days: both may take seconds. It ends with the work. */
import { parentPort, workerData } from 'node:worker_threads'
import { isDamaged, isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { cleanDay } from './clean-day.ts'
import type { CleanedDay, ErasingCall, ErasingReply, FoundDay } from './erasing-protocol.ts'
import { concerns, findRows } from './find-rows.ts'

const CACHE_KIB = 8192
/** Then the position that was reached is stored. */
const FIND_MS = 1000

const files = new DayFiles((workerData as { readonly dataDir: string }).dataDir)

function perform(call: ErasingCall): unknown {
  switch (call.kind) {
    case 'find':
      return find(call)
    case 'clean':
      return clean(call.day)
  }
}

function find({ erasure, from, isAfter }: ErasingCall & { readonly kind: 'find' }): FoundDay | undefined {
  const deadline = performance.now() + FIND_MS
  const isLeft = (day: Day) => from === undefined || (isAfter ? day > from : day === from)
  for (const day of files.list().toReversed()) {
    if (!isLeft(day) || !concerns(erasure, day)) continue
    const found = examine(day, erasure)
    if (found.rows || found.problem !== undefined || performance.now() > deadline) return found
  }
  return undefined
}

/** A day that cannot be read is a finding too, and does not keep the others from being erased. */
function examine(day: Day, erasure: (ErasingCall & { readonly kind: 'find' })['erasure']): FoundDay {
  try {
    using db = files.openForReading(day, CACHE_KIB)
    const rows = db.snapshot(() => findRows(db, erasure))
    return { day, ...(rows && { rows }) }
  } catch (error) {
    // Removed by retention since it was listed.
    if (!files.has(day)) return { day }
    if (!isStorageFailure(error) || !(error instanceof Error)) throw error
    return { day, problem: error.message }
  }
}

function clean(day: Day): CleanedDay {
  if (!files.has(day)) return { isClean: true }
  try {
    using db = files.openForWriting(day, CACHE_KIB)
    return { isClean: cleanDay(db) }
  } catch (error) {
    // Other failures, such as a full disk, may pass.
    if (!isDamaged(error) || !(error instanceof Error)) throw error
    return { isClean: false, problem: error.message }
  }
}

parentPort?.on('message', ({ id, call }: { readonly id: number; readonly call: ErasingCall }) => {
  let reply: ErasingReply
  try {
    reply = { id, value: perform(call) }
  } catch (error) {
    reply = { id, error: error instanceof Error ? error : new Error(String(error)), isStorage: isStorageFailure(error) }
  }
  parentPort?.postMessage(reply)
})
