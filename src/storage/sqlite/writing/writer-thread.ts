/** The thread that does all writing, so that answering HTTP never waits for the disk. One call after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { AppError, type ErrorCode } from '../../../lib/app-error.ts'
import { createControlStores, openControlDatabase } from '../control/control-database.ts'
import { performControlCall } from '../control/through-writer.ts'
import type { Database } from '../database/database.ts'
import { isStorageFailure, storageUnavailable } from '../database/storage-failure.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { acceptDay, checkDays, openDataFolder } from '../manifest/check-days.ts'
import { DayWriters } from './day-writers.ts'
import { unpackRows } from './packed-rows.ts'
import { isFolded, removeDaysBefore } from './retention.ts'
import type { WriterCall, WriterReply } from './writer-protocol.ts'

const { dataDir } = workerData as { readonly dataDir: string }

const control = openControlDatabase(dataDir)
const folder = openDataFolder(dataDir, control)
const { files, manifest, troubles } = folder
const writers = new DayWriters(files, (day) => isFolded(control, day))
const stores = createControlStores(control)

async function perform(call: WriterCall, commits: DayCommit[]): Promise<unknown> {
  switch (call.kind) {
    case 'append':
      return writers.store(unpackRows(call.rows), call.nowMs, commits).requests
    case 'removeDaysBefore':
      manifest.flush()
      return removeDaysBefore(control, files, writers, call.timeMs)
    case 'checkDays':
      checkDays(folder, call.nowMs)
      for (const { day } of troubles.list()) writers.release(day)
      return undefined
    case 'acceptDay':
      return acceptDay(folder, call.day, call.nowMs)
    case 'control':
      return performControlCall(stores, call)
    case 'probe':
      return rewriteHeader(control)
    case 'close':
      writers.close()
      manifest.flush()
      control.close()
      return undefined
  }
}

/** A transaction without changes writes nothing and so proves nothing. Setting user_version writes, whatever its value. */
function rewriteHeader(db: Database): void {
  db.transaction(() => {
    db.execute(`PRAGMA user_version = ${db.number('PRAGMA user_version')}`)
  })
}

function toFailure(thrown: unknown): { readonly error: Error; readonly code?: ErrorCode } {
  const error = isStorageFailure(thrown) ? storageUnavailable(thrown) : thrown
  if (error instanceof AppError) return { error, code: error.code }
  return { error: error instanceof Error ? error : new Error(String(error)) }
}

/** Compaction starts after this long without a call. */
const IDLE_MS = 20

let compacting: NodeJS.Timeout | undefined

/** In steps, so that a call waits for at most one of them. */
function compactWhenIdle(delayMs: number): void {
  compacting = setTimeout(() => {
    try {
      const waitMs = writers.compact(performance.now())
      if (waitMs !== undefined) compactWhenIdle(waitMs)
    } catch (error) {
      // Compaction changes no answer; the next write will report what is wrong with the disk.
      if (!isStorageFailure(error)) throw error
    }
  }, delayMs)
}

// One at a time and in order: a call begins when the one before has been answered.
let previous: Promise<void> = Promise.resolve()
parentPort?.on('message', ({ id, call }: { id: number; call: WriterCall }) => {
  clearTimeout(compacting)
  previous = previous.then(async () => {
    const commits: DayCommit[] = []
    let reply: WriterReply
    try {
      reply = { id, value: await perform(call, commits), commits }
    } catch (error) {
      reply = { id, ...toFailure(error), commits }
    }
    manifest.learn(commits)
    parentPort?.postMessage(reply)
    clearTimeout(compacting)
    if (call.kind === 'close') parentPort?.close()
    else compactWhenIdle(IDLE_MS)
  })
})
