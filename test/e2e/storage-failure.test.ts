/** A disk that cannot be written: senders get 503 and retry, nothing is stored partially, and reads continue. */
import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Batch, fingerprint } from '../harness/log/ledger.ts'
import { StorageScene } from '../harness/log/storage-scene.ts'
import { limitFileSize } from '../harness/storage/file-size-limit.ts'
import { openSmallDisk } from '../harness/storage/small-disk.ts'

describe('files that may not grow', { concurrency: false }, () => {
  let scene: StorageScene

  before(async () => {
    scene = await StorageScene.open()
  })

  after(() => scene.close())

  describe('while nothing can be written', { concurrency: false }, () => {
    let refused: readonly Batch[]

    before(async () => {
      await scene.store(scene.traffic.nextBatch(50, [0, 1]))
      await scene.store(scene.traffic.nextBatch(50, [3]))
      // Data that the server has not read since its start is read under the limit for the first time.
      await scene.restart()
      await scene.store(scene.traffic.nextBatch(20, [0, 1]))
      refused = [
        scene.traffic.nextBatch(1, [0]),
        scene.traffic.nextBatch(200, [0, 1]),
        // A day whose file is not open, and one without a file.
        scene.traffic.nextBatch(20, [3]),
        scene.traffic.nextBatch(20, [5]),
        scene.traffic.nextBatch(300, [0, 1, 3, 5, 6]),
      ]
      assert.equal(await scene.statusOf('/readyz'), 200)
      limitFileSize(scene.server.pid, 0)
    })

    after(() => limitFileSize(scene.server.pid, 'unlimited'))

    test('events are refused with 503 and Retry-After', async () => {
      for (const batch of refused) await scene.assertRefused(JSON.stringify(batch))
    })

    test('many senders at once are refused as well', async () => {
      await Promise.all(refused.map((batch) => scene.assertRefused(JSON.stringify(batch))))
    })

    test('records for the quarantine are refused, alone and together with valid ones', async () => {
      await scene.assertRefused('{"no":"event"}')
      await scene.assertRefused(JSON.stringify([...(refused[0] ?? []), { no: 'event' }]))
    })

    test('none of that is stored, and reads continue', async () => {
      await scene.assertLogIsWhatWasKept()
      const [event] = scene.ledger.acknowledged.flat()
      assert(event)
      const page = await scene.client.list(event.domain_name, { message_id: event.id })
      assert(page.events.some((found) => fingerprint(found) === fingerprint(event)))
      assert.equal((await scene.client.get(`/logs/${event.domain_name}`)).status, 200)
      assert.equal((await scene.client.get('/api/v2/domain')).status, 200)
    })

    test('/readyz is 503 and stays so, however often it is requested; /healthz is 200', async () => {
      for (let times = 0; times < 20; times++) {
        assert.equal(await scene.statusOf('/readyz'), 503)
        assert.equal(await scene.statusOf('/healthz'), 200)
      }
      assert.equal(await scene.statusOf('/metrics'), 200)
    })

    test('duplicates of stored events need no space and may be acknowledged', async () => {
      const answer = await scene.client.post(JSON.stringify(scene.ledger.acknowledged[0]))
      const body = await answer.text()
      if (answer.status === 200)
        assert.deepEqual(JSON.parse(body), {
          stored: 0,
          duplicates: scene.ledger.acknowledged[0]?.length,
          rejected: [],
        })
      else assert.equal(answer.status, 503)
      await scene.assertLogIsWhatWasKept()
    })

    test('once it can be written again the server recovers automatically, and the same requests are stored', async () => {
      limitFileSize(scene.server.pid, 'unlimited')
      await scene.becomesReady()
      await scene.assertLogIsWhatWasKept()
      for (const batch of refused) await scene.store(batch)
      await scene.assertLogIsWhatWasKept()
      await scene.recount()
    })
  })

  describe('while only a part can be written', { concurrency: false }, () => {
    /** The largest file of events, its log included. */
    function largestFileBytes(): number {
      const folder = join(scene.installation.dataDir, 'events')
      return Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).size))
    }

    /** Sends batches with a little more room each time, until they fit; every refusal is followed by `check`. */
    async function sendWithLittleRoom(
      days: readonly number[],
      check: (refused: Batch) => Promise<void>,
    ): Promise<void> {
      let refusals = 0
      for (let extraBytes = 0; extraBytes < 200_000; extraBytes += 20_480) {
        const batch = scene.traffic.nextBatch(60, days)
        // Other files are smaller and have room; the largest one has this much more.
        limitFileSize(scene.server.pid, largestFileBytes() + extraBytes)
        const answer = await scene.client.post(JSON.stringify(batch))
        await answer.text()
        limitFileSize(scene.server.pid, 'unlimited')
        if (answer.status !== 200) {
          assert.equal(answer.status, 503)
          refusals++
          await check(batch)
          const { stored, duplicates, rejected } = await scene.client.ingest(batch)
          assert.deepEqual({ count: stored + duplicates, rejected }, { count: batch.length, rejected: [] })
        }
        scene.ledger.acknowledge(batch)
      }
      // Otherwise nothing was tested.
      assert(refusals > 0)
      await scene.assertLogIsWhatWasKept()
    }

    test('a request of one day is stored completely or not at all', async () => {
      await sendWithLittleRoom([0], () => scene.assertLogIsWhatWasKept())
    })

    for (const days of [
      [0, 7],
      [7, 0],
      [0, 1, 3, 5, 8],
    ]) {
      test(`a request of the days ${days.join(', ')} before today is complete after it is repeated, whatever was refused`, async () => {
        await sendWithLittleRoom(days, (refused) => scene.assertLogIsWhatWasKept(refused))
      })
    }

    test('afterwards every counter is correct, also after a restart', async () => {
      await scene.recount()
      await scene.restart()
      await scene.assertLogIsWhatWasKept()
    })
  })
})

