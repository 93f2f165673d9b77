/** One batch sent repeatedly, in every way and across restarts of every kind: stored once, counted once. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { EmailEvent } from '../../src/events/event.ts'
import { createSeededRandom } from '../../src/lib/seeded-random.ts'
import { type Batch, fingerprint } from '../harness/log/ledger.ts'
import { countEvents, LogClient } from '../harness/log/log-client.ts'
import { createTraffic } from '../harness/log/traffic.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'

const DAY = 86_400
const now = Math.floor(Date.now() / 1000)
const window = { start_timestamp: String(now - 5 * DAY), end_timestamp: String(now) }
const random = createSeededRandom(1)

let installation: Installation
let server: ServerProcess
let client: LogClient
let batch: Batch

before(async () => {
  installation = await openInstallation()
  batch = createTraffic({ domains: installation.domains, now }).nextBatch(300, [0, 1, 2])
  await start()
})

after(async () => {
  await server[Symbol.asyncDispose]()
  installation[Symbol.dispose]()
})

async function start(): Promise<void> {
  server = await installation.start()
  client = new LogClient(server.address, installation)
}

async function restart(how: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  server.signal(how)
  assert.equal(await server.exited, how === 'SIGTERM' ? 0 : null)
  await server[Symbol.asyncDispose]()
  await start()
}

interface Sum {
  stored: number
  duplicates: number
}

/** Sends the parts one after the other and adds up the answers. */
async function sendParts(parts: readonly Batch[]): Promise<Sum> {
  const sum = { stored: 0, duplicates: 0 }
  for (const part of parts) {
    const { stored, duplicates, rejected } = await client.ingest(part)
    assert.deepEqual(rejected, [])
    sum.stored += stored
    sum.duplicates += duplicates
  }
  return sum
}

async function sendBody(body: string | Uint8Array<ArrayBuffer>, encoding?: string): Promise<Sum> {
  const answer = await client.post(body, encoding === undefined ? {} : { 'content-encoding': encoding })
  assert.equal(answer.status, 200)
  const { stored, duplicates, rejected } = (await answer.json()) as Sum & { rejected: unknown[] }
  assert.deepEqual(rejected, [])
  return { stored, duplicates }
}

function shuffle<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

function split(events: Batch, partsOf: () => number): readonly Batch[] {
  const parts: Batch[] = []
  for (let at = 0; at < events.length; ) {
    const size = partsOf()
    parts.push(events.slice(at, at + size))
    at += size
  }
  return parts
}

/** The same event, its fields in another order and with nulls for absent ones. */
function rewritten(event: EmailEvent): object {
  return Object.fromEntries([...shuffle(Object.entries(event)), ['peer_name', null], ['tls_cipher', null]])
}

async function assertStoredOnce(): Promise<void> {
  const stats = await client.stats()
  const wanted = new Set(batch.map(fingerprint))
  for (const domain of installation.domains) {
    const listed = await client.listAll(domain, window)
    for (const event of listed) assert(wanted.delete(fingerprint(event)), `listed twice: ${JSON.stringify(event)}`)
    const sent = batch.filter((event) => event.domain_name === domain)
    assert.equal(listed.length, sent.length)
    assert.deepEqual(stats[domain], countEvents(sent))
  }
  assert.equal(wanted.size, 0)
}

