/**
 * An installation of three servers on PostgreSQL and a ClickHouse cluster, in use all the time, while everything that it consists of dies,
 * freezes or cannot be reached.
 */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { createSeededRandom } from '../../../src/lib/seeded-random.ts'
import { LOCKS } from '../../../src/storage/postgres/database/locks.ts'
import type { ServerProcess } from '../programs/server-process.ts'
import { openSeveralServers, type SeveralServers } from '../programs/several-servers.ts'
import { BalancedServers } from './balanced-servers.ts'
import { checkInstallation } from './check-installation.ts'
import { ConstantLoad } from './constant-load.ts'
import { CutWays } from './cut-ways.ts'
import { NumberedTraffic } from './numbered-traffic.ts'
import { StreamFollower } from './readers.ts'
import { RepeatedWalks } from './repeated-walks.ts'

const DAY_SECONDS = 86_400
const HOLDING_PATIENCE_MS = 60_000
const PROGRESS_MS = 60_000
/** What a frozen server has sent before is carried out by then. */
const SETTLED_MS = 150
/** Of PostgreSQL, for the server that is killed and frozen: so it is known what that one holds. */
const VICTIM = 'victim'

export interface KillingOptions {
  readonly events: number
  readonly paceMs: number
  readonly seed: number
}

export interface Fault {
  readonly name: string
  run(scene: KillingScene): Promise<void>
}

export class KillingScene implements AsyncDisposable {
  readonly installation: SeveralServers
  readonly balanced: BalancedServers
  readonly traffic: NumberedTraffic
  readonly ways: CutWays
  readonly #resources: AsyncDisposableStack
  readonly #options: KillingOptions
  readonly #now = Math.floor(Date.now() / 1000)
  #victim: ServerProcess

  private constructor(
    installation: SeveralServers,
    [victim, cut]: readonly [ServerProcess, ServerProcess],
    ways: CutWays,
    options: KillingOptions,
    resources: AsyncDisposableStack,
  ) {
    this.installation = installation
    this.ways = ways
    this.balanced = new BalancedServers([...installation.servers, victim, cut])
    this.traffic = new NumberedTraffic(installation.domains, this.#now)
    this.#victim = victim
    this.#options = options
    this.#resources = resources
  }

  static async open(options: KillingOptions): Promise<KillingScene> {
    const resources = new AsyncDisposableStack()
    try {
      const installation = resources.use(await openSeveralServers({ servers: 1 }))
      const client = await installation.postgres.server.connect()
      await client.query(`CREATE ROLE ${VICTIM} SUPERUSER LOGIN`)
      await client.end()
      const ways = resources.use(await CutWays.open(installation.postgresUrl, installation.cluster))
      const servers = await Promise.all([
        startVictim(installation),
        installation.start(ways.env, undefined, ways.prefix),
      ])
      return new KillingScene(installation, servers, ways, options, resources)
    } catch (error) {
      await resources.disposeAsync()
      throw error
    }
  }

  /** Runs the faults under load, and checks everything afterwards. `report` gets figures. */
  async run(faults: readonly Fault[], report: (text: string) => void): Promise<void> {
    const { events, paceMs, seed } = this.#options
    const { ingestKey, tenantKey, domains } = this.installation
    const { balanced, traffic } = this
    const readers = { balanced, traffic, tenantKey }
    report(`ways to the databases are cut by ${this.ways.kind}`)
    using follower = await StreamFollower.start(readers)
    using _progress = this.#reportProgress(follower, report)
    const load = new ConstantLoad({ balanced, traffic, ingestKey, random: createSeededRandom(seed), events, paceMs })
    const walks = new RepeatedWalks(readers, domains, this.#window)
    for (const fault of faults) {
      const before = traffic.acknowledgedEvents
      const failed = Promise.race([load.ended.then(() => assert.fail('the load has ended')), walks.failed])
      await Promise.race([fault.run(this), failed])
      await Promise.race([this.untilIngesting(), failed])
      report(`${fault.name}: ${traffic.acknowledgedEvents - before} events acknowledged meanwhile`)
    }
    report(`${faults.length} faults are over`)
    await Promise.race([load.finish(), walks.failed])
    report(`${traffic.acknowledgedEvents} events acknowledged, answers ${this.#describeAnswers()}`)
    report(`${await walks.finish()} walks over alternating servers`)
    await checkInstallation(this.installation, readers, this.#window, report)
    report(`${await follower.finish()} events on the stream, ${follower.reconnections} reconnections`)
  }

  /** Until three requests have been acknowledged. */
  async untilIngesting(): Promise<void> {
    const needed = this.traffic.acknowledged.length + 3
    while (this.traffic.acknowledged.length < needed) await delay(50)
  }

  /** Freezes a server at a moment at which it holds a shard. */
  async freezeHolder(): Promise<ServerProcess> {
    const client = await this.installation.postgres.server.connect()
    const isHolding = async () => {
      const { rowCount } = await client.query(
        `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE locktype = 'advisory' AND classid = $1 AND granted AND usename = $2`,
        [LOCKS.shard, VICTIM],
      )
      return rowCount !== 0
    }
    try {
      for (const end = Date.now() + HOLDING_PATIENCE_MS; Date.now() < end; await delay(10)) {
        if (!(await isHolding())) continue
        this.#victim.signal('SIGSTOP')
        await delay(SETTLED_MS)
        if (await isHolding()) return this.#victim
        this.#victim.signal('SIGCONT')
      }
    } finally {
      await client.end()
    }
    assert.fail('the server was never seen to hold a shard')
  }

  /** In place of the one that was killed. */
  async replaceVictim(): Promise<void> {
    const next = await startVictim(this.installation)
    this.balanced.replace(this.#victim, next)
    this.#victim = next
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ways.mend()
    for (const { process } of this.installation.cluster.servers) process.thaw()
    // What they have not stored is not needed.
    await Promise.all([this.balanced[Symbol.asyncDispose](), ...this.balanced.servers.map((server) => server.kill())])
    await this.#resources.disposeAsync()
  }

  #reportProgress(follower: StreamFollower, report: (text: string) => void): Disposable {
    const timer = setInterval(() => {
      const { acknowledgedEvents: events } = this.traffic
      report(`${events} events acknowledged, ${follower.size} on the stream, answers ${this.#describeAnswers()}`)
    }, PROGRESS_MS)
    return { [Symbol.dispose]: () => clearInterval(timer) }
  }

  /** Numbers by status; 0: none. */
  #describeAnswers(): string {
    return [...this.balanced.answers].map(([status, count]) => `${status}: ${count}`).join(', ')
  }

  get #window(): Readonly<Record<string, string>> {
    return { start_timestamp: String(this.#now - 4 * DAY_SECONDS), end_timestamp: String(this.#now + 1) }
  }
}

function startVictim(installation: SeveralServers): Promise<ServerProcess> {
  return installation.start({ ENVELOG_POSTGRES_URL: installation.postgresUrl.replace(/\/\/\w+@/, `//${VICTIM}@`) })
}
