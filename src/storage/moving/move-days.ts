/** Moves events day by day, oldest first, through the normal append and in the order of their arrival: pages stay the same. */
import { setTimeout as delay } from 'node:timers/promises'
import type { AttributedEvent, EventLog } from '../../events/log/event-log.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Day } from '../sqlite/days/day.ts'
import { type DayChunk, lastArrival, readChunks } from './day-events.ts'
import type { MoveRecord } from './move-record.ts'
import { noteRemovals } from './redo-removals.ts'
import type { SourceFolder } from './source-folder.ts'

/** Events in one call: large enough for ClickHouse, which wants few inserts. */
const CHUNK_EVENTS = 20_000
const RETRY_MS = 600_000
const PAUSE_MS = 1000

export interface DaysProgress {
  readonly day: Day
  /** Arrivals moved since the last call, and still to be moved when the round began. */
  readonly moved: number
  readonly total: number
}

export interface MoveDaysOptions {
  readonly source: SourceFolder
  readonly log: Pick<EventLog, 'append'>
  readonly record: MoveRecord
  readonly onProgress?: ((progress: DaysProgress) => void) | undefined
  readonly chunkEvents?: number | undefined
  /** How long an append is repeated while the new storage cannot be used. */
  readonly retryMs?: number | undefined
}

interface GrownDay {
  readonly day: Day
  readonly after: number
  readonly until: number
}

/** Moves what has arrived since the last round. Returns how many events the new storage has stored, and how many it had already. */
export async function moveDays(options: MoveDaysOptions): Promise<{ stored: number; duplicates: number }> {
  const { source, onProgress } = options
  const grown = listGrown(source, await options.record.listDays())
  const total = grown.reduce((sum, { after, until }) => sum + until - after, 0)
  const result = { stored: 0, duplicates: 0 }
  for (const day of grown) {
    const moved = await moveDay(options, day, (arrivals) => onProgress?.({ day: day.day, moved: arrivals, total }))
    result.stored += moved.stored
    result.duplicates += moved.duplicates
  }
  return result
}

function listGrown(source: SourceFolder, moved: ReadonlyMap<Day, number>): readonly GrownDay[] {
  return source.listDays().flatMap((day) => {
    const after = moved.get(day) ?? 0
    using db = source.openDay(day)
    const until = db ? lastArrival(db) : 0
    return until > after ? [{ day, after, until }] : []
  })
}

async function moveDay(options: MoveDaysOptions, grown: GrownDay, onMoved: (arrivals: number) => void) {
  const { source, record, chunkEvents = CHUNK_EVENTS } = options
  const { day } = grown
  const result = { stored: 0, duplicates: 0 }
  using db = source.openDay(day)
  // Removed by retention: its counts are in the totals, which are moved last.
  if (!db) return result
  const domainNames = new Map(source.listDomains().map(({ number, name }) => [number, name]))
  let last = grown.after
  const move = async ({ events, arrival }: DayChunk) => {
    const { stored, duplicates } = await append(options, day, events)
    await noteRemovals(source, record)
    await record.noteDay(day, arrival)
    result.stored += stored
    result.duplicates += duplicates
    onMoved(arrival - last)
    last = arrival
  }
  let moving = Promise.resolve()
  // The next chunk is read while the one before is stored.
  for (const chunk of readChunks(db, day, { ...grown, chunkEvents, domainName: (number) => domainNames.get(number) })) {
    await moving
    moving = move(chunk)
  }
  await moving
  return result
}

/** Repeated while the new storage cannot be used: a server of it that restarts must not end a move of hours. */
async function append({ log, retryMs = RETRY_MS }: MoveDaysOptions, day: Day, events: readonly AttributedEvent[]) {
  if (events.length === 0) return { stored: 0, duplicates: 0 }
  for (const startMs = performance.now(); ; await delay(PAUSE_MS)) {
    try {
      const { stored, duplicates, expired } = await log.append(events)
      if (expired.length > 0) throw removedThere(day)
      return { stored, duplicates }
    } catch (error) {
      const isTemporary =
        error instanceof AppError && (error.code === 'storage_unavailable' || error.code === 'overloaded')
      if (!isTemporary || performance.now() - startMs > retryMs) throw error
    }
  }
}

function removedThere(day: Day): AppError {
  return new AppError(
    'conflict',
    `The new databases do not accept events of ${day}, because their retention has already removed that day. Move into empty ClickHouse and PostgreSQL databases.`,
  )
}
