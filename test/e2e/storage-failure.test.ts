/** A disk that cannot be written: senders are told to come back, nothing is kept by halves, and reading goes on. */
import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { limitFileSize } from '../harness/file-size-limit.ts'
import { type Installation, openInstallation } from '../harness/installation.ts'
import { type Batch, fingerprint } from '../harness/ledger.ts'
import { countEvents, LogClient } from '../harness/log-client.ts'
import type { ServerProcess } from '../harness/server-process.ts'
import { createTraffic, type Traffic } from '../harness/traffic.ts'

const DAY = 86_400
const now = Math.floor(Date.now() / 1000)
const window = { start_timestamp: String(now - 20 * DAY), end_timestamp: String(now) }

let installation: Installation
let server: ServerProcess
let client: LogClient
let traffic: Traffic
/** What was answered with 200 so far. */
const kept: Batch[] = []

before(async () => {
  installation = await openInstallation()
  traffic = createTraffic({ domains: installation.domains, now })
  await start()
})

after(async () => {
  await server[Symbol.asyncDispose]()
  installation[Symbol.dispose]()
})

async function start(): Promise<void> {
  server = await installation.start({ ENVELOG_LOG_LEVEL: 'silent' })
  client = new LogClient(server.address, installation)
}

async function store(batch: Batch): Promise<void> {
  assert.deepEqual(await client.ingest(batch), { stored: batch.length, duplicates: 0, rejected: [] })
  kept.push(batch)
}

async function assertRefused(body: string): Promise<void> {
  const answer = await client.post(body)
  const error = (await answer.json()) as { error: number; message: string }
  assert.equal(answer.status, 503, JSON.stringify(error))
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  assert.deepEqual(Object.keys(error), ['error', 'message'])
  assert.equal(error.error, 503)
}

/** The listing and the statistics are answered; they hold what was acknowledged, and of what was not at most the given. */
async function assertLogIsWhatWasKept(maybe: Batch = []): Promise<void> {
  const owed = new Set(kept.flat().map(fingerprint))
  const possible = new Set(maybe.map(fingerprint))
  const stats = await client.stats()
  for (const domain of installation.domains) {
    const events = await client.listAll(domain, window)
    for (const event of events) {
      const mark = fingerprint(event)
      assert(owed.delete(mark) || possible.delete(mark), `listed twice, or not acknowledged: ${JSON.stringify(event)}`)
    }
    assert.deepEqual(stats[domain], countEvents(events))
  }
  assert.equal(owed.size, 0, `${owed.size} acknowledged events are lost`)
}

async function statusOf(path: string): Promise<number> {
  const answer = await fetch(`${server.address}${path}`)
  await answer.text()
  return answer.status
}

async function becomesReady(): Promise<void> {
  for (let tries = 0; (await statusOf('/readyz')) !== 200; tries++) {
    assert(tries < 200, 'the server does not notice that its disk can be written again')
    await delay(20)
  }
}

async function recount(): Promise<void> {
  const { exitCode, stdout } = await installation.cli('--json', 'recount')
  assert.deepEqual({ exitCode, ...JSON.parse(stdout) }, { exitCode: 0, ok: true, differences: [] })
}

