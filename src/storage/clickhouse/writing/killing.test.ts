import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { compareReplicas } from '../../../../test/harness/cluster/compare-replicas.ts'
import { type ClickHouseCluster, startCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { ClickHouseLogs, openLog } from '../../../../test/harness/storage/clickhouse/logs.ts'
import { DOMAINS, LogWriterProcess, numberedEvent, untilAccepted } from '../../../../test/harness/storage/log-writer.ts'

const EVENTS = 3000
const CALL_EVENTS = 250
const SILENCE_MS = 4000

/** How long each fault lasts; what is checked does not depend on it. */
const FAULT_MS = 3000

test('three processes write the same events while servers die and hang: each is stored once on every replica, and counted once', async (context) => {
  await using resources = new AsyncDisposableStack()
  let cluster: ClickHouseCluster | undefined
  const logs = resources.use(
    await ClickHouseLogs.start(async () => {
      cluster = await startCluster()
      return cluster
    }),
  )
  const started = cluster ?? assert.fail()
  const { zooKeeper, servers } = started
  const place = await logs.createPlace()
  // Each event is sent by two of the processes, or by all.
  const third = EVENTS / 3
  const start = (from: number, to: number) =>
    new LogWriterProcess({ place, from, to, callEvents: CALL_EVENTS, silenceMs: SILENCE_MS }, resources)
  const [a, b, victim] = [start(0, 2 * third), start(third, EVENTS), start(0, EVENTS)]

  const [first, second] = [servers[0]?.process, servers[3]?.process]
  assert.ok(first && second && zooKeeper)
  await delay(FAULT_MS)
  await first.kill()
  await delay(FAULT_MS)
  await first.start()
  victim.kill('SIGSTOP')
  await delay(SILENCE_MS + FAULT_MS)
  victim.kill('SIGCONT')
  second.freeze()
  await delay(FAULT_MS)
  second.thaw()
  logs.databases.server.restartImmediately()
  await delay(FAULT_MS)
  victim.kill('SIGKILL')
  await zooKeeper.kill()
  await delay(FAULT_MS)
  await zooKeeper.start()

  const reports = await Promise.all([a.report(), b.report()])
  for (const report of reports) assert.ok(report, 'a writer has not finished')
  await using opened = await untilAccepted(() => openLog(place))
  const { log } = opened
  // Sent once more, all are known. Writers that were done before ZooKeeper was gone have not waited until it is asked again.
  for (let at = 0; at < EVENTS; at += 1000) {
    const events = Array.from({ length: 1000 }, (_, index) => numberedEvent(at + index))
    const { stored, duplicates } = await untilAccepted(() => log.append(events))
    assert.deepEqual([stored, duplicates], [0, 1000])
  }
  assert.deepEqual((await log.batches.readHorizon()).unfinished, new Map())
  const replicated = await compareReplicas(started, place.clickHouse.database, (text) => context.diagnostic(text))
  assert.equal(replicated, EVENTS, 'nothing is missing')
  await checkCounts()

  async function checkCounts(): Promise<void> {
    const numbers = Array.from({ length: DOMAINS }, (_, index) => index + 1)
    const counts = await log.counts(numbers)
    const expected = Array.from({ length: EVENTS }, (_, index) => numberedEvent(index))
    for (const number of numbers) {
      const own = expected.filter(({ domainNumber }) => domainNumber === number)
      const bounces = own.filter(({ event }) => event.type === 'Bounce').length
      assert.equal(counts.get(number)?.bounce, bounces)
      assert.equal(counts.get(number)?.delivery, own.length - bounces)
    }
    const range = { fromHour: 0, toHour: 10_000_000, filters: {}, group: 'sending_source' } as const
    let sent = 0
    for await (const some of log.series({ ...range, domainNumbers: numbers })) {
      for (const { count } of some) sent += count
    }
    assert.equal(sent, EVENTS)
  }
})
