/** Applies a decided batch: inserts its bytes, as often as it takes, until every event is stored on enough replicas and counted. */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../../lib/app-error.ts'
import type { Batch } from '../../postgres/batches/batch.ts'
import type { HeldShard } from '../../postgres/batches/held-shard.ts'
import type { ClickHouse, ReadSource, TableName } from '../server/clickhouse.ts'
import type { BatchContent } from './batch-payload.ts'
import type { Deadline } from './deadline.ts'
import { boundsOf, numberEvents } from './encoded-events.ts'

/** A server that does not answer is found out sooner. */
const ATTEMPT_MAX_MS = 5000
const PAUSE_MS = 100
const PAUSE_MAX_MS = 800

export interface Application {
  readonly batch: Batch
  /** Its numbers are written into it. */
  readonly content: BatchContent
  /** Another holder may have inserted some of it already. */
  readonly isRepeated: boolean
  readonly deadline: Deadline
  /** What it is applied under. */
  readonly held: Pick<HeldShard, 'isHeld'>
}

/** Rejects with AppError once the deadline has passed; the batch is then to be applied again. */
export async function applyBatch(clickHouse: ClickHouse, application: Application): Promise<void> {
  const { batch, content } = application
  numberEvents(content.events, batch.first)
  // A correction has counts only.
  const events = batch.events === 0 ? [] : [['event', content.events.bytes] as const]
  const inserts = [...events, ...content.counts].map(([table, body]) => insert(clickHouse, application, table, body))
  // All of them end before the lock is given up: what is under way must not be overtaken by what the next holder does.
  const results = await Promise.allSettled(inserts)
  for (const result of results) if (result.status === 'rejected') throw result.reason
  const isRepeated = results.some((result) => result.status === 'fulfilled' && result.value.isRepeated)
  if (isRepeated && batch.events > 0) await untilDeadline(application, () => requireStored(clickHouse, application))
}

/**
 * ClickHouse drops a block that it has seen, and says nothing about how many replicas have it by then. While a block waits for its quorum,
 * however, every further insert into the table is refused. So after any failure two inserts in a row have to succeed: when
 * the second was accepted, nothing was waiting any more.
 */
async function insert(
  clickHouse: ClickHouse,
  application: Application,
  table: TableName,
  body: Uint8Array,
): Promise<{ readonly isRepeated: boolean }> {
  const { batch, deadline } = application
  const once = () => {
    requireRight(application)
    const timeoutMs = Math.min(ATTEMPT_MAX_MS, deadline.leftMs)
    const token = `${batch.token} ${table}`
    return clickHouse.insert({ table, body, token, timeoutMs, shard: batch.shard, isOfShard: true })
  }
  let { isRepeated } = application
  await untilDeadline(application, async () => {
    try {
      await once()
      if (isRepeated) await once()
    } catch (error) {
      isRepeated = true
      throw error
    }
  })
  return { isRepeated }
}

/**
 * A process that was frozen may wake up long after another one has applied the batch, when ClickHouse does not recognize the insert any
 * more and would store it again.
 */
function requireRight({ batch, deadline, held }: Application): void {
  if (held.isHeld && !deadline.hasPassed) return
  const reason = held.isHeld ? 'its time is over' : 'the lock of the shard is lost'
  throw new AppError(
    'storage_unavailable',
    'The event store did not answer in time. Send the same request again later; nothing is stored twice.',
    { cause: new Error(`batch ${batch.first} of shard ${batch.shard} is left to the next holder: ${reason}`) },
  )
}

async function requireStored(clickHouse: ClickHouse, { batch, content, deadline }: Application): Promise<void> {
  const { domains, from, to } = boundsOf(content.events)
  const toSql = (source: ReadSource) => `SELECT uniqExact(arrival) FROM ${source.from('event')}
     WHERE ${source.isThere} AND domain IN (${[...domains].join(',')}) AND timestamp >= ${from} AND timestamp <= ${to}
       AND arrival >= ${batch.first} AND arrival < ${batch.first + batch.events}`
  const [[count] = []] = await deadline.run((signal) =>
    clickHouse.selectOf([...domains], toSql, { mustBeStrict: true, signal }),
  )
  if (Number(count) !== batch.events) {
    throw new AppError(
      'storage_unavailable',
      'The event store has not confirmed all events yet. Send the same request again later; nothing is stored twice.',
      {
        cause: new Error(`batch ${batch.first} of shard ${batch.shard}: ${count} of ${batch.events} events are stored`),
      },
    )
  }
}

/** Anything but a refusal is a bug, and is not repeated. */
async function untilDeadline({ deadline }: Application, attempt: () => Promise<void>): Promise<void> {
  for (let pause = PAUSE_MS; ; pause = Math.min(PAUSE_MAX_MS, pause * 2)) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof AppError) || deadline.leftMs <= pause) throw error
      await delay(pause)
    }
  }
}
