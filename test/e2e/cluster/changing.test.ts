/** A cluster that changes under load, as docs/scaling.md says: a new version, one more replica, another one lost for good, one more shard. */
import assert from 'node:assert/strict'
import { cpSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { EmailEvent } from '../../../src/events/event.ts'
import { LogClient } from '../../harness/log/log-client.ts'
import { createTraffic } from '../../harness/log/traffic.ts'
import { runCli } from '../../harness/programs/run-cli.ts'
import { type ServerProcess, serveProcess } from '../../harness/programs/server-process.ts'
import { openSeveralServers, type SeveralServers } from '../../harness/programs/several-servers.ts'
import type { Members } from '../../harness/storage/clickhouse/cluster.ts'
import { openTemporaryFolder } from '../../harness/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PATIENCE_MS = 120_000
const BATCH = 50
/** Between batches: what changes the cluster needs the processors, too. */
const PAUSE_MS = 100

let installation: SeveralServers
let load: Load
let running: readonly ServerProcess[]
before(async () => {
  const layout = { shards: 2, replicas: 3, configured: [[0, 1]] }
  installation = await openSeveralServers({ layout, servers: 2 })
  running = installation.servers
  load = new Load(installation)
})
after(async () => {
  await load?.stop()
  await installation?.[Symbol.asyncDispose]()
})

test('a replica that is added gets everything, and takes the place of one that is lost', async () => {
  await load.untilMore()
  await configure([[0, 1, 2]], [0, 1, 2])
  await migrate([0, 1, 2])
  await until(async () => (await countRows(2)) >= load.acknowledged.length)
  // For good: with its disk.
  await server(1).process.kill()
  rmSync(join(installation.cluster.folder, 'server-1', 'data'), { recursive: true })
  await configure([[0, 2]], [0, 2])
  await load.untilMore()
  await until(async () => (await countRows(2)) === (await countRows(0)))
})

test('a shard that is added gets its part of the new events, and the others are found as before', async () => {
  const members = [
    [0, 2],
    [3, 4],
  ]
  // The new servers first: reads ask every shard of the configuration.
  await configure(members, [3, 4])
  await migrate([3, 4])
  await configure(members, [0, 2])
  await load.untilMore()
  assert.equal(await countRows(3), 0, 'nothing is divided yet')
  await migrate([0, 2, 3, 4], '--shards', '2')
  await load.pause()
  for (const server of running) assert.equal(await server.stop(), 0)
  running = [await installation.start(toEnv([0, 2, 3, 4])), await installation.start(toEnv([0, 2, 3, 4]))]
  load.use(running)
  await load.untilMore()
  await load.pause()
  assert.ok((await countRows(3)) > 0, 'the new shard has events')
  await load.check()
})

test('servers are updated one by one, while both versions run', async () => {
  using folder = openTemporaryFolder()
  const launcher = copyAsNextVersion(folder.path)
  const env = { ...installation.env, ...toEnv([0, 2, 3, 4]) }
  load.use(running)
  const { exitCode, stderr } = await runCli(['migrate'], { cwd: folder.path, env, launcher })
  assert.equal(exitCode, 0, stderr)
  await load.untilMore()
  const [first, second] = running
  assert.ok(first && second)
  // The earlier version can also be started on the new schema.
  assert.equal(await first.stop(), 0)
  const restarted = await installation.start(env, first.dataDir)
  const next = await serveProcess({ args: [join(folder.path, 'src/main.ts')], env })
  load.use([restarted, next])
  assert.equal(await second.stop(), 0)
  await load.untilMore()
  await load.pause()
  await load.check()
  assert.equal(await next.stop(), 0)
})

/** Sends batches until it is stopped, each until it is stored; remembers what was acknowledged. */
class Load {
  readonly acknowledged: EmailEvent[] = []
  readonly #installation: SeveralServers
  readonly #traffic: ReturnType<typeof createTraffic>
  #clients: readonly LogClient[] = []
  #isStopped = false
  #isPaused = false
  #hasEnded = false
  #running: Promise<void>

  constructor(opened: SeveralServers) {
    this.#installation = opened
    this.#traffic = createTraffic({ domains: opened.domains, now: Math.floor(Date.now() / 1000) })
    this.use(opened.servers)
    this.#running = this.#run()
    this.#running.catch(() => undefined)
  }

  /** Goes on with these servers. */
  use(servers: readonly ServerProcess[]): void {
    this.#clients = servers.map(({ address }) => new LogClient(address, this.#installation))
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#running = this.#run()
    this.#running.catch(() => undefined)
  }

  /** Some batches more have been stored. */
  async untilMore(): Promise<void> {
    const wanted = this.acknowledged.length + BATCH * 4
    await until(async () => this.acknowledged.length >= wanted || this.#hasEnded)
    assert.ok(!this.#hasEnded, 'the load has ended')
  }

  async pause(): Promise<void> {
    this.#isPaused = true
    await this.#running
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  /** Everything acknowledged is listed once, counted once and recognized, by every server. */
  async check(): Promise<void> {
    const { domains } = this.#installation
    for (const client of this.#clients) {
      for (const domain of domains) {
        const listed = (await client.listAll(domain)).map(identityOf).sort()
        const sent = this.acknowledged.filter((event) => event.domain_name === domain)
        assert.deepEqual(listed, sent.map(identityOf).sort())
        const deliveries = sent.filter(({ type }) => type === 'Delivery').length
        assert.equal((await client.stats())[domain]?.delivery, deliveries)
      }
      const again = await client.ingest(this.acknowledged)
      assert.deepEqual(again, { stored: 0, duplicates: this.acknowledged.length, rejected: [] })
    }
  }

  async #run(): Promise<void> {
    try {
      await this.#send()
    } catch (error) {
      this.#hasEnded = true
      throw error
    }
  }

  async #send(): Promise<void> {
    for (let turn = 0; !this.#isStopped && !this.#isPaused; turn++) {
      const batch = this.#traffic.nextBatch(BATCH, [0, 1])
      let attempt = turn
      await until(async () => this.#isPaused || (await this.#post(attempt++, batch)))
      await delay(PAUSE_MS)
    }
  }

  async #post(turn: number, batch: readonly EmailEvent[]): Promise<boolean> {
    const client = this.#clients[turn % this.#clients.length] ?? assert.fail()
    // A server that stops refuses connections: the next one is asked.
    const { status } = await client.post(JSON.stringify(batch)).catch(() => ({ status: 503 }))
    assert.ok(status === 200 || status === 503, `status ${status}`)
    if (status === 200) this.acknowledged.push(...batch)
    return status === 200
  }
}

/** This checkout with one more migration, with which servers of this version can work. Returns its command. */
function copyAsNextVersion(folder: string): string {
  for (const name of ['bin', 'src', 'integrations', 'docs', 'package.json', 'console/dist']) {
    cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const migrations = join(folder, 'src/storage/postgres/control/migrations')
  const present = readdirSync(migrations).length
  const sql = `-- Serves: ${present}\nCREATE TABLE of_the_next_version (id bigint);\n`
  writeFileSync(join(migrations, `${String(present + 1).padStart(4, '0')}_next.sql`), sql)
  return join(folder, 'bin/envelog')
}

function identityOf({ id, recipient, type, timestamp }: EmailEvent): string {
  return `${timestamp} ${type} ${id} ${recipient}`
}

function server(index: number): SeveralServers['cluster']['servers'][number] {
  return installation.cluster.servers[index] ?? assert.fail()
}

function toEnv(indexes: readonly number[]): Readonly<Record<string, string>> {
  return { ENVELOG_CLICKHOUSE_URL: indexes.map((index) => server(index).url).join(',') }
}

/** Resolves when the servers know it. */
async function configure(members: Members, indexes: readonly number[]): Promise<void> {
  for (const index of indexes) server(index).configure(members)
  const known = `SELECT count() FROM system.clusters WHERE cluster = 'envelog'`
  for (const index of indexes) await until(async () => (await ask(index, known)) === String(members.flat().length))
}

async function migrate(indexes: readonly number[], ...args: readonly string[]): Promise<void> {
  const env = { ...installation.env, ...toEnv(indexes) }
  const cwd = installation.cluster.folder
  const { exitCode, stderr } = await runCli(['migrate', ...args], { cwd, env })
  assert.equal(exitCode, 0, stderr)
}

async function countRows(index: number): Promise<number> {
  return Number(await ask(index, `SELECT count() FROM ${installation.env['ENVELOG_CLICKHOUSE_DATABASE']}.event`))
}

async function ask(index: number, body: string): Promise<string> {
  const answer = await fetch(server(index).url, { method: 'POST', body })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  return text.trim()
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await isTrue()); await delay(100)) {
    assert(Date.now() < end, 'it did not become true')
  }
}
