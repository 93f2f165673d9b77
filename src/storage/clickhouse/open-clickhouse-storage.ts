/** Events and counts in ClickHouse, everything else in PostgreSQL: the storage of an installation of several servers. */
import type { DomainStore } from '../../domains/domain-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { rarely } from '../../lib/rarely.ts'
import { openControl } from '../postgres/control/open-control.ts'
import type { Postgres } from '../postgres/database/postgres.ts'
import type { Storage } from '../storage.ts'
import { openClickHouseLog } from './clickhouse-event-log.ts'
import { explainOpening } from './explain-opening.ts'
import { requireSameInstallation } from './schema/installation.ts'
import { requireClickHouseSchema, SCHEMA_VERSION } from './schema/schema-state.ts'
import type { ClickHouse } from './server/clickhouse.ts'
import { type ClickHouseOptions, connectClickHouse } from './server/connect-clickhouse.ts'
import { DomainNumberGuard } from './writing/domain-number-guard.ts'

/** Background work runs every second, so its bugs would be reported as often. */
const REPORTED_EVERY_MS = 60_000

export interface Databases {
  readonly postgresUrl: string
  readonly clickhouse: ClickHouseOptions
}

export interface ClickhouseStorageOptions extends Databases {
  readonly clock: Clock
  /** The wire name of `service_message_id` (ENVELOG_BRAND). */
  readonly serviceMessageIdField: string
  /** The room of the quarantine. */
  readonly quarantineBytes?: number
  readonly notices?: readonly string[]
  /** A bug that no caller is told of. */
  readonly onError?: (error: unknown) => void
  /** For the command that moves an installation here: everybody else is refused until it is finished. */
  readonly isMoving?: boolean
  /** Called when everything is closed. */
  readonly onClosed?: () => void
}

/** Throws AppError `conflict` for a schema that this version cannot serve, `storage_unavailable` if a database cannot be reached. */
export async function openClickhouseStorage(options: ClickhouseStorageOptions): Promise<Storage> {
  const { postgresUrl, clickhouse, clock, serviceMessageIdField, quarantineBytes, notices = [], onClosed } = options
  const { isMoving = false, onError } = options
  // Undone in reverse order when something fails.
  await using opening = new AsyncDisposableStack()
  const control = await openControl({
    url: postgresUrl,
    isMoving,
    eventSchema: SCHEMA_VERSION,
    ...(quarantineBytes !== undefined && { quarantineBytes }),
  })
  opening.defer(() => control.close())
  const clickHouse = await openEvents(clickhouse)
  opening.defer(() => clickHouse.close())
  await requireSameInstallation(control.db, clickHouse)
  const log = await openClickHouseLog({
    clickHouse,
    db: control.db,
    clock,
    serviceMessageIdField,
    ...(onError && { onError: rarely(onError, REPORTED_EVERY_MS) }),
  })
  opening.defer(() => log.close())
  const opened = opening.move()
  return {
    log,
    control: { ...control.stores, domains: guardDomains(control.stores.domains, control.db, clickHouse) },
    shared: control.shared,
    capabilities: log.upkeep.capabilities,
    cluster: log.upkeep.cluster,
    notices,
    get health() {
      return log.health
    },
    async close() {
      try {
        await opened.disposeAsync()
      } finally {
        onClosed?.()
      }
    },
  }
}

/** A domain gets its number from PostgreSQL, which must not be one that events have already. */
function guardDomains(domains: DomainStore, db: Postgres, clickHouse: ClickHouse): DomainStore {
  const numbers = new DomainNumberGuard(db, clickHouse)
  const create: DomainStore['create'] = async (domain) => {
    await numbers.check()
    return domains.create(domain)
  }
  return { ...domains, create }
}

async function openEvents(options: ClickHouseOptions): Promise<ClickHouse> {
  try {
    const clickHouse = await connectClickHouse(options)
    try {
      await requireClickHouseSchema(clickHouse)
      return clickHouse
    } catch (error) {
      await clickHouse.close()
      throw error
    }
  } catch (error) {
    throw explainOpening(error)
  }
}
