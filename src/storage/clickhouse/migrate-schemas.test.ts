/** The number of shards on a real cluster: changed under the locks of all shards, also after a change that was interrupted. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type SharedCluster, startSteadyCluster } from '../../../test/harness/storage/clickhouse/cluster.ts'
import { PostgresDatabases } from '../../../test/harness/storage/postgres-databases.ts'
import { BatchStore } from '../postgres/batches/batch-store.ts'
import { Postgres } from '../postgres/database/postgres.ts'
import { changeShards } from './change-shards.ts'
import { migrateSchemas } from './migrate-schemas.ts'
import type { Databases } from './open-clickhouse-storage.ts'
import { hasOwnShardView } from './schema/own-shard-view.ts'
import { findSchemaState, listUsedShards } from './schema/schema-state.ts'
import { TABLES } from './schema/tables.ts'
import type { ClickHouse } from './server/clickhouse.ts'
import { connectClickHouse } from './server/connect-clickhouse.ts'

let cluster: SharedCluster
let postgres: PostgresDatabases
let databases: Databases
let clickHouse: ClickHouse
before(async () => {
  ;[cluster, postgres] = await Promise.all([startSteadyCluster(), PostgresDatabases.start()])
  const clickhouse = await cluster.createDatabase()
  databases = { postgresUrl: await postgres.create({ isMigrated: false }), clickhouse }
  clickHouse = await connectClickHouse(clickhouse)
})
after(async () => {
  await clickHouse?.close()
  await cluster?.[Symbol.asyncDispose]()
  await postgres?.[Symbol.asyncDispose]()
})

const ignore = () => undefined
const migrate = (shards?: number) => migrateSchemas(databases, ignore, ignore, shards)
const stateOf = async () => ({
  shards: (await findSchemaState(clickHouse))?.shards,
  used: await listUsedShards(clickHouse),
})

test('a change of the number of shards that died halfway is finished under the locks, and not guessed', async () => {
  await migrate(1)
  assert.deepEqual(await stateOf(), { shards: 1, used: [1] })
  await assert.rejects(changeShards(databases.postgresUrl, withoutViews(clickHouse), 2, [1]), /died/)
  assert.deepEqual(await stateOf(), { shards: undefined, used: [1, 2] })
  await assert.rejects(migrate(), /tables for 1 and 2 shards\. Finish or undo it with: envelog migrate --shards N/)
  // A server that was running has decided something meanwhile.
  const db = new Postgres(databases.postgresUrl)
  const batches = new BatchStore({ db })
  await batches.hold(0, 1000, (held) =>
    held.decide([1], async () => ({ events: 1, token: 'a', domainNumbers: new Set([1]), payload: new Uint8Array(1) })),
  )
  await assert.rejects(migrate(2), /Batches of shard 0 are not stored yet/)
  assert.deepEqual(await stateOf(), { shards: undefined, used: [1, 2] })
  await db.run('DELETE FROM batch')
  await migrate(2)
  assert.deepEqual(await stateOf(), { shards: 2, used: [2] })
  batches.close()
  await db.close()
})

test('domains are on one shard as long as the number of shards was not changed, also on servers that are added', async () => {
  const { database } = databases.clickhouse
  const has = (shards: number) => hasOwnShardView(clickHouse, shards)
  // Nothing is stored yet: whatever the number was before does not matter.
  await migrate()
  assert.deepEqual([await has(1), await has(2)], [false, true])
  await post(`INSERT INTO ${database}.domain_change (domain, changed_at_ms) VALUES (1, 1)`)
  await post(`DROP TABLE ${database}.own_shard_2`)
  await migrate()
  for (const { url } of cluster.servers) {
    assert.equal(await (await fetch(`${url}/?query=SELECT+count()+FROM+${database}.own_shard_2`)).text(), '1\n')
  }
  await migrate(1)
  assert.deepEqual([await has(1), await has(2)], [false, false])
  await migrate(2)
  assert.deepEqual([await has(1), await has(2)], [false, false])
})

/** To the first server. */
async function post(sql: string): Promise<void> {
  const answer = await fetch(cluster.servers[0]?.url ?? '', { method: 'POST', body: sql })
  assert.equal(answer.status, 200, await answer.text())
}

test('a server that lost its tables gets them again, and does not decide about the number of shards', async () => {
  await migrate(1)
  const [replaced] = cluster.servers
  const { database } = databases.clickhouse
  for (const name of ['schema_state', ...TABLES.map((table) => `${table}_all_1`)]) {
    const answer = await fetch(replaced?.url ?? '', { method: 'POST', body: `DROP TABLE ${database}.${name}` })
    assert.equal(answer.status, 200, await answer.text())
  }
  const own = await connectClickHouse({ ...databases.clickhouse, urls: [replaced?.url ?? ''] })
  assert.equal(await findSchemaState(own), undefined)
  await own.close()
  // Whichever server is asked first.
  for (const _ of cluster.servers) assert.equal((await findSchemaState(clickHouse))?.shards, 1)
  const onlyReplaced = { ...databases.clickhouse, urls: [replaced?.url ?? ''] }
  await migrateSchemas({ ...databases, clickhouse: onlyReplaced }, ignore, ignore)
  assert.deepEqual(await stateOf(), { shards: 1, used: [1] })
  const answer = await fetch(`${replaced?.url}/?query=SELECT+shards+FROM+${database}.schema_state`)
  assert.equal(await answer.text(), '1\n')
})

/** Dies where the state was dropped and is not written yet. */
function withoutViews(connected: ClickHouse): ClickHouse {
  return Object.create(connected, {
    select: { value: connected.select.bind(connected) },
    command: {
      value: async (...given: Parameters<ClickHouse['command']>) => {
        if (given[0].startsWith('CREATE VIEW')) throw new Error('died')
        await connected.command(...given)
      },
    },
  }) as ClickHouse
}
