/** Requests without a key: health, metrics, documentation, console, tracking; and bytes that are not a valid request. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Tour } from './tour.ts'

/** Longer than the server waits before it reads its journal of hits, in real time. */
const JOURNAL_MS = 1500

const PAGES = `
nobody {GET,HEAD,POST} {/healthz,/readyz,/metrics,/openapi/index.json,/docs,/docs/,/docs/reference/logs,/docs/guide}
nobody GET {/docs/reference/nonsense,/docs/guide/nonsense,/openapi/nonsense.json,/openapi}
nobody GET /{,overview,log,domains,domains/acme.test,operator,operator/keys,log/,operator/a/b}
nobody {HEAD,POST} /
nobody GET {/assets/nonsense.js,/assets/,/favicon.ico,/nonsense,//webhooks/acme.test,/%zz,/webhooks/%ff}
nobody GET {/WEBHOOKS/acme.test,/v1,/v1/nonsense,/api}
nobody OPTIONS *
nobody TRACE /healthz
* GET {/readyz,/nonsense}
`

export async function askPublic(tour: Tour): Promise<void> {
  await tour.recorder.askTable(PAGES)
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
  const { acme: key = '' } = scene.keys
  const page = 'GET /webhooks/acme.test?limit=1'
  const health = 'GET /healthz'
  const requests: readonly (readonly [note: string, target: string, headers: Readonly<Record<string, string>>])[] = [
    ['Bearer', page, { authorization: `Bearer ${key}` }],
    ['bearer', page, { authorization: `bearer  ${key} ` }],
    ['Basic', page, { authorization: `Basic ${key}` }],
    ['changed key', page, { authorization: `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}` }],
    ['cut key', page, { authorization: key.slice(0, -5) }],
    ['empty', page, { authorization: '' }],
    ['nonsense', page, { authorization: 'nonsense' }],
    ['other host', page, { authorization: key, host: 'other.test:8025' }],
    ['own request id', health, { 'x-request-id': 'my-id_1.2' }],
    ['odd request id', health, { 'x-request-id': 'a b\tc' }],
    ['long request id', health, { 'x-request-id': 'x'.repeat(300) }],
    ['expectation', page, { authorization: key, expect: 'nonsense' }],
    ['accept', page, { authorization: key, accept: 'text/html', 'accept-encoding': 'gzip' }],
  ]
  for (const [note, target, headers] of requests) await recorder.ask('nobody', target, { note, headers })
}

async function askBytes({ recorder }: Tour): Promise<void> {
  const close = 'Connection: close\r\nX-Request-Id: recorded\r\n\r\n'
  const messages = {
    'no host': `GET /healthz HTTP/1.1\r\n${close}`,
    'HTTP/1.0': `GET /healthz HTTP/1.0\r\n${close}`,
    'two hosts': `GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n${close}`,
    'no HTTP': 'hello\r\n\r\n',
    'bad header': 'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n',
    'large headers': `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    'bad length': 'POST /ingest/events HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
    'long line': `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    'unknown method': `BREW /healthz HTTP/1.1\r\nHost: a\r\n${close}`,
  }
  for (const [note, bytes] of Object.entries(messages)) await recorder.askBytes(note, bytes)
}

export async function askTracking({ recorder, scene, installation }: Tour): Promise<void> {
  const { open, clicks } = scene.tracking
  const [click = ''] = clicks
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  installation.step()
  for (const path of [open, ...clicks]) await recorder.ask('nobody', `GET ${path}`, { headers: browser })
  installation.step()
  await recorder.ask('nobody', `HEAD ${open}`, { headers: browser })
  await recorder.ask('nobody', `GET ${open}`, { note: 'proxy', headers: { 'user-agent': 'GoogleImageProxy' } })
  await recorder.ask('nobody', `GET ${click}`, { note: 'no agent' })
  await recorder.askTable(`
nobody GET {${open}x,${click}x,${open.replace('/o/', '/c/')},${click.replace('/c/', '/o/')}}
nobody GET /t/{o/nonsense,c/nonsense,o/,c,x/abc}
nobody POST /t/o/nonsense
nobody HEAD /t/c/nonsense
`)
  await askForHits(recorder, installation)
}

/** The journal is read every second of real time; a hit is stored once the second around it is over. */
async function askForHits(recorder: Tour['recorder'], installation: Tour['installation']): Promise<void> {
  const target = '/webhooks/acme.test?message_id=tracked-message-0001'
  await pause(JOURNAL_MS)
  installation.step(2000)
  for (let before = -1; ; ) {
    await pause(JOURNAL_MS)
    const { count } = JSON.parse((await recorder.peek('acme', `GET ${target}`)).body.toString()) as { count: number }
    if (count > 0 && count === before) break
    before = count
  }
  await recorder.askTable(`
acme GET ${target}
acme GET /v1/messages/tracked-message-0001
acme GET /v1/events message_id=tracked-message-0001&format=csv
`)
}