const disk = openSmallDisk(64 * 1024 * 1024)

describe('a full disk', { concurrency: false, skip: disk ? false : 'mounting one needs root' }, () => {
  let scene: StorageScene

  before(async () => {
    scene = await StorageScene.open({ parent: disk?.path ?? '' })
  })

  after(async () => {
    await scene.close()
    disk?.[Symbol.dispose]()
  })

  test('requests that span five days, with any space left: each is stored completely or not at all', async () => {
    const days = [0, 1, 2, 3, 4]
    for (let batches = 0; batches < 10; batches++) await scene.store(scene.traffic.nextBatch(200, days))
    let refusals = 0
    for (let leaveBytes = 0; leaveBytes < 1_600_000; leaveBytes += 80_000) {
      disk?.fill(leaveBytes)
      const batch = scene.traffic.nextBatch(200, days)
      if (await scene.tryToStore(JSON.stringify(batch))) scene.ledger.acknowledge(batch)
      else refusals++
      await scene.assertLogIsWhatWasKept()
      disk?.clear()
    }
    // Otherwise nothing was tested.
    assert(refusals > 5)
  })

  test('while there is room for small commits only, and requests of several days are refused, the server is not ready', async () => {
    disk?.fill(200_000)
    const batch = JSON.stringify(scene.traffic.nextBatch(200, [0, 1, 2, 3, 4]))
    await scene.assertRefused(batch)
    // Several probes long: a small write succeeds all the time.
    const startedMs = performance.now()
    while (performance.now() - startedMs < 1500) assert.equal(await scene.statusOf('/readyz'), 503)
    await scene.assertRefused(batch)
    disk?.clear()
    await scene.becomesReady()
  })

  test('without a byte left: new events are refused, stored ones are listed, and the server is not ready', async () => {
    disk?.fill()
    for (const days of [[0], [0, 1], [0, 12], [12]]) {
      await scene.assertRefused(JSON.stringify(scene.traffic.nextBatch(2000, days)))
    }
    await scene.assertRefused('{"no":"event"}')
    for (let times = 0; times < 10; times++) assert.equal(await scene.statusOf('/readyz'), 503)
    assert.equal(await scene.statusOf('/healthz'), 200)
    await scene.assertLogIsWhatWasKept()
  })

  test('once there is space again, it recovers automatically and stores events', async () => {
    disk?.clear()
    await scene.becomesReady()
    await scene.store(scene.traffic.nextBatch(100, [0]))
    await scene.assertLogIsWhatWasKept()
    await scene.recount()
    await scene.restart()
    await scene.assertLogIsWhatWasKept()
  })
})