describe('a batch', { concurrency: false }, () => {
  test('sent for the first time by ten senders at once is stored once', async () => {
    const sums = await Promise.all(Array.from({ length: 10 }, () => sendParts([shuffle(batch)])))
    const stored = sums.reduce((total, sum) => total + sum.stored, 0)
    const duplicates = sums.reduce((total, sum) => total + sum.duplicates, 0)
    assert.deepEqual({ stored, duplicates }, { stored: batch.length, duplicates: 9 * batch.length })
    await assertStoredOnce()
  })

  const nothingNew = () => ({ stored: 0, duplicates: batch.length })

  for (const how of ['SIGTERM', 'SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGKILL'] as const) {
    test(`sent again after ${how}, in other orders and other parts, changes nothing`, async () => {
      await restart(how)
      await assertStoredOnce()
      assert.deepEqual(await sendParts([batch]), nothingNew())
      assert.deepEqual(await sendParts([shuffle(batch)]), nothingNew())
      assert.deepEqual(await sendParts(split(shuffle(batch), () => random.between(1, 40))), nothingNew())
      await assertStoredOnce()
    })
  }

  test('sent one event at a time changes nothing', async () => {
    assert.deepEqual(await sendParts(split(batch.slice(0, 100), () => 1)), { stored: 0, duplicates: 100 })
    for (const event of batch.slice(0, 20)) {
      assert.deepEqual(await sendBody(JSON.stringify(event)), { stored: 0, duplicates: 1 })
    }
    await assertStoredOnce()
  })

  test('sent in every supported format and encoding changes nothing', async () => {
    const lines = batch.map((event) => JSON.stringify(event)).join('\n')
    assert.deepEqual(await sendBody(lines), nothingNew())
    assert.deepEqual(await sendBody(`${lines}\n`), nothingNew())
    assert.deepEqual(await sendBody(lines.replaceAll('\n', '\r\n')), nothingNew())
    assert.deepEqual(await sendBody(JSON.stringify(batch, undefined, 2)), nothingNew())
    assert.deepEqual(await sendBody(JSON.stringify(batch.map(rewritten))), nothingNew())
    assert.deepEqual(await sendBody(new Uint8Array(gzipSync(lines)), 'gzip'), nothingNew())
    assert.deepEqual(await sendBody(new Uint8Array(zstdCompressSync(lines)), 'zstd'), nothingNew())
    const escaped = JSON.stringify(batch).replace(/[^\x20-\x7e]/g, escapeUnit)
    assert.deepEqual(await sendBody(escaped), nothingNew())
    await assertStoredOnce()
  })

  test('sent with the domain in upper case and with a trailing dot changes nothing', async () => {
    const louder = batch.map((event) => ({ ...event, domain_name: `${event.domain_name.toUpperCase()}.` }))
    assert.deepEqual(await sendParts([louder]), nothingNew())
    await assertStoredOnce()
  })

  test('imported by the command line while the server runs changes nothing', async () => {
    const file = join(installation.dataDir, '..', 'batch.ndjson')
    writeFileSync(file, batch.map((event) => `${JSON.stringify(event)}\n`).join(''))
    const { exitCode, stdout } = await installation.cli('--json', 'import', file)
    assert.equal(exitCode, 0)
    const { stored, duplicates, rejected } = JSON.parse(stdout) as Sum & { rejected: number }
    assert.deepEqual({ stored, duplicates, rejected }, { ...nothingNew(), rejected: 0 })
    await assertStoredOnce()
  })

  test('with an event that differs in any one field adds that event', async () => {
    const [event] = batch
    assert(event)
    const changes: Partial<EmailEvent>[] = [
      { id: `${event.id}x` },
      { timestamp: event.timestamp - 1 },
      { type: 'Click' },
      { recipient: `x${event.recipient}` },
      { sender: '' },
      { from: `${event.from} ` },
      { subject: `${event.subject?.toUpperCase()}` },
      { response_code: 251 },
      { response_content: '' },
      { response_enhanced_code: '' },
      { provider_name: '' },
      { peer_name: '' },
      { bounce_classification: '' },
      { num_attempts: 77 },
      { size: 0 },
      { service_message_id: '' },
      { direction: '' },
      { campaign: null },
      { campaign: '' },
      { reception_protocol: '' },
      { delivery_protocol: '' },
      { tls_protocol_version: '' },
      { tls_cipher: '' },
    ]
    const others = changes.map((change) => ({ ...event, ...change }))
    assert.deepEqual(await sendParts([others]), { stored: others.length, duplicates: 0 })
    assert.deepEqual(await sendParts([others, [event]]), { stored: 0, duplicates: others.length + 1 })
    const listed = (await client.listAll(event.domain_name, window)).map(fingerprint)
    for (const other of others) assert.equal(listed.filter((mark) => mark === fingerprint(other)).length, 1)
  })

  test('leaves counters that a recount confirms', async () => {
    assert.equal(await server.stop(), 0)
    const { exitCode, stdout } = await installation.cli('--json', 'recount')
    assert.deepEqual({ exitCode, ...JSON.parse(stdout) }, { exitCode: 0, ok: true, differences: [] })
  })
})

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
