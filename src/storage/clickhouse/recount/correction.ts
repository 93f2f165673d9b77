/** Corrects counts by a batch that adds the difference: decided and applied as any other, so that it is applied once. */
import { randomUUID } from 'node:crypto'
import type { HeldShard } from '../../postgres/batches/held-shard.ts'
import { sumClosed } from '../rows/count-rows.ts'
import { encodeHours, encodeSending } from '../rows/encode-rows.ts'
import { firstHourOf } from '../upkeep/day.ts'
import { packContent } from '../writing/batch-payload.ts'
import type { CountTable, WrongCount } from './count-differences.ts'

/** It is applied by whoever holds the shard next. */
export async function decideCorrection(
  held: HeldShard,
  table: CountTable,
  counts: readonly WrongCount[],
): Promise<void> {
  const token = `correction ${randomUUID()}`
  const rows = counts.map(({ counted, events, classification = '', origin = '', ...key }) => ({
    ...key,
    classification,
    origin,
    n: events - counted,
    batch: token,
  }))
  const bytes = table === 'event_hour' ? encodeHours(rows) : encodeSending(rows)
  const noEvents = { bytes: new Uint8Array(), lengths: new Uint32Array() }
  const payload = await packContent({ events: noEvents, counts: [[table, bytes]] })
  const domainNumbers = new Set(counts.map(({ domain }) => domain))
  await held.decide([...domainNumbers], async ({ cutDay, closedDay }) => {
    // Its events are removed before its counts.
    if (rows.some(({ hour }) => hour < firstHourOf(cutDay))) return undefined
    const closedCounts = table === 'event_hour' ? sumClosed(rows, closedDay) : []
    return { events: 0, token, domainNumbers, payload, closedCounts }
  })
}
