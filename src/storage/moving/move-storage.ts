/**
 * Moves an installation from a data folder into PostgreSQL and ClickHouse while its server runs. Every step can be repeated: a move
 * that was interrupted continues where it was. The last step needs the data folder for itself, and takes seconds.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { EventLog } from '../../events/log/event-log.ts'
import type { LogWindow } from '../../events/log/log-query.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { EventCounts } from '../../stats/event-counts.ts'
import type { Postgres } from '../postgres/database/postgres.ts'
import { endOfDayMs, startOfDay } from '../sqlite/days/day.ts'
import { markAsMoved } from '../sqlite/manifest/moved-marker.ts'
import type { Storage } from '../storage.ts'
import { type Comparison, compareLogs } from './compare-logs.ts'
import { type ErasedDay, readErasedDays } from './erased-counts.ts'
import { type ControlCounts, copyControl, requireEmpty } from './move-control.ts'
import { type DaysProgress, moveDays } from './move-days.ts'
import { MoveRecord } from './move-record.ts'
import { redoRemovals } from './redo-removals.ts'
import { SourceFolder } from './source-folder.ts'

export interface MoveTarget {
  /** What it stores counts as changed at the earliest possible time. */
  readonly log: EventLog & EventCounts
  readonly db: Postgres
  /** When the counts of each domain last changed: as in the old storage, and not when it was moved. */
  readonly keepChanges: (changes: ReadonlyMap<number, number>) => Promise<void>
  /** Makes the counts of a day from which events were erased equal to those of the old storage. */
  readonly keepErased: (counted: ErasedDay) => Promise<void>
  /** Throws AppError `conflict` if the new servers would not have the secret with this id. Asked at once, and not after hours. */
  readonly requireSecret: (id: string) => void
  /** Keeps the secrets of the old installation, or makes sure that the operator does. */
  readonly keepSecrets: () => Promise<void>
}

export interface MoveOptions {
  readonly dataDir: string
  readonly target: MoveTarget
  readonly clock: Clock
  /** Opens the data folder for itself, with everything in its log; undefined while a server uses it. */
  readonly takeOver: () => Promise<Pick<Storage, 'log' | 'close'> | undefined>
  /** While the server runs, goes on moving what arrives until it is stopped. */
  readonly waits: boolean
  /** How many pages to compare. */
  readonly pages: number
  readonly seed: number
  readonly chunkEvents?: number
  readonly onProgress?: (progress: DaysProgress) => void
  /** Called when everything that had arrived is moved, and the server still runs. */
  readonly onCaughtUp?: () => void
  readonly onPage?: () => void
}

export interface MoveReport {
  /** Events that this run has moved, and those that it found there. */
  readonly stored: number
  readonly duplicates: number
  /** Absent while the server still runs: the move is not finished. */
  readonly end?: MoveEnd
  /** An earlier run has finished the move: nothing was done. */
  readonly finishedAtMs?: number
}

export interface MoveEnd {
  readonly control: ControlCounts
  readonly comparison: Comparison
  /** How long the data folder was taken from its server. */
  readonly pauseMs: number
}

/** A round that moved fewer events than this has caught up. */
const FEW_EVENTS = 5000
const WAIT_MS = 500

/** Throws AppError `conflict` if the databases are not empty, and this is not a move that continues. */
export async function moveStorage(options: MoveOptions): Promise<MoveReport> {
  const { dataDir, target, waits } = options
  using source = SourceFolder.open(dataDir)
  const record = new MoveRecord(target.db)
  const state = await record.findState(source.installation)
  if (typeof state === 'object') return { stored: 0, duplicates: 0, ...state }
  const secretId = source.findSecretId()
  if (secretId !== undefined) target.requireSecret(secretId)
  if (state === 'none') await begin(options, source)
  const moved = { stored: 0, duplicates: 0 }
  const moveRound = async () => {
    const { chunkEvents, onProgress } = options
    await redoRemovals({ source, log: target.log, db: target.db, record })
    const { stored, duplicates } = await moveDays({ source, log: target.log, record, onProgress, chunkEvents })
    moved.stored += stored
    moved.duplicates += duplicates
    return stored + duplicates
  }
  while ((await moveRound()) >= FEW_EVENTS);
  for (let isFirst = true; ; isFirst = false) {
    const startMs = performance.now()
    const taken = await options.takeOver()
    if (taken) {
      try {
        const end = await finish(options, { source, record, taken, startMs, moveRound })
        return { ...moved, end }
      } finally {
        await taken.close()
      }
    }
    if (!waits) return moved
    if (isFirst) options.onCaughtUp?.()
    await delay(WAIT_MS)
    await moveRound()
  }
}

/** Into empty databases only. */
async function begin({ target, clock }: MoveOptions, source: SourceFolder): Promise<void> {
  await requireEmpty(target.db)
  if ((await target.log.findNewestTimestamp()) !== undefined) {
    throw new AppError(
      'conflict',
      'ClickHouse has events already. An installation can be moved into an empty database only.',
    )
  }
  await copyControl(source.control, target.db, (statements) =>
    new MoveRecord(statements).begin(source.installation, clock()),
  )
}

interface LastStep {
  readonly source: SourceFolder
  readonly record: MoveRecord
  readonly taken: Pick<Storage, 'log'>
  readonly startMs: number
  readonly moveRound: () => Promise<number>
}

async function finish(options: MoveOptions, step: LastStep): Promise<MoveEnd> {
  const { target, clock, dataDir, pages, seed, onPage } = options
  const { source, record, taken, startMs, moveRound } = step
  await moveRound()
  const domains = source.listDomains()
  const window = windowOf(source)
  // Positions of the old engine mean nothing to the new one.
  const control = await copyControl(source.control, target.db, async (statements) => {
    await statements.run(BEGIN_REDONE_AGAIN)
    await statements.run(BEGIN_REMOVALS_AGAIN)
  })
  await target.keepSecrets()
  for (const counted of readErasedDays(source)) await target.keepErased(counted)
  const counts = await taken.log.counts(domains.map(({ number }) => number))
  await target.keepChanges(new Map([...counts].map(([number, { changedAtMs }]) => [number, changedAtMs])))
  const comparison = await compareLogs({ source: taken.log, target: target.log, domains, window, pages, seed, onPage })
  if (comparison.differences.length === 0) {
    // First here: a server must never run on both.
    markAsMoved(dataDir, clock())
    await record.finish(clock())
  } else await record.beginRemovalsAgain()
  return { control, comparison, pauseMs: Math.round(performance.now() - startMs) }
}

/** Those that were repeated here: the new servers make sure that nothing is left. */
const BEGIN_REDONE_AGAIN = `
  UPDATE removal SET finished_at_ms = NULL, address = moved_removal.address
  FROM moved_removal
  WHERE moved_removal.id = removal.id AND is_redone AND (kind <> 'recipient' OR moved_removal.address IS NOT NULL)`
const BEGIN_REMOVALS_AGAIN = `
  UPDATE removal SET position = NULL, stage = CASE kind WHEN 'recipient' THEN 'hits' ELSE 'events' END
  WHERE finished_at_ms IS NULL`

function windowOf(source: SourceFolder): LogWindow {
  const days = source.listDays()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return { startTimestamp: 0, endTimestamp: 0 }
  return { startTimestamp: startOfDay(first), endTimestamp: endOfDayMs(last) / 1000 - 1 }
}
