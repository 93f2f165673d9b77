/**
 * A position in the order of arrival. Numbers are given out when a batch is decided, and batches of different shards are finished in
 * any order: so for each shard the position has the number from which on its events have not been seen. They are the same for nearly
 * all shards nearly always.
 */
import { AppError } from '../../../lib/app-error.ts'

/** By shard. */
export type ArrivalCursor = readonly number[]

/** Which events are stored: those below `next`, except for shards whose batches are unfinished from a number on. */
export interface ArrivalHorizon {
  readonly next: number
  /** By shard. */
  readonly unfinished: ReadonlyMap<number, number>
}

export function toCursor({ next, unfinished }: ArrivalHorizon, shards: number): ArrivalCursor {
  return Array.from({ length: shards }, (_, shard) => unfinished.get(shard) ?? next)
}

/** Everything below the number was seen as well, as far as it is stored: below `end`. */
export function advance(cursor: ArrivalCursor, number: number, end: ArrivalCursor): ArrivalCursor {
  return cursor.map((from, shard) => Math.max(from, Math.min(number, end[shard] ?? from)))
}

/** `a120`, or `a120.4.1-90.3-100`: with four shards, of which those with the numbers 1 and 3 are behind. */
export function formatCursor(cursor: ArrivalCursor): string {
  const most = Math.max(...cursor)
  const behind = cursor.flatMap((from, shard) => (from === most ? [] : [`.${shard}-${from}`]))
  return `a${most}${behind.length === 0 ? '' : `.${cursor.length}${behind.join('')}`}`
}

const CURSOR = /^a(\d{1,16})(?:\.(\d{1,4})((?:\.\d{1,4}-\d{1,16}){1,9999}))?$/

/** Throws AppError `invalid_cursor`. */
export function parseCursor(text: string, shards: number): ArrivalCursor {
  const [, most, shardsThen, behind = ''] = (text.length <= 10_000 && CURSOR.exec(text)) || []
  const exceptions = new Map(
    [...behind.matchAll(/(\d+)-(\d+)/g)].map(([, shard, from]) => [Number(shard), Number(from)]),
  )
  const isValid = [Number(most), ...exceptions.values()].every((number) => Number.isSafeInteger(number))
  if (most === undefined || !isValid) throw new AppError('invalid_cursor', 'Not a valid stream position.')
  // Domains have moved to other shards: better to repeat events than to leave some out.
  const least = Number(shardsThen ?? shards) === shards ? undefined : Math.min(...exceptions.values())
  return Array.from({ length: shards }, (_, shard) => least ?? exceptions.get(shard) ?? Number(most))
}
