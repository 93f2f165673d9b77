import { after, before, describe } from 'node:test'
import fc from 'fast-check'
import { ClickHouseLogs, openLog, toStorage } from '../../../test/harness/storage/clickhouse/logs.ts'
import { arrivalsContract } from '../contract/arrivals.contract.ts'
import { removedDomainsContract } from '../contract/control/removal-store.contract.ts'
import { deliveryTimesContract } from '../contract/delivery-times.contract.ts'
import { erasureContract } from '../contract/erasure.contract.ts'
import { eventLogContract } from '../contract/event-log.contract.ts'
import { findingsContract } from '../contract/findings.contract.ts'
import { repliesContract } from '../contract/replies.contract.ts'
import { sendingContract } from '../contract/sending.contract.ts'
import { seriesContract } from '../contract/series.contract.ts'
import { storageLifeContract } from '../contract/storage-life.contract.ts'

/** A counterexample is reported as it is: to make it smaller would take longer than the test may. */
fc.configureGlobal({ endOnFailure: true })

/** An append takes a tenth of a second here, and a random run has up to a dozen. */
const RUNS = { numRuns: 5 }
/** An erasure waits until all replicas have rewritten their files. */
const ERASURES = { numRuns: 2 }
/** Long enough for a loaded machine; a write that must fail waits for all of it. */
const DEADLINE_MS = 4000

describe('the event log in ClickHouse', () => {
  let logs: ClickHouseLogs
  before(async () => {
    logs = await ClickHouseLogs.start()
  })
  after(async () => {
    await shared?.[Symbol.asyncDispose]()
    await logs[Symbol.asyncDispose]()
  })

  const openEmpty = async () => toStorage(await logs.open())
  /** One for all tests that have domains of their own: creating its tables takes longer than many of them. */
  let shared: Awaited<ReturnType<typeof openEmpty>> | undefined
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
  erasureContract(openEmpty, { ...ERASURES, isOrderedWithinDomains: true })
  removedDomainsContract(openEmpty)
  storageLifeContract(async () => {
    const place = await logs.createPlace()
    // A server that holds a shard without a word must keep it during the test.
    const options = { limits: { deadlineMs: DEADLINE_MS }, silenceMs: 60_000 }
    const openAgain = async () => toStorage(await openLog(place, options))
    return {
      open: openAgain,
      openBeside: openAgain,
      async breakWriting() {
        const { log, ...other } = await openLog(place, options)
        // Another server that holds the shards and does nothing.
        const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const holding = hold(0)
        await Promise.race([held.promise, holding])
        return async () => {
          released.resolve()
          await holding
          await other[Symbol.asyncDispose]()
        }

        async function hold(shard: number): Promise<void> {
          if (shard < log.writer.shards) return log.batches.hold(shard, DEADLINE_MS, () => hold(shard + 1))
          held.resolve()
          await released.promise
        }
      },
      [Symbol.asyncDispose]: () => logs.cluster.dropDatabase(place.clickHouse.database),
    }
  })
})
