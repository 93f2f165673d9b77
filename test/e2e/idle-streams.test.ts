/** Streams cost only when something arrives for them: the processor time of a post does not depend on the idle ones of other tenants. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { EventStream } from '../harness/log/event-stream.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'

const TENANTS = 4
const STREAMS_PER_TENANT = 50
const POSTS = 60
const EVENTS_PER_POST = 10
/** Timers, heartbeats and noise. Waking the streams costs five times as much as the post. */
const RATIO_MAX = 1.5

let installation: Installation
let server: ServerProcess
let client: LogClient
before(async () => {
  installation = await openInstallation()
  server = await installation.start()
  client = new LogClient(server.address, installation)
})
after(async () => {
  await server.stop()
  installation[Symbol.dispose]()
})

async function create(adminKey: string, path: string, body: object): Promise<{ readonly key?: string }> {
  const headers = { authorization: adminKey }
  const answer = await fetch(`${server.address}/v1/admin/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  assert.equal(answer.status, 201, await answer.clone().text())
  return (await answer.json()) as { readonly key?: string }
}

/** Each with a domain; returns a key of each. */
async function createTenants(): Promise<readonly string[]> {
  const { stdout } = await installation.cli('--json', 'key', 'create', '--operator', '--scope', 'admin')
  const { key: adminKey } = JSON.parse(stdout) as { key: string }
  const keys: string[] = []
  for (let number = 0; number < TENANTS; number++) {
    const tenant = `tenant${number}`
    await create(adminKey, 'tenants', { name: tenant })
    await create(adminKey, 'domains', { name: `${tenant}.test`, tenant, active: true })
    keys.push((await create(adminKey, 'keys', { tenant })).key ?? '')
  }
  return keys
}

let posted = 0
async function post(domain: string): Promise<void> {
  const events = Array.from({ length: EVENTS_PER_POST }, (_, index) => ({
    id: `message-${posted++}`,
    timestamp: Math.floor(Date.now() / 1000) - 60,
    type: 'Delivery' as const,
    domain_name: domain,
    recipient: `person${index}@example.net`,
  }))
  assert.equal((await client.ingest(events)).stored, EVENTS_PER_POST)
}

/** Processor seconds of all threads so far. */
async function processorSeconds(): Promise<number> {
  const metrics = await (await fetch(`${server.address}/metrics`)).text()
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1])
}

async function measurePosts(): Promise<number> {
  const before = await processorSeconds()
  for (let posts = 0; posts < POSTS; posts++) await post('acme.test')
  return (await processorSeconds()) - before
}

test('200 idle streams of other tenants do not make a post more expensive', async (context) => {
  const keys = await createTenants()
  await measurePosts()
  const alone = await measurePosts()
  const streams: EventStream[] = []
  for (const authorization of keys) {
    for (let count = 0; count < STREAMS_PER_TENANT; count++) {
      const stream = await EventStream.open(`${server.address}/v1/events/stream`, { authorization })
      assert.equal(stream.response.status, 200)
      streams.push(stream)
    }
  }
  // Each follows its domain: once it has sent the event, it is idle.
  for (let number = 0; number < TENANTS; number++) await post(`tenant${number}.test`)
  for (const stream of streams) await stream.take(EVENTS_PER_POST)
  const beside = await measurePosts()
  for (const stream of streams) await stream[Symbol.asyncDispose]()
  const aloneAgain = await measurePosts()
  const ratio = beside / ((alone + aloneAgain) / 2)
  const ms = [alone, beside, aloneAgain].map((seconds) => ((seconds * 1000) / POSTS).toFixed(1))
  context.diagnostic(`processor time of a post: ${ms.join(', ')} ms (without, with, without streams)`)
  assert.ok(ratio < RATIO_MAX, `a post costs ${ratio.toFixed(2)} times as much`)
})
