/**
 * No request blocks the serving thread: with a mailing of 100,000 recipients under one id and many domains, no request makes the
 * thread spend 20 ms of processor time without returning to the event loop.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fetchDocuments, RouteTable } from '../../scripts/answers/openapi.ts'
import { EventStream } from '../harness/log/event-stream.ts'
import { writeDeliveryReport } from '../harness/mail/written-report.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'

const STRETCH_MS_MAX = 20
/** Of the fixed work in thread-turns.ts, on a processor that nobody else uses. Where it takes longer, everything may. */
const FIXED_WORK_MS = 7
/** Garbage collection and compilation happen at random; a long stretch of our own code is there in every run. */
const RUNS = 20

const RECIPIENTS = 100_000
const DOMAINS = 41
const BATCH = 10_000
/** Answers are read only this far, which is enough for several pages of an export. */
const ANSWER_BYTES_MAX = 1024 * 1024

const MAILING = 'mailing-to-everybody-0001'
const DAY = 86_400
/** The oldest event of the mailing, so that all others are examined before it. */
const SIGNED_FOR = 'person0@example.net'

let installation: Installation
let server: ServerProcess
let adminKey: string
let socketPath: string
/** Before the first event. */
let position: string
let operatorPosition: string
let removalId: string
const now = Math.floor(Date.now() / 1000)

before(async () => {
  installation = await openInstallation()
  const created = await installation.cli('--json', 'key', 'create', '--operator', '--scope', 'admin')
  adminKey = (JSON.parse(created.stdout) as { key: string }).key
  socketPath = join(dirname(installation.dataDir), 'turns.sock')
  server = await installation.start({
    NODE_OPTIONS: `--import=${new URL('../harness/programs/thread-turns.ts', import.meta.url).href}`,
    THREAD_TURNS_SOCKET: socketPath,
    ENVELOG_REPORT_PROOF: 'issued',
  })
  await addDomains()
  const headers = { authorization: installation.tenantKey }
  await using stream = await EventStream.open(`${server.address}/v1/events/stream`, headers)
  await stream.next()
  position = stream.lastEventId
  await using all = await EventStream.open(`${server.address}/v1/admin/events/stream`, { authorization: adminKey })
  await all.next()
  operatorPosition = all.lastEventId
  await ingestMailing()
  await ingestOrdinary()
  const erased = await send(adminKey, 'POST /v1/admin/erasures', JSON.stringify({ address: 'nobody@nowhere.test' }))
  removalId = (JSON.parse(erased) as { id: string }).id
})

after(async () => {
  await server.stop()
  installation[Symbol.dispose]()
})

async function send(key: string, target: string, body?: string | Buffer, bytesMax = ANSWER_BYTES_MAX): Promise<string> {
  const [method = '', path = ''] = target.split(' ')
  const answer = await fetch(`${server.address}${path}`, {
    method,
    headers: { authorization: key },
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
  })
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of answer.body ?? []) {
    pieces.push(piece)
    bytes += piece.length
    if (bytes > bytesMax) break
  }
  assert.ok(answer.status < 300, `${target} was answered with ${answer.status}`)
  return Buffer.concat(pieces).toString()
}

const domainName = (number: number) => (number === 0 ? 'acme.test' : `d${number}.acme.test`)

async function addDomains(): Promise<void> {
  for (let number = 1; number < DOMAINS; number += 4) {
    const names = [0, 1, 2, 3].map((more) => ({ name: domainName(number + more), tenant: 'acme', active: false }))
    await Promise.all(names.map((body) => send(adminKey, 'POST /v1/admin/domains', JSON.stringify(body))))
  }
}

async function ingestMailing(): Promise<void> {
  for (let first = 0; first < RECIPIENTS; first += BATCH) {
    const events = Array.from({ length: BATCH }, (_, index) => ({
      id: MAILING,
      timestamp: now - 3600 + Math.floor((first + index) / 50),
      type: (first + index) % 20 === 0 ? 'Bounce' : 'Delivery',
      domain_name: 'acme.test',
      recipient: `person${first + index}@example.net`,
      sender: 'bounces@acme.test',
      from: 'Acme <hello@acme.test>',
      subject: 'To everybody',
      response_code: (first + index) % 20 === 0 ? 550 : 250,
      response_content: 'OK gsmtp',
      provider_name: `provider${(first + index) % 5}`,
      sending_address: `192.0.2.${(first + index) % 50}`,
      sending_source: `mta-${(first + index) % 50}`,
    }))
    await send(installation.ingestKey, 'POST /ingest/events', JSON.stringify(events))
  }
}

