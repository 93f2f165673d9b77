/** What a connection finds out about a cluster, from servers that answer each statement as a test says. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, type TestContext, test } from 'node:test'
import { createClickHouseServer } from '../../../../test/harness/storage/clickhouse/clickhouse-server.ts'
import { Addresses } from './addresses.ts'
import { connectClickHouse } from './connect-clickhouse.ts'

interface Scene {
  /** Of each server. */
  readonly versions?: readonly string[]
  /** Replicas and weight of each shard. */
  readonly layout?: string
  /** Version, shards and serves of the schema. */
  readonly schema?: string
  readonly hasOwnShards?: boolean
  /** Of the tables that there are: `event`, or what has all shards of it unless another name is before the engine. */
  readonly engines?: readonly string[]
}

const VIEW = 'own_shard_2\n'
const nameOf = (engine: string) => {
  if (engine.includes('\t')) return engine
  return `${engine.startsWith('Distributed') ? 'event_all_2' : 'event'}\t${engine}`
}

async function connect(
  t: TestContext,
  scene: Scene,
  name: { readonly database?: string; readonly cluster?: string } = {},
) {
  const { versions = ['24.8.1'], layout = '2\t1\n2\t1\n', schema, hasOwnShards = true, engines = [] } = scene
  const inserts: URLSearchParams[] = []
  const statements: string[] = []
  const urls: string[] = []
  for (const version of versions) {
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const parameters = new URL(request.url ?? '', 'http://x').searchParams
      const sql = parameters.get('query') ?? (await text(request))
      statements.push(sql)
      if (sql.startsWith('INSERT')) inserts.push(parameters)
      response.end(answerTo(sql, version))
    }
    const server = createClickHouseServer((request, response) => void answer(request, response))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }
  const answerTo = (sql: string, version: string) => {
    if (sql.includes('version()')) return `${version}\n`
    if (sql.includes('system.clusters')) return sql.includes('is_local') ? '' : layout
    if (sql.includes('engine_full')) return engines.map((engine) => `${nameOf(engine)}\n`).join('')
    if (sql.includes("name = 'schema_state'")) return schema === undefined ? '' : 'schema_state\n'
    if (sql.includes('`.schema_state')) return schema ?? ''
    return sql.includes("name = 'own_shard_2'") && hasOwnShards ? VIEW : ''
  }
  const clickHouse = await connectClickHouse({ urls, user: 'u', password: 'p', database: 'd', ...name })
  t.after(() => clickHouse.close())
  return { clickHouse, inserts, statements }
}

const CLUSTER = { cluster: 'c' }
const insertion = { table: 'domain_change', body: Buffer.from('!'), token: 't', timeoutMs: 10_000, shard: 1 } as const

