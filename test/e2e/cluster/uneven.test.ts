/** Shards with different numbers of replicas: each has as many copies of an event as it can, two at most. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { watchSilent } from '../../../src/storage/clickhouse/schema/silent-members.ts'
import { connectClickHouse } from '../../../src/storage/clickhouse/server/connect-clickhouse.ts'
import { ask } from '../../harness/cluster/ask-replica.ts'
import { LogClient } from '../../harness/log/log-client.ts'
import { createTraffic } from '../../harness/log/traffic.ts'
import { openSeveralServers, type SeveralServers } from '../../harness/programs/several-servers.ts'
import { eventually } from '../../harness/programs/tail-process.ts'

const PATIENCE_MS = 120_000
const NOW = Math.floor(Date.now() / 1000)

let installation: SeveralServers
let client: LogClient
before(async () => {
  // The fourth server is in nobody's configuration.
  const layout = { shards: 2, replicas: 2, configured: [[0, 1], [2]] }
  installation = await openSeveralServers({ layout, servers: 1 })
  client = new LogClient(installation.servers[0]?.address ?? '', installation)
})
after(() => installation?.[Symbol.asyncDispose]())

test('events are stored on all replicas of their shards, listed, counted and recognized, and the schema can be migrated', async () => {
  const { domains } = installation
  const batch = createTraffic({ domains, now: NOW }).nextBatch(200, [0, 1])
  await client.ingest(batch)
  assert.deepEqual(await client.ingest(batch), { stored: 0, duplicates: batch.length, rejected: [] })
  const stats = await client.stats()
  for (const domain of domains) {
    const sent = batch.filter((event) => event.domain_name === domain)
    assert.equal((await client.listAll(domain)).length, sent.length)
    assert.equal(stats[domain]?.reception, sent.filter(({ type }) => type === 'Reception').length)
  }
  const [first = 0, second, single = 0] = await Promise.all([0, 1, 2].map((index) => countRows(index)))
  assert.equal(first, second)
  assert.equal(first + single, batch.length)
  assert.ok(first > 0 && single > 0)
  const { exitCode, stdout, stderr } = await installation.cli('migrate')
  assert.equal(exitCode, 0, stderr)
  assert.match(stdout, /up to date/)
})

test('while one of two replicas is dead, only their shard refuses events, and a migration says who is missing', async () => {
  const { cluster, env } = installation
  const [single = '', paired = ''] = await domainsByShard()
  const { process } = cluster.servers[1] ?? assert.fail()
  const [[dead] = []] = await query(
    0,
    "SELECT concat(host_name, ':', toString(port)) FROM system.clusters WHERE cluster = 'envelog' AND shard_num = 1 AND replica_num = 2",
  )
  await process.kill()
  const post = async (domain: string, firstNumber: number) => {
    const batch = createTraffic({ domains: [domain], now: NOW, firstNumber }).nextBatch(10, [0])
    return (await client.post(JSON.stringify(batch))).status
  }
  assert.equal(await post(paired, 10_000), 503)
  await until(async () => (await post(single, 20_000)) === 200)

  const { exitCode, stderr } = await installation.cli('migrate')
  assert.equal(exitCode, 1)
  assert.ok(stderr.includes(`(missing: ${dead})`), stderr)
  assert.match(stderr, /ClickHouse was not changed/)

  const clickHouse = await connectClickHouse({
    urls: (env['ENVELOG_CLICKHOUSE_URL'] ?? '').split(','),
    user: env['ENVELOG_CLICKHOUSE_USER'] ?? '',
    password: env['ENVELOG_CLICKHOUSE_PASSWORD'] ?? '',
    database: env['ENVELOG_CLICKHOUSE_DATABASE'] ?? '',
    cluster: 'envelog',
  })
  const waitedFor: string[] = []
  {
    using _watch = watchSilent(clickHouse, (servers) => void waitedFor.push(servers), 100)
    await until(async () => waitedFor.length > 0)
  }
  assert.deepEqual(waitedFor, [dead])
  await clickHouse.close()

  await process.start()
  await until(async () => (await post(paired, 10_000)) === 200)
})

/** That of the shard with one replica, then the other. */
async function domainsByShard(): Promise<readonly string[]> {
  const [[id] = []] = await query(2, 'SELECT any(sender) FROM event')
  const isSingle = (domain: string) => id === `bounces@${domain}`
  return installation.domains.toSorted((a, b) => Number(isSingle(b)) - Number(isSingle(a)))
}

async function countRows(index: number): Promise<number> {
  return Number((await query(index, 'SELECT count() FROM event'))[0]?.[0])
}

function query(index: number, sql: string) {
  return ask(installation.cluster.servers[index]?.url ?? '', installation.env['ENVELOG_CLICKHOUSE_DATABASE'] ?? '', sql)
}

function until(isTrue: () => Promise<boolean>): Promise<void> {
  return eventually(async () => ((await isTrue()) ? undefined : 'it did not become true'), PATIENCE_MS)
}