async function ingestOrdinary(): Promise<void> {
  const events = Array.from({ length: BATCH }, (_, number) => ({
    id: `ordinary-message-${Math.floor(number / 2)}`,
    timestamp: now - (number % 14) * DAY - (number % 3000) - 5,
    type: number % 2 === 0 ? 'Reception' : 'Delivery',
    domain_name: domainName(number % DOMAINS),
    recipient: `reader${number}@example.org`,
    subject: `Letter ${number}`,
  }))
  await send(installation.ingestKey, 'POST /ingest/events', JSON.stringify(events))
}

interface Measured {
  readonly name: string
  readonly run: () => Promise<unknown>
}

function read(path: string, key = installation.tenantKey): Measured {
  return { name: `GET ${path}`, run: () => send(key, `GET ${path}`) }
}

function listReads(): readonly Measured[] {
  const log = '/webhooks/acme.test'
  const window = `start_timestamp=${now - 20 * DAY}`
  const mailing = `message_id=${MAILING}`
  return [
    ...[
      `${log}?${mailing}`,
      `${log}?limit=1000`,
      `${log}?type=Bounce&limit=1000`,
      `${log}?recipient=person9999&limit=1000`,
      `${log}?subject=everybody&limit=1000`,
      `${log}?subject=zz&${window}`,
      `${log}?sender=bounces&from=hello&response_code=550&limit=1000`,
      `${log}?recipient=zq&${window}`,
      '/logs/acme.test',
      '/logs/acme.test?type=Bounce',
      '/v1/events?limit=1000',
      '/v1/events?domain=acme.test&limit=1000',
      '/v1/events?type=Bounce&type=Delivery&limit=1000',
      '/v1/events?code=5xx&limit=1000',
      '/v1/events?provider=provider1&limit=1000',
      '/v1/events?classification=none',
      '/v1/events?q=person9999&limit=1000',
      '/v1/events?q=zq',
      `/v1/events?q=${MAILING}&limit=1000`,
      '/v1/events?recipient=person&limit=1000',
      '/v1/events?sender=zz',
      '/v1/events?header_from=hello&limit=1000',
      '/v1/events?subject=everybody&limit=1000',
      `/v1/events?${mailing}&limit=1000`,
      `/v1/events?${mailing}&format=csv`,
      `/v1/events?${mailing}&format=ndjson`,
      '/v1/events?type=Delivery&format=csv',
      '/v1/events?recipient=person&format=ndjson',
      `/v1/messages/${MAILING}`,
      `/v1/messages/${MAILING}?domain=acme.test`,
      '/v1/messages/ordinary-message-1',
      '/v1/events/facets',
      '/v1/events/facets?q=person&code=2xx',
      '/v1/events?reply=250+*&not_reply=*',
      '/v1/stats/figures',
      ...['type', 'provider', 'classification', 'domain', 'figure'].flatMap((group) => [
        `/v1/stats/series?group=${group}`,
        `/v1/stats/series?group=${group}&bucket=day`,
      ]),
      '/v1/insights',
      '/v1/stats/delivery-times',
      '/v1/insights?domain=acme.test',
      '/domain/stats',
      '/api/v2/domain?take=1000',
      '/v1/domains',
      '/v1/domains/acme.test',
      '/v1/session',
      '/v1/quotas',
      '/v1/views',
    ].map((path) => read(path)),
    ...[
      '/v1/admin/tenants',
      '/v1/admin/keys',
      '/v1/admin/domains?take=1000',
      '/v1/admin/ingest',
      '/v1/admin/storage',
      '/v1/admin/retention',
      '/v1/admin/retention',
      '/v1/admin/quarantine',
      '/v1/admin/removals',
      `/v1/admin/removals/${removalId}`,
      '/v1/admin/domains/acme.test',
      '/v1/admin/domains/acme.test/keys',
      '/v1/admin/domains/acme.test/keys/current/private-key',
      '/v1/admin/tracking-secret',
      '/v1/admin/return-paths/key',
      '/v1/admin/audit?limit=1000',
      '/v1/admin/audit?format=csv',
      '/v1/admin/secrets',
      '/v1/admin/events?limit=1000',
      '/v1/admin/events?tenant=acme&sending_address=192.0.2.1&limit=1000',
      '/v1/admin/events?sending_source=none',
      `/v1/admin/messages/${MAILING}`,
      '/v1/admin/events/facets',
      '/v1/admin/events/facets?q=person&code=2xx',
      '/v1/admin/insights',
      '/v1/admin/stats/delivery-times',
      '/v1/admin/stats/series?group=sending_address',
      '/v1/admin/stats/series?group=domain&bucket=day',
    ].map((path) => read(path, adminKey)),
    ...['/healthz', '/readyz', '/metrics', '/t/o/nonsense'].map((path) => read(path, '')),
    ...['/docs', '/docs/reference/v1', '/docs/guide/operations', '/docs/guide/search.json'].map((path) =>
      read(path, ''),
    ),
    { name: 'GET /v1/events/stream', run: () => followStream('/v1/events/stream', installation.tenantKey, position) },
    {
      name: 'GET /v1/admin/events/stream',
      run: () => followStream('/v1/admin/events/stream', adminKey, operatorPosition),
    },
  ]
}

