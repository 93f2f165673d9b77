/**
 * The contract of the event log on a current ClickHouse, without replication: what is written for the version of the system's packages must
 * mean the same there. Without the contract of removals, of which one is made here: each of them waits most of a minute for old files.
 */
import { after, before, describe } from 'node:test'
import fc from 'fast-check'
import { systemClock } from '../../src/lib/clock.ts'
import { openClickHouseLog } from '../../src/storage/clickhouse/clickhouse-event-log.ts'
import { migrateClickHouse } from '../../src/storage/clickhouse/schema/migrate-clickhouse.ts'
import { TABLES } from '../../src/storage/clickhouse/schema/tables.ts'
import { arrivalsContract } from '../../src/storage/contract/arrivals.contract.ts'
import { deliveryTimesContract } from '../../src/storage/contract/delivery-times.contract.ts'
import { eventLogContract } from '../../src/storage/contract/event-log.contract.ts'
import { findingsContract } from '../../src/storage/contract/findings.contract.ts'
import { repliesContract } from '../../src/storage/contract/replies.contract.ts'
import { sendingContract } from '../../src/storage/contract/sending.contract.ts'
import { seriesContract } from '../../src/storage/contract/series.contract.ts'
import { openControl } from '../../src/storage/postgres/control/open-control.ts'
import { toStorage } from '../harness/storage/clickhouse/logs.ts'
import { ExplainedClickHouse } from '../harness/storage/modern/explained-clickhouse.ts'
import { prepareChdb } from '../harness/storage/modern/prepare-chdb.ts'
import { PostgresDatabases } from '../harness/storage/postgres-databases.ts'

fc.configureGlobal({ endOnFailure: true })

const RUNS = { numRuns: 5 }

const chdb = prepareChdb()

function reasonToSkip(): string | false {
  if ('missing' in chdb) return `a current ClickHouse is not available here: ${chdb.missing}`
  return process.arch === 'x64' ? false : 'its thousands of statements would take hours where the library is emulated'
}

describe('the event log on ClickHouse 26.7', { skip: reasonToSkip() }, () => {
  let databases: PostgresDatabases
  let shared: Awaited<ReturnType<typeof openEmpty>> | undefined
  before(async () => {
    databases = await PostgresDatabases.start()
  })
  after(async () => {
    await shared?.[Symbol.asyncDispose]()
    await databases?.[Symbol.asyncDispose]()
  })

  async function openEmpty() {
    if ('missing' in chdb) throw new Error(chdb.missing)
    const resources = new AsyncDisposableStack()
    const clickHouse = new ExplainedClickHouse(chdb.command)
    resources.defer(() => clickHouse.close())
    await migrateClickHouse(clickHouse)
    // Otherwise ClickHouse keeps old files for eight minutes, and every removal waits for that.
    for (const table of TABLES)
      await clickHouse.command(`ALTER TABLE ${clickHouse.readFrom(table)} MODIFY SETTING ${QUICK.join(', ')}`)
    const control = await openControl({ url: await databases.create() })
    resources.defer(() => control.close())
    const events = { clickHouse, db: control.db, clock: systemClock, serviceMessageIdField: 'service_message_id' }
    const log = await openClickHouseLog(events)
    resources.defer(() => log.close())
    return toStorage({ log, clickHouse, control, [Symbol.asyncDispose]: () => resources.disposeAsync() })
  }

  /** One for all tests that have domains of their own. */
  const open = async () => {
    shared ??= await openEmpty()
    return { log: shared.log, [Symbol.asyncDispose]: async () => undefined }
  }

  eventLogContract(open, { ...RUNS, isOrderedWithinDomains: true, openEmpty })
  arrivalsContract(open, RUNS)
  seriesContract(open, RUNS)
  repliesContract(open)
  deliveryTimesContract(open)
  findingsContract(open)
  sendingContract(open, openEmpty)
})

const QUICK = ['old_parts_lifetime = 1', 'cleanup_delay_period = 1', 'max_cleanup_delay_period = 1']
