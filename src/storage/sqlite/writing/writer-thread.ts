/** The thread that does all writing, so that answering HTTP never waits for the disk. One call after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { AppError, type ErrorCode } from '../../../lib/app-error.ts'
import type { DayTrouble } from '../../storage.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { createControlStores } from '../control/control-stores.ts'
import { performControlCall } from '../control/through-writer.ts'
import { rewriteHeader } from '../database/rewrite-header.ts'
import { isStorageFailure, storageUnavailable } from '../database/storage-failure.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { HistoryWriter } from '../history/history-writer.ts'
import { acceptDay, checkDays, openDataFolder, recordFinding, takeBackDay } from '../manifest/check-days.ts'
import { DayWriters } from './day-writers.ts'
import { unpackRows } from './packed-rows.ts'
import { isFolded, removeDaysBefore } from './retention.ts'
import type { WriterCall, WriterNotice, WriterReply } from './writer-protocol.ts'

const { dataDir } = workerData as { readonly dataDir: string }

const control = openControlDatabase(dataDir)
const folder = openDataFolder(dataDir, control)
const { files, manifest, troubles } = folder
const stores = createControlStores(control)
const writers = new DayWriters(files, (day) => isFolded(control, day), {
  isRemovedDomain: (domain) => stores.removals.isRemovedDomain(domain),
  onTrouble: reportTrouble,
})
const history = new HistoryWriter({
  dataDir,
  files,
  isBusy: (day) => writers.isBusy(day),
  notify: (notice) => parentPort?.postMessage(notice),
})
files.beforeWriting = (day) => history.reopen(day)

function reportTrouble(trouble: DayTrouble): void {
  const notice: WriterNotice = { trouble }
  parentPort?.postMessage(notice)
  note(trouble)
}

/** The disk may be full as well: then the day is noted when it is next found to be damaged. */
function note(trouble: DayTrouble): void {
  try {
    troubles.note(trouble)
  } catch (error) {
    if (!isStorageFailure(error)) throw error
  }
}

/** The days that are set aside, and no others. */
function leaveOut(): void {
  const list = troubles.list()
  writers.setAsideOnly(list.map(({ day }) => day))
  // They are in no table that the serving thread could read.
  for (const trouble of list)
    if (trouble.kind === 'unreadable') parentPort?.postMessage({ trouble } satisfies WriterNotice)
}

/** What a call has done, besides its value. */
interface Outcome {
  readonly commits: DayCommit[]
  arrivals?: Uint32Array
  failure?: Error
}

async function perform(call: WriterCall, outcome: Outcome): Promise<unknown> {
  switch (call.kind) {
    case 'append': {
      const { requests, arrivals, failure } = writers.store(unpackRows(call.rows), call.nowMs, outcome.commits)
      if (failure instanceof Error) outcome.failure = failure
      if (call.wantsArrivals) outcome.arrivals = new Uint32Array(arrivals)
      return requests
    }
    case 'removeDaysBefore':
      manifest.flush()
      try {
        return removeDaysBefore(control, files, writers, call.timeMs)
      } finally {
        history.dropRemoved()
      }
    case 'checkDays':
      checkDays(folder, call.nowMs)
      return leaveOut()
    case 'acceptDay':
      acceptDay(folder, call.day, call.nowMs)
      history.reopen(call.day)
      return writers.takeBack(call.day)
    case 'recordFinding':
      recordFinding(folder, call.finding, call.nowMs)
      history.reopen(call.finding.day)
      return leaveOut()
    case 'erase':
      return writers.erase(call.day, call.erasure)
    case 'lockDay':
      writers.lock(call.day)
      return history.reopen(call.day)
    case 'unlockDay':
      return writers.unlock(call.day)
    case 'control':
      return performControlCall(stores, call)
    case 'probe':
      rewriteHeader(control)
      return writers.probe()
    case 'requireRoom':
      return writers.requireRoom()
    case 'discardHistory':
      return history.discard()
    case 'setAside':
      writers.setAside(call.trouble.day)
      history.reopen(call.trouble.day)
      return note(call.trouble)
    case 'takeBack':
      takeBackDay(folder, call.day)
      return writers.takeBack(call.day)
    case 'close':
      clearTimeout(summarizing)
      history.close()
      writers.close()
      manifest.flush()
      control.close()
      return undefined
  }
}

function toFailure(thrown: unknown): { readonly error: Error; readonly code?: ErrorCode } {
  const error = isStorageFailure(thrown) ? storageUnavailable(thrown) : thrown
  if (error instanceof AppError) return { error, code: error.code }
  return { error: error instanceof Error ? error : new Error(String(error)) }
}

/** Under load, steps of the history index take one part in this many, and one, of the time. */
const SUMMARY_REST = 9
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

let summarizing: NodeJS.Timeout | undefined
let calls = 0
let callsBeforeStep = 0

/** In steps that leave most of the thread to calls, as long as there are any. */
function summarizeDays(delayMs: number): void {
  summarizing = setTimeout(() => {
    const startedMs = performance.now()
    const waitMs = history.step()
    const restMs = calls === callsBeforeStep ? 0 : SUMMARY_REST * (performance.now() - startedMs)
    callsBeforeStep = calls
    summarizeDays(Math.max(waitMs, restMs))
  }, delayMs)
}

summarizeDays(0)

// One at a time and in order: a call begins when the one before has been answered.
let previous: Promise<void> = Promise.resolve()
parentPort?.on('message', ({ id, call }: { id: number; call: WriterCall }) => {
  clearTimeout(compacting)
  calls++
  previous = previous.then(async () => {
    const outcome: Outcome = { commits: [] }
    let reply: WriterReply
    try {
      reply = { id, value: await perform(call, outcome), ...outcome }
    } catch (error) {
      reply = { id, ...toFailure(error), commits: outcome.commits }
    }
    manifest.learn(outcome.commits)
    parentPort?.postMessage(reply)
    clearTimeout(compacting)
    if (call.kind === 'close') parentPort?.close()
    else compactWhenIdle(IDLE_MS)
  })
})
