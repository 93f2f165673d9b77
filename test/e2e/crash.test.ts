/** Repeated kill -9 at random times during ingest, on one data folder: acknowledged events survive. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createSeededRandom } from '../../src/lib/seeded-random.ts'
import { type Batch, Ledger } from '../harness/log/ledger.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { createTraffic } from '../harness/log/traffic.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'

const ROUNDS = 50
const ROUNDS_PER_CHECK = 10
const WRITERS = 4
const DAY = 86_400

const now = Math.floor(Date.now() / 1000)
/** Only for the times of the kills: a failure does not depend on the seed. */
const random = createSeededRandom(now)

let installation: Installation
let ledger: Ledger

before(async () => {
  installation = await openInstallation()
  ledger = new Ledger(installation.domains, { fromTimestamp: now - 80 * DAY, toTimestamp: now })
})

after(() => installation[Symbol.dispose]())

/** Sends batch after batch until the connection breaks; an answer other than 200 fails the test. */
async function write(client: LogClient, nextBatch: () => Batch, onAnswer: () => void): Promise<void> {
  try {
    for (;;) {
      await ledger.send(client, nextBatch())
      onAnswer()
    }
  } catch (error) {
    // fetch throws this when the server is gone; failed assertions have another class.
    if (!(error instanceof TypeError)) throw error
  }
}

/** Counters, hourly counts and the files themselves, examined while no server runs. */
async function recount(): Promise<void> {
  const { exitCode, stdout } = await installation.cli('--json', 'recount')
  assert.deepEqual({ exitCode, ...JSON.parse(stdout) }, { exitCode: 0, ok: true, differences: [] })
}

function listDrafts(): readonly string[] {
  return readdirSync(join(installation.dataDir, 'events')).filter((name) => name.includes('draft'))
}

test(`${ROUNDS} times kill -9 during ingest: everything acknowledged is stored once and counted once`, async (t) => {
  const traffic = createTraffic({ domains: installation.domains, now })
  for (let round = 1; round <= ROUNDS; round++) {
    await using server = await installation.start()
    const client = new LogClient(server.address, installation)
    assert.deepEqual(listDrafts(), [])
    if (round % ROUNDS_PER_CHECK === 0) await ledger.verify(client)

    // Like a mail server, the first writer begins with the unanswered batches; the others never retry theirs.
    const spool = ledger.unanswered.slice(-2)
    // Today, yesterday, the day before, and a day that has no file yet.
    const nextBatch = () => traffic.nextBatch(random.between(1, 60), [0, 1, 2, 2 + round])
    const answered = Promise.withResolvers<void>()
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(client, () => (writer === 0 ? spool.shift() : undefined) ?? nextBatch(), answered.resolve),
    )
    // Every other time after the first answer: the first requests open and create files, later ones only write.
    if (round % 2 === 0) await Promise.race([answered.promise, ...writers])
    await delay(random.between(10, 300))
    await server.kill()
    await Promise.all(writers).catch((error: unknown) => {
      t.diagnostic(server.logs())
      throw error
    })
    if (round % ROUNDS_PER_CHECK === 0) await recount()
  }
  t.diagnostic(`${ledger.acknowledgedEvents} events acknowledged, ${ledger.unanswered.length} batches unanswered`)
  // Otherwise the kills came before any request was in flight, and nothing was tested.
  assert(ledger.acknowledgedEvents > ROUNDS)
  assert(ledger.unanswered.length > 0)
})

test('everything sent again afterwards: nothing is stored twice', async () => {
  await using server = await installation.start()
  const client = new LogClient(server.address, installation)
  await ledger.verify(client)
  for (const batch of ledger.acknowledged) {
    assert.deepEqual(await ledger.send(client, batch), { stored: 0, duplicates: batch.length, rejected: [] })
  }
  await ledger.verify(client)
  // The log may have some of these already; afterwards it must have all of them.
  for (const batch of ledger.unanswered) await ledger.send(client, batch)
  await ledger.verify(client)
  assert.equal(await server.stop(), 0)
  await recount()
})
