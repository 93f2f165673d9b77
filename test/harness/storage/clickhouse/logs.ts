/** Event logs on a real cluster and a real PostgreSQL, both of the test's own. */
import { systemClock } from '../../../../src/lib/clock.ts'
import {
  type ClickHouseEventLog,
  type ClickHouseLogOptions,
  openClickHouseLog,
} from '../../../../src/storage/clickhouse/clickhouse-event-log.ts'
import type { ClickHouse } from '../../../../src/storage/clickhouse/server/clickhouse.ts'
import {
  type ClickHouseOptions,
  connectClickHouse,
} from '../../../../src/storage/clickhouse/server/connect-clickhouse.ts'
import { openControl, type PostgresControl } from '../../../../src/storage/postgres/control/open-control.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { PostgresDatabases } from '../postgres-databases.ts'
import { openCluster, type SharedCluster } from './cluster.ts'

/** An empty, migrated database in both. */
export interface LogPlace {
  readonly clickHouse: ClickHouseOptions
  readonly postgresUrl: string
}

type LogOptions = Partial<Pick<ClickHouseLogOptions, 'limits' | 'silenceMs' | 'clock' | 'onError'>>

export interface OpenedLog extends AsyncDisposable {
  readonly log: ClickHouseEventLog
  readonly clickHouse: ClickHouse
  readonly control: PostgresControl
}

export class ClickHouseLogs implements AsyncDisposable {
  readonly cluster: SharedCluster
  readonly databases: PostgresDatabases
  readonly #resources: AsyncDisposableStack

  private constructor(cluster: SharedCluster, databases: PostgresDatabases, resources: AsyncDisposableStack) {
    this.cluster = cluster
    this.databases = databases
    this.#resources = resources
  }

  /** `start`: the cluster. By default that of the whole run, of which no member may be stopped. */
  static async start(start: () => Promise<SharedCluster> = openCluster): Promise<ClickHouseLogs> {
    const resources = new AsyncDisposableStack()
    try {
      const [cluster, databases] = await Promise.all([
        start().then((started) => resources.use(started)),
        PostgresDatabases.start().then((started) => resources.use(started)),
      ])
      return new ClickHouseLogs(cluster, databases, resources)
    } catch (error) {
      await resources.disposeAsync()
      throw error
    }
  }

  async createPlace(): Promise<LogPlace> {
    const [clickHouse, postgresUrl] = await Promise.all([this.cluster.createMigrated(), this.databases.create()])
    return { clickHouse, postgresUrl }
  }

  /** In a place of its own, which is gone after it. */
  async open(options: LogOptions = {}): Promise<OpenedLog> {
    const place = await this.createPlace()
    const opened = await openLog(place, options)
    return {
      ...opened,
      [Symbol.asyncDispose]: async () => {
        await opened[Symbol.asyncDispose]()
        await this.cluster.dropDatabase(place.clickHouse.database)
      },
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync()
  }
}

export async function openLog(place: LogPlace, options: LogOptions = {}): Promise<OpenedLog> {
  const resources = new AsyncDisposableStack()
  try {
    const clickHouse = await connectClickHouse(place.clickHouse)
    resources.defer(() => clickHouse.close())
    const control = await openControl({ url: place.postgresUrl })
    resources.defer(() => control.close())
    const log = await openClickHouseLog({
      clickHouse,
      db: control.db,
      clock: systemClock,
      serviceMessageIdField: 'service_message_id',
      ...options,
    })
    resources.defer(() => log.close())
    return { log, clickHouse, control, [Symbol.asyncDispose]: () => resources.disposeAsync() }
  } catch (error) {
    await resources.disposeAsync()
    throw error
  }
}

/** As the service sees it. */
export function toStorage({ log, control, ...opened }: OpenedLog): Storage & AsyncDisposable {
  return {
    log,
    control: control.stores,
    capabilities: log.upkeep.capabilities,
    cluster: log.upkeep.cluster,
    get health() {
      return log.health
    },
    close: async () => opened[Symbol.asyncDispose](),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