describe('while nothing can be written', { concurrency: false }, () => {
  let refused: readonly Batch[]

  before(async () => {
    await store(traffic.nextBatch(50, [0, 1]))
    await store(traffic.nextBatch(50, [3]))
    // What the server has not touched since it started is read under the limit for the first time.
    await server.stop()
    await start()
    await store(traffic.nextBatch(20, [0, 1]))
    refused = [
      traffic.nextBatch(1, [0]),
      traffic.nextBatch(200, [0, 1]),
      // A day whose file is not open, and one that has none.
      traffic.nextBatch(20, [3]),
      traffic.nextBatch(20, [5]),
      traffic.nextBatch(300, [0, 1, 3, 5, 6]),
    ]
    assert.equal(await statusOf('/readyz'), 200)
    limitFileSize(server.pid, 0)
  })

  after(() => limitFileSize(server.pid, 'unlimited'))

  test('events are refused with 503 and Retry-After', async () => {
    for (const batch of refused) await assertRefused(JSON.stringify(batch))
  })

  test('many senders at once are refused as well', async () => {
    await Promise.all(refused.map((batch) => assertRefused(JSON.stringify(batch))))
  })

  test('records for the quarantine are refused, alone and beside good ones', async () => {
    await assertRefused('{"no":"event"}')
    await assertRefused(JSON.stringify([...(refused[0] ?? []), { no: 'event' }]))
  })

  test('nothing of that is stored, and reading goes on', async () => {
    await assertLogIsWhatWasKept()
    const [event] = kept.flat()
    assert(event)
    const page = await client.list(event.domain_name, { message_id: event.id })
    assert(page.events.some((found) => fingerprint(found) === fingerprint(event)))
    assert.equal((await client.get(`/logs/${event.domain_name}`)).status, 200)
    assert.equal((await client.get('/api/v2/domain')).status, 200)
  })

  test('it is not ready and stays so, however often it is asked; it is alive', async () => {
    for (let times = 0; times < 20; times++) {
      assert.equal(await statusOf('/readyz'), 503)
      assert.equal(await statusOf('/healthz'), 200)
    }
    assert.equal(await statusOf('/metrics'), 200)
  })

  test('duplicates of what is there need no room and may be acknowledged', async () => {
    const answer = await client.post(JSON.stringify(kept[0]))
    const body = await answer.text()
    if (answer.status === 200)
      assert.deepEqual(JSON.parse(body), { stored: 0, duplicates: kept[0]?.length, rejected: [] })
    else assert.equal(answer.status, 503)
    await assertLogIsWhatWasKept()
  })

  test('once it can be written again the server is ready by itself, and the same requests are stored', async () => {
    limitFileSize(server.pid, 'unlimited')
    await becomesReady()
    await assertLogIsWhatWasKept()
    for (const batch of refused) await store(batch)
    await assertLogIsWhatWasKept()
    await recount()
  })
})

describe('while only some of it can be written', { concurrency: false }, () => {
  /** The largest file of events, its log included. */
  function largestFileBytes(): number {
    const folder = join(installation.dataDir, 'events')
    return Math.max(...readdirSync(folder).map((name) => statSync(join(folder, name)).size))
  }

  /** Sends batches with a little more room each time, until they fit; every refusal is followed by `check`. */
  async function sendWithLittleRoom(days: readonly number[], check: (refused: Batch) => Promise<void>): Promise<void> {
    let refusals = 0
    for (let extraBytes = 0; extraBytes < 200_000; extraBytes += 20_480) {
      const batch = traffic.nextBatch(60, days)
      // Other files are smaller and have room; the largest one has this much more.
      limitFileSize(server.pid, largestFileBytes() + extraBytes)
      const answer = await client.post(JSON.stringify(batch))
      await answer.text()
      limitFileSize(server.pid, 'unlimited')
      if (answer.status !== 200) {
        assert.equal(answer.status, 503)
        refusals++
        await check(batch)
        const { stored, duplicates, rejected } = await client.ingest(batch)
        assert.deepEqual({ count: stored + duplicates, rejected }, { count: batch.length, rejected: [] })
      }
      kept.push(batch)
    }
    // Otherwise nothing was tried.
    assert(refusals > 0)
    await assertLogIsWhatWasKept()
  }

  test('a request of one day is stored whole or not at all', async () => {
    await sendWithLittleRoom([0], () => assertLogIsWhatWasKept())
  })

  for (const days of [
    [0, 7],
    [7, 0],
    [0, 1, 3, 5, 8],
  ]) {
    test(`a request of the days ${days.join(', ')} before today is whole when it is repeated, whatever was refused`, async () => {
      await sendWithLittleRoom(days, (refused) => assertLogIsWhatWasKept(refused))
    })
  }

  test('afterwards every counter is right, and so it is after a restart', async () => {
    assert.equal(await server.stop(), 0)
    await recount()
    await start()
    await assertLogIsWhatWasKept()
  })
})