async function followStream(path: string, key: string, from: string): Promise<void> {
  const url = `${server.address}${path}?last_event_id=${from}`
  await using stream = await EventStream.open(url, { authorization: key })
  await stream.take(3000)
}

/** Each report is about another recipient, so that none is cached. */
async function listReports(): Promise<readonly Measured[]> {
  const { stdout } = await installation.cli(
    ...['--json', 'return-path', '--domain', 'acme.test', '--message', MAILING].concat('--recipient', SIGNED_FOR),
  )
  const { envelopeId } = JSON.parse(stdout) as { envelopeId: string }
  let count = 0
  const report = (
    name: string,
    extra: { readonly envelopeId?: string },
    expected: RegExp,
    unknownRecipient = false,
  ) => ({
    name: `POST /ingest/report, ${name}`,
    run: async () => {
      count += 1
      const recipient = unknownRecipient ? `forwarded${count}@elsewhere.test` : `person${count}@example.net`
      const returned = ['From: hello@acme.test', `Message-ID: <${MAILING}@acme.test>`]
      const message = writeDeliveryReport({ outcomes: [{ recipient }], returned, ...extra })
      const answer = await send(installation.ingestKey, 'POST /ingest/report', message)
      assert.match(answer, expected)
    },
  })
  return [
    report('tied by the id of the message', {}, /^\{"stored":1,"duplicates":0,"rejected":\[\]\}$/),
    // The mailing has more recipients than a report may cost signatures.
    report('signed for a recipient that it does not name', { envelopeId }, /"stored":0,.*too many/, true),
    ...listHostileReports(),
  ]
}

/** The most expensive messages of the largest size that is examined. */
function listHostileReports(): readonly Measured[] {
  const size = 262_144
  const part = (type: string, text: string) =>
    `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/${type}\n\n${text}`
  const forged = Array.from({ length: 20 }, (_, n) => `To: <l${MAILING}${n}-${'0'.repeat(20)}@bounces.acme.test>\n`)
  const known = `To: <l${MAILING}-${'0'.repeat(20)}@bounces.acme.test>\n`
  const failed = Array.from({ length: 200 }, (_, n) => `Final-Recipient: rfc822;r${n}@example.org\nAction: failed\n`)
  const words = `Subject: ${'=?none?q?a?=.'.repeat(3000)}\nFrom: ${'=?none?q?a?=.'.repeat(3000)}\n`
  const messages: Record<string, string> = {
    'a complaint about thousands': part('feedback-report', '').padEnd(size, 'Original-Rcpt-To: a@b.c\n'),
    'forged references and many recipients': forged.join('') + part('delivery-status', failed.join('\n')),
    'a forged reference to the mailing': known + part('delivery-status', failed.join('\n')),
    'words in charsets that do not exist': part(
      'feedback-report',
      `Feedback-Type: abuse\n\n--b\nContent-Type: text/rfc822-headers\n\n${words}`,
    ),
    'lines of white space': part('delivery-status', '').padEnd(size, ' \n'),
    'encoded characters': 'Content-Transfer-Encoding: quoted-printable\n\n'.padEnd(size, '=41'),
    'the line before a copy, without end': 'X-Failed-Recipients: a@b.c\n\n---- This is a copy of the message'.padEnd(
      size,
      '-',
    ),
  }
  return Object.entries(messages).map(([name, message]) => ({
    name: `POST /ingest/report, ${name}`,
    run: () => send(installation.ingestKey, 'POST /ingest/report', message),
  }))
}