describe('a connection', () => {
  test('has the version of the oldest server', async (t) => {
    for (const versions of [
      ['24.8.1', '18.16.1', '23.3'],
      ['18.16.1', '24.8.1'],
      ['24.8.1', '24.9.1', '18.16.1'],
    ]) {
      assert.deepEqual((await connect(t, { versions })).clickHouse.version, [18, 16])
    }
  })

  test('to a single server has one shard without replicas', async (t) => {
    const { clickHouse, inserts, statements } = await connect(t, { schema: '1\t1\t1\n' })
    assert.ok(statements.every((sql) => !sql.includes('own_shard')))
    assert.deepEqual([clickHouse.shards, clickHouse.configuredShards, clickHouse.cluster], [1, 1, undefined])
    assert.deepEqual(clickHouse.divide([1, 2]), [[1, 2]])
    await clickHouse.insert({ ...insertion, shard: 0, isOfShard: true })
    assert.equal(inserts[0]?.get('insert_quorum'), null)
  })

  test('has the shards of the configuration until there is a schema, which tells how many are used', async (t) => {
    const layout = '2\t1\n1\t1\n2\t1\n'
    const { clickHouse } = await connect(t, { layout }, CLUSTER)
    assert.deepEqual([clickHouse.shards, clickHouse.configuredShards, clickHouse.cluster], [3, 3, 'c'])
    assert.deepEqual(clickHouse.divide([1, 2]), [[1, 2]])
    assert.equal((await connect(t, { layout: '2\t1\n' }, CLUSTER)).clickHouse.shards, 1)
    const migrated = await connect(t, { layout, schema: '1\t2\t1\n' }, CLUSTER)
    assert.deepEqual([migrated.clickHouse.shards, migrated.clickHouse.configuredShards], [2, 3])
  })

  test('knows domains by their shards if they never were on others, and shards have no weights', async (t) => {
    const schema = '1\t2\t1\n'
    const divide = async (scene: Scene) => (await connect(t, { schema, ...scene }, CLUSTER)).clickHouse.divide([1, 2])
    assert.deepEqual(await divide({}), [[1], [2]])
    assert.deepEqual(await divide({ hasOwnShards: false }), [[1, 2]])
    assert.deepEqual(await divide({ layout: '2\t1\n2\t3\n' }), [[1, 2]])
    assert.deepEqual(await divide({ layout: '2\t3\n2\t3\n' }), [[1, 2]])
  })

  test('stores on as many replicas as the shard has, or with weights as any of them', async (t) => {
    const quorum = async (layout: string) => {
      const { clickHouse, inserts } = await connect(t, { layout, schema: '1\t2\t1\n' }, CLUSTER)
      await clickHouse.insert({ ...insertion, isOfShard: true })
      return inserts[0]?.get('insert_quorum')
    }
    assert.equal(await quorum('1\t1\n2\t1\n'), '2')
    assert.equal(await quorum('1\t2\n1\t1\n'), null)
    assert.equal(await quorum('2\t2\n3\t1\n'), '2')
    await assert.rejects(quorum('1\t1\n2\t2\n'), { code: 'conflict', message: /have weights, and only some/ })
  })

  test('is accepted with the tables of its cluster, or with those of a single server', async (t) => {
    for (const engines of [
      ["ReplicatedMergeTree('/p', '{replica}') ORDER BY domain", 'Distributed(c, d, event, domain % 2)'],
      ['SharedMergeTree ORDER BY domain', "Distributed('c', 'd', 'event', domain % 2)"],
    ]) {
      assert.equal((await connect(t, { engines }, CLUSTER)).clickHouse.cluster, 'c')
    }
    for (const engine of [
      'MergeTree ORDER BY domain',
      // As hosted services have them.
      'SharedMergeTree ORDER BY domain',
      "ReplicatedMergeTree('/theirs/{uuid}/{shard}', '{replica}') ORDER BY domain",
      // Of the operator.
      'archive\tDistributed(other, d, events)',
    ]) {
      assert.equal((await connect(t, { engines: [engine] })).clickHouse.cluster, undefined)
    }
    const archive = ['archive\tDistributed(other, d, events)']
    assert.equal((await connect(t, { engines: archive }, CLUSTER)).clickHouse.cluster, 'c')
  })

  test('is refused with the tables of another cluster, and to a part of a cluster as a single server', async (t) => {
    const close = t.mock.method(Addresses.prototype, 'close')
    const replicated = "ReplicatedMergeTree('/clickhouse/tables/{shard}/d/event_1', '{replica}') ORDER BY domain"
    for (const [engines, name, message] of [
      [[replicated], {}, /belong to a cluster, but ENVELOG_CLICKHOUSE_CLUSTER is not set/],
      [['Distributed(c, d, event, domain % 2)'], {}, /belong to a cluster/],
      [['MergeTree ORDER BY domain'], CLUSTER, /are those of a single server, but ENVELOG_CLICKHOUSE_CLUSTER is c\./],
      [[replicated, 'Distributed(a-b, d, event, domain % 2)'], CLUSTER, /belong to the cluster a-b, but .* is c\./],
      [['Distributed(`a-b`, d, event, domain % 2)'], CLUSTER, /the cluster a-b,/],
      [["Distributed('c2', 'd', 'event', domain % 2)"], CLUSTER, /the cluster c2,/],
    ] as const) {
      await assert.rejects(connect(t, { engines }, name), { code: 'conflict', message })
    }
    assert.equal(close.mock.callCount(), 6)
  })

  test('is refused for a cluster that the servers do not know, and for names that are none', async (t) => {
    const close = t.mock.method(Addresses.prototype, 'close')
    await assert.rejects(connect(t, { layout: '' }, CLUSTER), { code: 'conflict', message: /no cluster c / })
    assert.equal(close.mock.callCount(), 1)
    for (const name of [{ database: "x'" }, { database: '' }, { cluster: 'a b' }, { cluster: '' }]) {
      await assert.rejects(connect(t, {}, name), { code: 'invalid_request' })
    }
  })
})
