/** What needs no key: health, metrics, documentation, console, tracking, and whatever is no request at all. */
import { setTimeout as pause } from 'node:timers/promises'
import { CALLERS, type Tour } from './tour.ts'

/** Of real time: longer than the server leaves its journal of hits alone. */
const JOURNAL_MS = 1500

export async function askPublic(tour: Tour): Promise<void> {
  const { recorder } = tour
  const pages = ['/', '/overview', '/log', '/domains', '/domains/acme.test', '/operator', '/operator/keys']
  await recorder.askAll('nobody', [
    ...['/healthz', '/readyz', '/metrics', '/openapi/index.json', '/docs', '/docs/', '/docs/start.js'].flatMap(
      (path) => [`GET ${path}`, `HEAD ${path}`, `POST ${path}`],
    ),
    'GET /docs/scalar.js',
    'GET /openapi/nonsense.json',
    'GET /openapi',
    ...pages.map((path) => `GET ${path}`),
    'HEAD /',
    'POST /',
    'GET /log/',
    'GET /operator/a/b',
    'GET /assets/nonsense.js',
    'GET /assets/',
    'GET /favicon.ico',
    'GET /nonsense',
    'GET //webhooks/acme.test',
    'GET /%zz',
    'GET /webhooks/%ff',
    'GET /WEBHOOKS/acme.test',
    'OPTIONS *',
    'GET /v1',
    'GET /v1/nonsense',
    'GET /api',
    'TRACE /healthz',
  ])
  for (const caller of CALLERS) await recorder.askAll(caller, ['GET /readyz', 'GET /nonsense'])
  await askFilesOfThePage(tour)
  await askHeaders(tour)
  await askBytes(tour)
}

async function askFilesOfThePage({ recorder }: Tour): Promise<void> {
  const page = (await recorder.peek('nobody', 'GET /')).body.toString()
  const [, script = '/assets/none.js'] = /src="(\/assets\/[^"]+)"/.exec(page) ?? []
  for (const coding of ['identity', 'gzip', 'br', 'zstd', 'gzip, br;q=0']) {
    await recorder.ask('nobody', `GET ${script}`, { note: coding, headers: { 'accept-encoding': coding } })
  }
}

async function askHeaders({ recorder, scene }: Tour): Promise<void> {
  const ask = (note: string, headers: Readonly<Record<string, string>>, target = 'GET /webhooks/acme.test?limit=1') =>
    recorder.ask('nobody', target, { note, headers })
  const key = scene.keys['acme'] ?? ''
  await ask('Bearer', { authorization: `Bearer ${key}` })
  await ask('bearer', { authorization: `bearer  ${key} ` })
  await ask('Basic', { authorization: `Basic ${key}` })
  await ask('changed key', { authorization: `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}` })
  await ask('cut key', { authorization: key.slice(0, -5) })
  await ask('empty', { authorization: '' })
  await ask('nonsense', { authorization: 'nonsense' })
  await ask('other host', { authorization: key, host: 'other.test:8025' })
  await ask('own request id', { 'x-request-id': 'my-id_1.2' }, 'GET /healthz')
  await ask('odd request id', { 'x-request-id': 'a b\tc' }, 'GET /healthz')
  await ask('long request id', { 'x-request-id': 'x'.repeat(300) }, 'GET /healthz')
  await ask('expectation', { authorization: key, expect: 'nonsense' })
  await ask('accept', { authorization: key, accept: 'text/html', 'accept-encoding': 'gzip' })
}

async function askBytes({ recorder }: Tour): Promise<void> {
  const close = 'Connection: close\r\nX-Request-Id: recorded\r\n\r\n'
  await recorder.askBytes('no host', `GET /healthz HTTP/1.1\r\n${close}`)
  await recorder.askBytes('HTTP/1.0', `GET /healthz HTTP/1.0\r\n${close}`)
  await recorder.askBytes('two hosts', `GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n${close}`)
  await recorder.askBytes('no HTTP', 'hello\r\n\r\n')
  await recorder.askBytes('bad header', 'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n')
  await recorder.askBytes('large headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)
  await recorder.askBytes('bad length', 'POST /ingest/events HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n')
  await recorder.askBytes('long line', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`)
  await recorder.askBytes('unknown method', `BREW /healthz HTTP/1.1\r\nHost: a\r\n${close}`)
}

/** Hits go into the log a moment later, on the real clock. */
export async function askTracking({ recorder, scene, installation }: Tour): Promise<void> {
  const { open, clicks } = scene.tracking
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  installation.step()
  await recorder.ask('nobody', `GET ${open}`, { headers: browser })
  for (const click of clicks) await recorder.ask('nobody', `GET ${click}`, { headers: browser })
  installation.step()
  await recorder.ask('nobody', `HEAD ${open}`, { headers: browser })
  await recorder.ask('nobody', `GET ${open}`, { note: 'proxy', headers: { 'user-agent': 'GoogleImageProxy' } })
  await recorder.ask('nobody', `GET ${clicks[0]}`, { note: 'no agent' })
  await recorder.askAll('nobody', [
    `GET ${open}x`,
    `GET ${clicks[0]}x`,
    'GET /t/o/nonsense',
    'GET /t/c/nonsense',
    `GET ${open.replace('/o/', '/c/')}`,
    `GET ${clicks[0]?.replace('/c/', '/o/')}`,
    'GET /t/o/',
    'GET /t/c',
    'GET /t/x/abc',
    'POST /t/o/nonsense',
    'HEAD /t/c/nonsense',
  ])
  const target = 'GET /webhooks/acme.test?message_id=tracked-message-0001'
  // The journal is read every second; a hit is stored once the second around it is over.
  await pause(JOURNAL_MS)
  installation.step(2000)
  for (let before = -1; ; ) {
    await pause(JOURNAL_MS)
    const { count } = JSON.parse((await recorder.peek('acme', target)).body.toString()) as { count: number }
    if (count > 0 && count === before) break
    before = count
  }
  await recorder.askAll('acme', [
    target,
    'GET /v1/messages/tracked-message-0001',
    'GET /v1/events?message_id=tracked-message-0001&format=csv',
  ])
}
