/**
 * The log of day files on one thread. After most appends all days are closed and summarized, so that the next reads are
 * answered from the history index; the others find days that have been written to since.
 */
import { setTimeout } from 'node:timers/promises'
import type { AppendResult } from '../../../src/events/log/event-log.ts'
import { openArrivals } from '../../../src/storage/sqlite/arrivals/sqlite-arrivals.ts'
import { openControlDatabase } from '../../../src/storage/sqlite/control/control-database.ts'
import { DayFiles } from '../../../src/storage/sqlite/days/day-files.ts'
import { Eraser } from '../../../src/storage/sqlite/erasing/eraser.ts'
import { checkHistory } from '../../../src/storage/sqlite/history/check-history.ts'
import type { HistoryNotice } from '../../../src/storage/sqlite/history/history-notice.ts'
import { HistoryWriter } from '../../../src/storage/sqlite/history/history-writer.ts'
import { LogReads } from '../../../src/storage/sqlite/read-pool/log-reads.ts'
import { unpackCounts } from '../../../src/storage/sqlite/read-pool/packed-counts.ts'
import { unpackSeries } from '../../../src/storage/sqlite/read-pool/series-pack.ts'
import { SEARCH_THRESHOLDS } from '../../../src/storage/sqlite/reading/day-plan.ts'
import { DayWriters } from '../../../src/storage/sqlite/writing/day-writers.ts'
import { toEventRow } from '../../../src/storage/sqlite/writing/event-row.ts'
import { isFolded, removeDaysBefore } from '../../../src/storage/sqlite/writing/retention.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'

/** One append in this many leaves its days open. */
const OPEN_EVERY = 3
/** Longer than DayReaders keeps a read transaction open. */
const HELD_MAX_MS = 25

export interface SummarizedLog extends AsyncDisposable {
  readonly log: Storage['log']
  readonly dataDir: string
  readonly reads: LogReads
  readonly notices: readonly HistoryNotice[]
  /** Closes all days and puts them into the index. */
  summarize(): Promise<void>
}

export interface SummarizedLogOptions {
  readonly dataDir?: string
  /** Summarize after appends; otherwise only when asked. */
  readonly isAutomatic?: boolean
}

export async function openSummarizedLog({
  dataDir,
  isAutomatic = true,
}: SummarizedLogOptions = {}): Promise<SummarizedLog> {
  using stack = new DisposableStack()
  const path = dataDir ?? stack.use(openTemporaryFolder()).path
  const control = openControlDatabase(path)
  const files = new DayFiles(path)
  checkHistory(path, files)
  const writers = new DayWriters(files, (day) => isFolded(control, day))
  const notices: HistoryNotice[] = []
  const history = new HistoryWriter({
    dataDir: path,
    files,
    isBusy: (day) => writers.isBusy(day),
    quietMs: 0,
    notify(notice) {
      notices.push(notice)
      if ('summarized' in notice && notice.summarized.length > 0) reads.learnSummarized(notice.summarized)
      if ('isLost' in notice) reads.forget()
    },
  })
  files.beforeWriting = (day) => history.reopen(day)
  const options = { dataDir: path, serviceMessageIdField: 'service_message_id', thresholds: SEARCH_THRESHOLDS }
  const reads = new LogReads(options, { onHistoryLost: () => history.discard() })
  const summarize = async () => {
    // Read transactions of this thread would keep its own checkpoints waiting. They end by a timer.
    await setTimeout(HELD_MAX_MS)
    for (const day of files.list()) writers.release(day)
    while (history.step() === 0);
  }
  let appends = 0
  const arrivals = openArrivals({ last: () => reads.lastArrival(), list: (query) => reads.listArrivals(query) })
  const eraser = new Eraser({
    dataDir: path,
    files,
    setAside: () => [],
    async call(call) {
      if (call.kind === 'erase') return writers.erase(call.day, call.erasure)
      if (call.kind === 'unlockDay') return writers.unlock(call.day)
      if (call.kind !== 'lockDay') throw new Error(`${call.kind} is not a call of the eraser`)
      writers.lock(call.day)
      history.reopen(call.day)
    },
    onErased: (day) => reads.dropErased(day),
  })
  const log: Storage['log'] = {
    async append(events) {
      const { requests, commits } = writers.store([events.map(toEventRow)], Date.now())
      reads.learn(commits)
      arrivals.learn(commits)
      if (isAutomatic && ++appends % OPEN_EVERY !== 0) await summarize()
      return requests[0] as AppendResult
    },
    list: (query) => reads.list(query),
    listMessage: (query) => reads.listMessage(query),
    replies: (query) => reads.replies(query),
    deliveryTimes: (query) => reads.deliveryTimes(query),
    count: (query) => reads.count(query),
    arrivals,
    async removeBefore(timeMs) {
      const removed = removeDaysBefore(control, files, writers, timeMs)
      history.dropRemoved()
      reads.dropRemoved()
      if (isAutomatic) await summarize()
      return removed
    },
    erase: (erasure, after) => eraser.erase(erasure, after),
    findNewestTimestamp: () => reads.findNewestTimestamp(),
    counts: async (domainNumbers) => unpackCounts(await reads.counts(domainNumbers)),
    async *series(query) {
      for await (const part of reads.series(query)) yield unpackSeries(part)
    },
  }
  stack.defer(() => {
    reads.close()
    history.close()
    writers.close()
    control.close()
  })
  const closing = stack.move()
  const close = async () => {
    await eraser.close()
    closing.dispose()
  }
  return { log, dataDir: path, reads, notices, summarize, [Symbol.asyncDispose]: close }
}
