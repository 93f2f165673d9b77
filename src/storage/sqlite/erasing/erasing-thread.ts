/** The thread that looks for rows to be erased, and rewrites days: both may take seconds. It ends with the work. */
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type { Erasure } from '../../../events/log/event-log.ts'
import { lowerPriority } from '../../../lib/lower-priority.ts'
import type { Database } from '../database/database.ts'
import { isDamaged, isStorageFailure } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { removeKept } from '../repair/day-swap.ts'
import { cleanDay } from './clean-day.ts'
import type { CleanedDay, ErasingCall, ErasingReply, FindCall, FoundDay } from './erasing-protocol.ts'
import { concerns, findRows, hadDomains } from './find-rows.ts'
import { mayContain } from './may-contain.ts'

lowerPriority()

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

function find({ erasure, from, isAfter, setAside }: FindCall): FoundDay | undefined {
  const deadline = performance.now() + FIND_MS
  const isLeft = (day: Day) => from === undefined || (isAfter ? day > from : day === from)
  for (const day of files.list().toReversed()) {
    if (!isLeft(day) || !concerns(erasure, day)) continue
    const found = setAside.includes(day) ? reportAside(day, erasure) : examine(day, erasure)
    if (found.rows || found.problem !== undefined || found.deletedFiles || performance.now() > deadline) return found
  }
  return undefined
}

/** Nothing can be removed from a day that is set aside, and SQLite may not return all of its rows. */
function reportAside(day: Day, erasure: Erasure): FoundDay {
  if (erasure.what === 'expired') return { day }
  const isRecipient = erasure.what === 'recipient'
  const advice = isRecipient
    ? 'Repair or restore it, then repeat the removal'
    : 'Its events of the domain are no longer shown'
  return { day, problem: `it is set aside. ${advice}` }
}

/**
 * Damaged files that a repair has kept cannot be changed row by row: those that may contain what is to be erased are deleted. Those
 * with events of a tenant that have expired go with their day.
 */
function deleteKept(day: Day, erasure: Erasure, db: Database): readonly string[] {
  if (erasure.what === 'expired') return []
  const removed = removeKept(files.path(day), (path) =>
    erasure.what === 'recipient' ? mayContain(path, erasure.address) : hadDomains(db, erasure.domainNumbers),
  )
  return removed.map((path) => basename(path))
}

/** A day that cannot be read is a finding too, and does not keep the others from being erased. */
function examine(day: Day, erasure: Erasure): FoundDay {
  try {
    using db = files.openForReading(day, CACHE_KIB)
    const rows = db.snapshot(() => findRows(db, erasure))
    const deletedFiles = deleteKept(day, erasure, db)
    return { day, ...(rows && { rows }), ...(deletedFiles.length > 0 && { deletedFiles }) }
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
