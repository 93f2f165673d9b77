/** A log in ClickHouse and PostgreSQL without its reading side: a real writer, and the tables as they are. */

import { systemClock } from '../../../../src/lib/clock.ts'
import type { ClickHouse } from '../../../../src/storage/clickhouse/server/clickhouse.ts'
import { connectClickHouse } from '../../../../src/storage/clickhouse/server/connect-clickhouse.ts'
import { ArrivalNotices } from '../../../../src/storage/clickhouse/writing/arrival-notices.ts'
import { EventWriter } from '../../../../src/storage/clickhouse/writing/event-writer.ts'
import { BatchStore } from '../../../../src/storage/postgres/batches/batch-store.ts'
import { Postgres } from '../../../../src/storage/postgres/database/postgres.ts'
import type { PostgresDatabases } from '../postgres-databases.ts'
import type { SharedCluster } from './cluster.ts'

export interface UpkeepScene extends AsyncDisposable {
  readonly db: Postgres
  readonly clickHouse: ClickHouse
  readonly batches: BatchStore
  readonly writer: EventWriter
  /** A second server on the same data. */
  beside(): Promise<UpkeepScene>
}

export async function openUpkeepScene(cluster: SharedCluster, databases: PostgresDatabases): Promise<UpkeepScene> {
  const options = await cluster.createMigrated()
  const url = await databases.create()
  const scene = await open()
  return {
    ...scene,
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]()
      await cluster.dropDatabase(options.database)
    },
  }

  async function open(): Promise<UpkeepScene> {
    const clickHouse = await connectClickHouse(options)
    const db = new Postgres(url)
    const batches = new BatchStore({ db })
    const notices = new ArrivalNotices(db)
    const writer = new EventWriter({ clickHouse, batches, notices, clock: systemClock })
    return {
      db,
      clickHouse,
      batches,
      writer,
      beside: open,
      async [Symbol.asyncDispose]() {
        await writer.close()
        notices.close()
        batches.close()
        await db.close()
        await clickHouse.close()
      },
    }
  }
}
