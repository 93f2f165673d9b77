/** The connection to a real cluster whose members are killed, frozen and restarted. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type ClickHouseCluster, startCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { AppError } from '../../../lib/app-error.ts'
import { BudgetError, type ClickHouse } from './clickhouse.ts'
import { type ClickHouseOptions, connectClickHouse } from './connect-clickhouse.ts'

const PATIENCE_MS = 60_000
const COUNT = 'SELECT count() FROM domain_change_all_2'

suite('connection to ClickHouse', () => {
  let cluster: ClickHouseCluster
  let options: ClickHouseOptions
  let clickHouse: ClickHouse
  before(async () => {
    cluster = await startCluster()
    const migrated = await cluster.openDatabase()
    options = { ...(await cluster.createDatabase()), database: migrated.database }
    clickHouse = migrated
  })
  after(async () => {
    await clickHouse.close()
    await cluster[Symbol.asyncDispose]()
  })

  test('values come back as they are on the server, whatever is in them', async () => {
    const text = String.raw`'\0\t\n\r\\\'ä😀'`
    const [row] = await clickHouse.select(`SELECT ${text}, '', 1.5, '\\\\N'`)
    assert.deepEqual(row, ["\0\t\n\r\\'ä😀", '', '1.5', '\\N'])
    assert.deepEqual(await clickHouse.select('SELECT 1 WHERE 0'), [])
    assert.deepEqual(await clickHouse.select("SELECT '' AS a UNION ALL SELECT ''"), [[''], ['']])
  })

  test('a read cannot change anything', async () => {
    await assert.rejects(clickHouse.select('DROP TABLE event'), /readonly/)
  })

  test('a read ends with its budget, and with its signal', async () => {
    const endless = 'SELECT count() FROM system.numbers'
    await assert.rejects(clickHouse.select(endless, { budgetMs: 200 }), BudgetError)
    await assert.rejects(clickHouse.select(endless, { settings: { max_rows_to_read: 10 } }), BudgetError)
    const reason = new Error('the caller left')
    const controller = new AbortController()
    const reading = clickHouse.select(endless, { signal: controller.signal })
    reading.catch(() => undefined)
    const isRunning = () => isRunningAnywhere(endless)
    await until(isRunning)
    controller.abort(reason)
    await assert.rejects(reading, reason)
    // Long before its time is used up, which is 30 seconds.
    const deadline = performance.now() + 15_000
    await until(async () => performance.now() > deadline || !(await isRunning()))
    assert.ok(!(await isRunning()), 'the server goes on with it')
    await assert.rejects(clickHouse.select(endless, { signal: AbortSignal.abort(reason) }), reason)
  })

  test('a repeated insert is stored once, and is on both replicas of its shard when it is acknowledged', async () => {
    await clickHouse.insert(change(1001))
    await clickHouse.insert(change(1001))
    for (const { url, shard } of cluster.servers) {
      const sql = `SELECT count() FROM ${options.database}.domain_change WHERE domain = 1001`
      const response = await fetch(url, { method: 'POST', body: sql })
      assert.equal(await response.text(), shard === 1 ? '1\n' : '0\n')
    }
  })

  test('neither errors nor their causes contain the password, and nothing is printed', async (t) => {
    const written = ['log', 'warn', 'error'].map((name) => t.mock.method(console, name as 'log'))
    for (const wrong of [
      { ...options, password: 'wrong-password' },
      { ...options, urls: ['http://someone:wrong-password@127.0.0.1:9'] },
      { ...options, password: 'wrong-password', urls: ['http://127.0.0.1:9'] },
    ]) {
      const error = await connectClickHouse(wrong).then(
        () => assert.fail('it connected'),
        (failure: unknown) => failure,
      )
      assert.ok(error instanceof Error)
      assert.doesNotMatch(`${inspectAll(error)}`, /wrong-password/)
    }
    assert.deepEqual(
      written.map(({ mock }) => mock.callCount()),
      [0, 0, 0],
    )
  })

  test('a cluster that ClickHouse does not know is refused by its name', async () => {
    await assert.rejects(connectClickHouse({ ...options, cluster: 'elsewhere' }), /no cluster elsewhere/)
    await assert.rejects(connectClickHouse({ ...options, database: "x'; DROP" }), /Not a valid name/)
  })

  test('an address that never answers is left for another one', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    const urls = [`http://127.0.0.1:${port}`, ...options.urls]
    const connected = await connectClickHouse({ ...options, urls })
    for (const _ of urls) await connected.select('SELECT 1')
    assert.equal(connected.figures.usableAddresses, options.urls.length)
    await connected.close()
    silent.closeAllConnections()
    silent.close()
  })

  test('reads go on while a server is dead, and use it again when it is back', async () => {
    const [victim] = cluster.servers
    await victim?.process.kill()
    for (const _ of cluster.servers) await clickHouse.select(COUNT)
    assert.ok(clickHouse.figures.failovers > 0)
    // A quorum of two needs both replicas of the shard.
    await assert.rejects(clickHouse.insert(change(2000)), isUnavailable)
    await victim?.process.start()
    await until(() => clickHouse.figures.usableAddresses === cluster.servers.length)
    await until(() => stores(change(2000)))
  })

  test('a frozen server delays reads, and does not stop them', async () => {
    const [, victim] = cluster.servers
    victim?.process.freeze()
    for (const _ of cluster.servers) await clickHouse.select(COUNT)
    victim?.process.thaw()
    await until(() => stores(change(2002)))
  })

  test('without ZooKeeper reads fall back and are counted, those that must be strict and inserts are refused', async () => {
    const before = clickHouse.figures.fallbacks
    await cluster.zooKeeper?.kill()
    await clickHouse.select(COUNT)
    assert.ok(clickHouse.figures.fallbacks > before)
    await assert.rejects(clickHouse.select(COUNT, { mustBeStrict: true }), isUnavailable)
    await assert.rejects(clickHouse.insert(change(3000)), isUnavailable)
    await cluster.zooKeeper?.start()
    await until(() => stores(change(3000)))
    await until(async () => {
      const { fallbacks } = clickHouse.figures
      await clickHouse.select(COUNT)
      return clickHouse.figures.fallbacks === fallbacks
    })
    // The next address may not have its session yet.
    await until(() => clickHouse.select(COUNT, { mustBeStrict: true }).then(Boolean, () => false))
  })

  test('no server at all is storage_unavailable, also for a new connection', async () => {
    for (const { process } of cluster.servers) process.freeze()
    await assert.rejects(clickHouse.select('SELECT 1'), isUnavailable)
    await assert.rejects(connectClickHouse(options), isUnavailable)
    for (const { process } of cluster.servers) process.thaw()
    await until(() => clickHouse.select(COUNT).then(Boolean, () => false))
  })

  async function isRunningAnywhere(query: string): Promise<boolean> {
    const body = `SELECT count() FROM system.processes WHERE query LIKE '${query}%'`
    const asked = cluster.servers.map(async ({ url }) => (await fetch(url, { method: 'POST', body })).text())
    return (await Promise.all(asked)).some((count) => count !== '0\n')
  }

  async function stores(insertion: Parameters<ClickHouse['insert']>[0]): Promise<boolean> {
    return clickHouse.insert(insertion).then(
      () => true,
      () => false,
    )
  }
})

function change(domain: number) {
  return {
    table: 'domain_change' as const,
    body: Buffer.from(`${domain}\t1\n`),
    columns: ['domain', 'changed_at_ms'],
    format: 'TabSeparated' as const,
    token: `${domain}`,
    timeoutMs: 6000,
    shard: domain % 2,
  }
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await isTrue()); await delay(100)) {
    if (Date.now() > end) assert.fail('it did not become true')
  }
}

function inspectAll(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return `${error.stack} ${JSON.stringify(error)} ${inspectAll(error.cause)}`
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'storage_unavailable'
}