/** The largest bodies, and those with the longest answers. */
function listBatches(): readonly Measured[] {
  const size = 16 * 1024 * 1024 - 100
  const fill = (begin: string, part: string, end: string) =>
    begin + part.repeat(Math.floor((size - begin.length - end.length) / part.length)) + end
  const bodies: Record<string, string> = {
    '100,000 records without fields': `[${'{},'.repeat(99_999)}{}]`,
    'lines that are not JSON after one that is': `{}\n${'x\n'.repeat(99_999)}`,
    'one record of numbers': fill('[[', '1,', '1]]'),
    'one record of brackets': fill('[[', '[],', '1]]'),
    'one text': fill('["', 'a', '"]'),
    'one text of escapes': fill('["', '\\"', '"]'),
    'one number': fill('[', '1', ']'),
    'white space': fill('[', ' ', ']'),
    'an object over several lines': fill('{\n"a":[', '1,', '1]}'),
  }
  return Object.entries(bodies).map(([name, body]) => ({
    name: `POST /ingest/events, ${name}`,
    run: () => send(installation.ingestKey, 'POST /ingest/events', body, Number.POSITIVE_INFINITY),
  }))
}

/** The longest stretch while `run` runs, in milliseconds of an unshared processor. */
async function measure(run: () => Promise<unknown>): Promise<number> {
  const socket = connect(socketPath)
  await once(socket, 'data')
  await run()
  const answered = once(socket, 'data')
  socket.write('.')
  const [text] = (await answered) as [Buffer]
  socket.destroy()
  const [longest = 0, fixedWork = 0] = text.toString().split(' ').map(Number)
  return longest / 1000 / Math.max(1, fixedWork / 1000 / FIXED_WORK_MS)
}

async function measureAll(questions: readonly Measured[]): Promise<ReadonlyMap<string, number>> {
  const shortest = new Map<string, number>()
  for (const { name, run } of questions) {
    for (let runs = 0; runs < RUNS && (shortest.get(name) ?? Infinity) > STRETCH_MS_MAX; runs++) {
      shortest.set(name, Math.min(shortest.get(name) ?? Infinity, await measure(run)))
    }
  }
  return shortest
}

function listOffenders(stretches: ReadonlyMap<string, number>): readonly string[] {
  return [...stretches].filter(([, ms]) => ms > STRETCH_MS_MAX).map(([name, ms]) => `${name}: ${ms.toFixed(1)} ms`)
}

test('no read blocks the serving thread, whatever its parameters', async (context) => {
  const stretches = await measureAll(listReads())
  for (const [name, ms] of stretches) context.diagnostic(`${ms.toFixed(1)} ms  ${name}`)
  assert.deepEqual(listOffenders(stretches), [])
})

test('no batch blocks the serving thread, whatever its records are', async (context) => {
  const stretches = await measureAll(listBatches())
  for (const [name, ms] of stretches) context.diagnostic(`${ms.toFixed(1)} ms  ${name}`)
  assert.deepEqual(listOffenders(stretches), [])
})

test('no report blocks the serving thread, whichever message it is tied to', async (context) => {
  const stretches = await measureAll(await listReports())
  for (const [name, ms] of stretches) context.diagnostic(`${ms.toFixed(1)} ms  ${name}`)
  assert.deepEqual(listOffenders(stretches), [])
})

test('every documented read is measured', async () => {
  const documents = await fetchDocuments(server.address)
  const routes = new RouteTable([...documents.values()])
  for (const { name } of listReads()) routes.note('GET', name.replace('GET ', ''), 200)
  // A link needs a signed token, and redirects without reading stored data.
  const left = routes.listUncovered().filter((route) => route.startsWith('GET ') && !route.startsWith('GET /t/c/'))
  assert.deepEqual(left, [])
})
