import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { delivery, openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import { openRetention } from '../../background/open-retention.ts'
import { createMemoryState } from '../../storage/memory/memory-state.ts'
import { openMemoryStorage } from '../../storage/memory/open-memory-storage.ts'
import { ingestRecords } from '../ingest/ingest-events.ts'
import { LOCAL } from '../ingest/quarantine-room.ts'
import { describeRetention } from './describe-retention.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const NOW_MS = Date.UTC(2026, 4, 20, 12)
const PERIODS = { retentionMs: 90 * DAY_MS, auditRetentionMs: 400 * DAY_MS }

/** A storage with an event on each of the last days, and two clocks that can be set. */
async function openScene(days: number, nowMs = NOW_MS) {
  const time = { clockMs: nowMs, uptimeMs: 0 }
  const clock = () => time.clockMs
  const state = createMemoryState()
  const storage = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id', state })
  await storage.log.append(Array.from({ length: days }, (_, back) => eventAt(nowMs - back * DAY_MS)))
  const uptime = () => time.uptimeMs
  return {
    storage,
    state,
    time,
    clock,
    /** A new process. */
    open: (periods = PERIODS) => openRetention(storage, periods, clock, uptime),
    pass(ms: number) {
      time.clockMs += ms
      time.uptimeMs += ms
    },
    countDays: () => new Set(state.events.map(({ day }) => day)).size,
  }
}

function eventAt(timeMs: number) {
  const fields = { type: 'Reception', domain_name: 'a.example', recipient: 'x@b.example' } as const
  return { domainNumber: 1, event: { id: `m${timeMs}`, timestamp: Math.floor(timeMs / 1000), ...fields } }
}

test('with a clock that is right, every run removes what is due', async () => {
  const scene = await openScene(95)
  const retention = await scene.open()
  assert.equal((await retention.run()).days.length, 4)
  assert.deepEqual((await retention.run()).days, [])
  scene.pass(DAY_MS)
  assert.deepEqual((await retention.run()).days, ['2026-02-19'])
  assert.equal(retention.status.phase, 'on_time')
  assert.equal(describeRetention(retention.status), undefined)
})

test('there is one run at a time, also after one that failed', async () => {
  const scene = await openScene(95)
  let [running, most, calls] = [0, 0, 0]
  const log = {
    ...scene.storage.log,
    async removeBefore(timeMs: number) {
      most = Math.max(most, ++running)
      await new Promise(setImmediate)
      running--
      if (++calls === 1) throw new Error('not now')
      return scene.storage.log.removeBefore(timeMs)
    },
  }
  const retention = await openRetention({ ...scene.storage, log }, PERIODS, scene.clock)
  const runs = await Promise.allSettled([retention.run(), retention.run(), retention.run()])
  assert.deepEqual(
    runs.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  )
  assert.equal(most, 1)
})

test('a server learns from the runs of another one, and continues where that one stopped', async () => {
  const scene = await openScene(120)
  const storage = openMemoryStorage({
    clock: scene.clock,
    serviceMessageIdField: 'service_message_id',
    state: scene.state,
    isShared: true,
  })
  const open = () => openRetention(storage, PERIODS, scene.clock, () => scene.time.uptimeMs)
  const [a, b] = [await open(), await open()]
  await a.run()
  assert.equal(b.status.completedAtMs, undefined)
  await b.refresh()
  assert.equal(b.status.completedAtMs, NOW_MS)
  assert.equal(b.status.cutoffMs, a.status.cutoffMs)
  scene.pass(5 * DAY_MS)
  await a.run()
  scene.pass(HOUR_MS)
  // What b knew was five days old, more than a clock may be ahead without a doubt.
  await b.run()
  assert.equal(b.status.phase, 'on_time')
  assert.equal(b.earliestMs, scene.clock())
  scene.pass(HOUR_MS / 2)
  await a.refresh()
  assert.equal(a.earliestMs, scene.clock())
})

test('of the time since the run of another server an hour is believed, and none of it is running time', async () => {
  const scene = await openScene(1)
  const [a, b] = [await scene.open(), await scene.open()]
  const known = () => [b.earliestMs - NOW_MS, b.latestMs - NOW_MS]
  await b.run()
  scene.pass(HOUR_MS / 2)
  await a.run()
  scene.pass(HOUR_MS / 2)
  await b.refresh()
  assert.deepEqual(known(), [HOUR_MS, HOUR_MS])
  await a.run()
  scene.pass(3 * HOUR_MS)
  await b.refresh()
  assert.deepEqual(known(), [2 * HOUR_MS, 4 * HOUR_MS])
  await a.run()
  scene.time.clockMs -= HOUR_MS / 2
  await b.refresh()
  assert.deepEqual(known(), [3.5 * HOUR_MS, 4 * HOUR_MS], 'the clock was set back')
  // Doubted by the one, half an hour later by the other.
  scene.time.clockMs += 100 * DAY_MS
  const { status } = await a.run()
  scene.pass(HOUR_MS / 2)
  assert.equal((await b.run()).status.timeMs, status.timeMs)
})

test('the time before the first run of a process is not running time either', async () => {
  const scene = await openScene(1)
  await (await scene.open()).run()
  scene.time.clockMs += 100 * DAY_MS
  const restarted = await scene.open()
  scene.pass(HOUR_MS / 2)
  assert.equal((await restarted.run()).status.timeMs, NOW_MS)
  scene.pass(HOUR_MS / 2)
  assert.equal((await restarted.run()).status.timeMs, NOW_MS + HOUR_MS / 2)
})

test('without events the clock is believed, once', async () => {
  const scene = await openScene(1)
  const retention = await scene.open()
  assert.equal(retention.status.phase, 'on_time', 'before the first run')
  await retention.begin()
  const { timeMs, cutoffMs, completedAtMs } = retention.status
  assert.deepEqual([timeMs, cutoffMs, completedAtMs], [NOW_MS, NOW_MS - PERIODS.retentionMs, undefined])
  assert.equal((await scene.storage.control.retention.find())?.timeMs, NOW_MS)
  scene.time.clockMs += 100 * DAY_MS
  await retention.begin()
  assert.equal(retention.status.timeMs, NOW_MS)
})

test('the newest event is looked for only before the first run', async () => {
  const scene = await openScene(1)
  let searches = 0
  const log = {
    ...scene.storage.log,
    findNewestTimestamp() {
      searches++
      return scene.storage.log.findNewestTimestamp()
    },
  }
  const retention = await openRetention({ ...scene.storage, log }, PERIODS, scene.clock, () => scene.time.uptimeMs)
  await retention.run()
  await retention.run()
  assert.equal(searches, 1)
})

test('the status says how far a clock is off, and how long it is still doubted', async () => {
  const scene = await openScene(90)
  const retention = await scene.open()
  await retention.run()
  const shown = () => {
    const { phase, offMs, believedInMs } = retention.status
    return [phase, offMs, believedInMs]
  }
  // A difference that needs no proof.
  for (const offMs of [1000, -1000]) {
    scene.time.clockMs += offMs
    assert.deepEqual(shown(), ['on_time', 0, 0])
    scene.time.clockMs -= offMs
  }
  scene.time.clockMs += 100 * DAY_MS
  assert.deepEqual(shown(), ['waiting', 100 * DAY_MS, DAY_MS])
  await retention.run()
  scene.pass(6 * HOUR_MS)
  await retention.run()
  assert.deepEqual(shown(), ['waiting', 100 * DAY_MS, 18 * HOUR_MS])
  // Corrected, and nothing of what was due was left.
  scene.time.clockMs -= 100 * DAY_MS
  assert.deepEqual(shown(), ['on_time', 0, 0])
  scene.time.clockMs += 100 * DAY_MS
  scene.pass(18 * HOUR_MS - 1)
  await retention.run()
  assert.deepEqual(shown(), ['waiting', 100 * DAY_MS, 1])
  scene.pass(HOUR_MS)
  await retention.run()
  assert.deepEqual(shown(), ['catching_up', 97 * DAY_MS, 0])
})

test('days are removed at midnight, also at the end of a year and around a leap day', async () => {
  for (const midnight of [Date.UTC(2027, 0, 1), Date.UTC(2028, 1, 29), Date.UTC(2028, 2, 1), Date.UTC(2027, 2, 1)]) {
    const scene = await openScene(3, midnight - 2 * HOUR_MS)
    const retention = await scene.open({ ...PERIODS, retentionMs: DAY_MS })
    const dayBefore = new Date(midnight - 3 * DAY_MS).toISOString().slice(0, 10)
    assert.deepEqual((await retention.run()).days, [dayBefore])
    scene.pass(2 * HOUR_MS - 1)
    assert.deepEqual((await retention.run()).days, [])
    scene.pass(1)
    assert.deepEqual((await retention.run()).days, [new Date(midnight - 2 * DAY_MS).toISOString().slice(0, 10)])
  }
})

describe('a clock that is 100 days ahead', () => {
  for (const isRestarted of [true, false]) {
    test(`removes nothing at first sight, ${isRestarted ? 'at a start' : 'while the server runs'}, and says why`, async () => {
      const scene = await openScene(90)
      let retention = await scene.open()
      await retention.run()
      scene.time.clockMs += 100 * DAY_MS
      if (isRestarted) retention = await scene.open()
      assert.equal(retention.status.phase, 'waiting', 'before the run too')
      const { days, status } = await retention.run()
      assert.deepEqual(days, [])
      assert.equal(scene.countDays(), 90)
      assert.equal(status.phase, 'waiting')
      assert.match(describeRetention(status) ?? '', /100 days ahead .* 24 hours .* retention run --confirm/)
      // Corrected: everything goes on as if nothing had happened.
      scene.time.clockMs -= 100 * DAY_MS
      assert.equal((await retention.run()).status.phase, 'on_time')
      assert.equal(scene.countDays(), 90)
    })
  }

  test('that nobody corrects removes at most three days in one run, after a day', async () => {
    const scene = await openScene(90)
    const retention = await scene.open()
    await retention.run()
    scene.time.clockMs += 100 * DAY_MS
    for (let hour = 0; hour < 24; hour++) {
      assert.ok((await retention.run()).days.length <= 1, 'the usual')
      scene.pass(HOUR_MS)
    }
    for (let left = scene.countDays(), runs = 0; left > 0; runs++) {
      assert.ok(runs < 40)
      const { days } = await retention.run()
      assert.ok(days.length <= 4, `${days.length} days in one run`)
      left -= days.length
      scene.pass(HOUR_MS)
    }
  })

  test('is believed at once when a person confirms it', async () => {
    const scene = await openScene(90)
    const retention = await scene.open()
    await retention.run()
    scene.time.clockMs += 60 * DAY_MS
    assert.deepEqual((await retention.run()).days, [])
    const { days, status } = await retention.run({ isConfirmed: true })
    assert.equal(days.length, 59)
    assert.equal(status.phase, 'on_time')
    assert.equal((await (await scene.open()).run()).status.phase, 'on_time')
  })

  test('on the first run of all is compared with the newest event', async () => {
    const scene = await openScene(90)
    scene.time.clockMs += 100 * DAY_MS
    const retention = await scene.open()
    assert.deepEqual((await retention.run()).days, [])
    assert.equal(retention.status.phase, 'waiting')
  })

  test('does not remove rejected records or audit entries either', async () => {
    const scene = await openScene(1)
    const { quarantine, audit } = scene.storage.control
    const retention = await scene.open({ ...PERIODS, auditRetentionMs: 90 * DAY_MS })
    await quarantine.add([{ payload: Buffer.from('x'), connector: 'native', source: LOCAL, reason: 'r' }], NOW_MS)
    await audit.add([
      {
        kind: 'administration',
        timeMs: NOW_MS,
        lastTimeMs: NOW_MS,
        count: 1,
        actor: { type: 'local' },
        action: 'backUp',
        outcome: 'success',
        status: 200,
        requestId: 'r',
      },
    ])
    await retention.run()
    scene.time.clockMs += 100 * DAY_MS
    const { rejected, auditEntries } = await retention.run()
    assert.deepEqual({ rejected, auditEntries }, { rejected: 0, auditEntries: 0 })
    const confirmed = await retention.run({ isConfirmed: true })
    assert.deepEqual([confirmed.rejected, confirmed.auditEntries], [1, 1])
  })
})

test('a retention period that becomes shorter removes three days in one run, and all at once if confirmed', async () => {
  const scene = await openScene(90)
  await (await scene.open()).run()
  const short = await scene.open({ ...PERIODS, retentionMs: 9 * DAY_MS })
  const { days, status } = await short.run()
  assert.equal(days.length, 2, 'no day has yet ended 90 days ago, so that a part of the step removes nothing')
  assert.equal(status.phase, 'catching_up')
  assert.match(describeRetention(status) ?? '', /at most 3 days .* ENVELOG_RETENTION/)
  assert.equal((await short.run()).days.length, 3)
  assert.equal((await short.run({ isConfirmed: true })).days.length, 75)
})

test('a day that cannot be removed keeps no later ones, and the run is not counted as completed', async () => {
  const scene = await openScene(90)
  const { store, ...log } = { store: scene.storage.control.retention, ...scene.storage.log }
  let isBroken = true
  const broken = {
    ...scene.storage,
    log: {
      ...log,
      removeBefore: (timeMs: number) =>
        isBroken ? Promise.reject(new Error('damaged')) : scene.storage.log.removeBefore(timeMs),
    },
  }
  const retention = await openRetention(broken, PERIODS, scene.clock, () => scene.time.uptimeMs)
  await assert.rejects(retention.run(), /damaged/)
  assert.equal(retention.status.completedAtMs, undefined)
  assert.equal((await store.find())?.timeMs, NOW_MS)
  isBroken = false
  await retention.run()
  assert.equal(retention.status.completedAtMs, NOW_MS)
})

describe('ingest', () => {
  /** A scene at `NOON`, in which retention has run, and then the clock was set. */
  async function openIngest(offMs: number) {
    const scene = await openMemoryScene()
    const trueMs = scene.time.nowMs
    await scene.append([delivery()])
    const retention = await openRetention(scene.storage, PERIODS, scene.deps.clock, () => 0)
    await retention.run()
    scene.time.nowMs += offMs
    const { retentionMs } = PERIODS
    const deps = { ...scene.deps, knownTime: retention, retentionMs, serviceMessageIdField: 'service_message_id' }
    const accepts = async (timeMs: number) => {
      const event = delivery({ timestamp: timeMs / 1000 })
      const connector = { name: 'native', toEvents: () => [{ event }] }
      const record = { payload: Buffer.from(String(timeMs)), value: event }
      const { stored, duplicates } = await ingestRecords(deps, connector, [record], { source: LOCAL })
      return stored + duplicates === 1
    }
    return { accepts, retention, trueMs, clockMs: scene.time.nowMs }
  }

  test('with a clock far ahead accepts events with the true time, before and after the jump is noticed', async () => {
    const { accepts, retention, trueMs, clockMs } = await openIngest(100 * DAY_MS)
    for (const isNoticed of [false, true]) {
      if (isNoticed) await retention.run()
      assert.equal(await accepts(trueMs + HOUR_MS), true)
      assert.equal(await accepts(trueMs - 89 * DAY_MS), true)
      assert.equal(await accepts(trueMs - 91 * DAY_MS), false)
      assert.equal(await accepts(clockMs), true, 'the clock may be right')
      assert.equal(await accepts(clockMs + 2 * DAY_MS), false)
    }
  })

  test('with a clock far behind accepts events with the true time, before and after the jump is noticed', async () => {
    const { accepts, retention, trueMs } = await openIngest(-100 * DAY_MS)
    for (const isNoticed of [false, true]) {
      if (isNoticed) await retention.run()
      assert.equal(await accepts(trueMs + HOUR_MS), true)
      assert.equal(await accepts(trueMs + 2 * DAY_MS), false)
    }
  })

  test('refuses what a confirmed run has removed', async () => {
    const { accepts, retention, trueMs } = await openIngest(100 * DAY_MS)
    await retention.run({ isConfirmed: true })
    assert.equal(await accepts(trueMs + HOUR_MS), false)
  })
})
