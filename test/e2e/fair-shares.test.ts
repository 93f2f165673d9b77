/**
 * Fair shares: a tenant that searches and exports as much as it can does not slow down another tenant's page by more than a
 * small factor, and is itself refused what exceeds its share.
 */
import assert from 'node:assert/strict'
import { Agent, get, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { LogClient } from '../harness/log/log-client.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'

const EVENTS = 50_000
const BATCH = 10_000
const SEARCHES = 30
const EXPORTS = 4
/** Reads of one tenant that may run or wait. */
const READS_MAX = 32
const PAGES = 40
/** Room for a busy machine: without shares it is in the hundreds. */
const RATIO_MAX = 30

/** Two characters: no index helps, every event is examined, and none matches. */
const SEARCH = '/v1/events?q=%7E%7E'
const EXPORT = '/v1/events?format=ndjson'
/** Not the newest page alone, which is kept in memory. */
const PAGE = '/webhooks/acme.test?type=Bounce&limit=50'

const now = Math.floor(Date.now() / 1000)
let installation: Installation
let server: ServerProcess
let greedyKey: string
before(async () => {
  installation = await openInstallation()
  // A short budget only makes the test shorter: the neighbour asks again.
  server = await installation.start({ ENVELOG_READ_RATE: 'off', ENVELOG_QUERY_BUDGET: '200ms' })
  for (const args of [
    ['tenant', 'create', 'greedy'],
    ['domain', 'add', 'greedy.test', '--tenant', 'greedy', '--active'],
  ])
    assert.equal((await installation.cli(...args)).exitCode, 0)
  const created = await installation.cli('--json', 'key', 'create', '--tenant', 'greedy')
  greedyKey = (JSON.parse(created.stdout) as { key: string }).key
  await ingest('greedy.test', EVENTS)
  await ingest('acme.test', BATCH)
})
after(async () => {
  await server.stop()
  installation[Symbol.dispose]()
})

async function ingest(domain: string, count: number): Promise<void> {
  const client = new LogClient(server.address, installation)
  for (let first = 0; first < count; first += BATCH) {
    const events = Array.from({ length: BATCH }, (_, index) => ({
      id: `${domain}-${first + index}`,
      timestamp: now - 60 - (first + index),
      type: index % 2 === 0 ? ('Bounce' as const) : ('Delivery' as const),
      domain_name: domain,
      recipient: `person${first + index}@example.net`,
      subject: `Letter number ${first + index}`,
    }))
    assert.equal((await client.ingest(events)).stored, BATCH)
  }
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
}

const agent = new Agent({ keepAlive: true })

/** The body is read and discarded, with as little work as possible: server and clients share the machine. */
function ask(path: string, authorization: string, signal?: AbortSignal): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const options = { agent, headers: { authorization }, ...(signal && { signal }) }
  get(`${server.address}${path}`, options, (response: IncomingMessage) => {
    response.on('error', reject)
    response.on('end', () => resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] }))
    response.resume()
  }).on('error', reject)
  return promise
}

/** As a client that never stops, but waits as long as it is asked to. */
async function repeat(path: string, statuses: Set<number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await ask(path, greedyKey, signal).catch(() => undefined)
    if (!answer) return
    statuses.add(answer.status)
    await delay(Number(answer.retryAfter ?? 0) * 1000, undefined, { signal }).catch(() => undefined)
  }
}

/** The median time of the victim's pages, requested one after the other. */
async function measurePages(): Promise<number> {
  const times: number[] = []
  for (let page = 0; page < PAGES; page++) {
    const started = performance.now()
    assert.equal((await ask(PAGE, installation.tenantKey)).status, 200)
    times.push(performance.now() - started)
  }
  return times.sort((a, b) => a - b)[PAGES / 2] ?? 0
}

test('a page of one tenant stays fast beside another that searches and exports without end', async (context) => {
  await measurePages()
  const quiet = await measurePages()
  const stop = new AbortController()
  const statuses = new Set<number>()
  const paths = [...Array<string>(SEARCHES).fill(SEARCH), ...Array<string>(EXPORTS).fill(EXPORT)]
  const load = Promise.all(paths.map((path) => repeat(path, statuses, stop.signal)))
  await ask(SEARCH, greedyKey)
  const beside = await measurePages()
  stop.abort()
  await load
  context.diagnostic(`median of a page: ${quiet.toFixed(1)} ms alone, ${beside.toFixed(1)} ms beside the neighbour`)
  for (const status of statuses) assert.ok(status === 200 || status === 429, `the neighbour was answered ${status}`)
  assert.ok(beside / quiet < RATIO_MAX, `a page takes ${(beside / quiet).toFixed(1)} times as long`)
})

test('what a tenant reads beyond its share is 429 with Retry-After, and no other tenant is refused', async () => {
  const searches = Array.from({ length: 3 * READS_MAX }, () => ask(SEARCH, greedyKey))
  const pages = Array.from({ length: 8 }, () => ask(PAGE, installation.tenantKey))
  const [answers, ofOther] = await Promise.all([Promise.all(searches), Promise.all(pages)])
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length > 0, 'nothing was refused')
  for (const { retryAfter } of refused) assert.match(String(retryAfter), /^[1-9]\d*$/)
  assert.ok(refused.length < answers.length, 'everything was refused')
  for (const { status } of ofOther) assert.equal(status, 200)
})
