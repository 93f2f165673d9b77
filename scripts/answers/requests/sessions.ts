/** /v1/session: signing in and out, and what a session may do. */
import type { Answer } from '../exchange.ts'
import type { Tour } from './tour.ts'

type Headers = Readonly<Record<string, string>>

const SAME_SITE: Headers = { 'sec-fetch-site': 'same-origin', origin: 'http://envelog.test' }
const OTHER_SITE: Headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }

export async function askSessions(tour: Tour): Promise<void> {
  const { recorder, scene, installation } = tour
  await recorder.askTable('* GET /v1/session')
  const signIn = (note: string, body: unknown, headers: Headers = {}) =>
    recorder.ask('nobody', 'POST /v1/session', { note, headers, body })
  const { acme, admin, ingest, revoked } = scene.keys
  installation.step()
  const answer = await signIn('acme', { key: acme })
  await signIn('admin, behind TLS', { key: admin }, { 'x-forwarded-proto': 'https' })
  await signIn('same site', { key: ingest }, SAME_SITE)
  await signIn('revoked', { key: revoked })
  await signIn('another site', { key: acme }, OTHER_SITE)
  await signIn('another origin', { key: acme }, { origin: 'https://evil.test' })
  const bodies = ['', '{}', '[]', 'null', '{"key":5}', '{"key":""}', '{"key":"x","more":1}', '{"key":"nonsense"}', '{']
  for (const body of [...bodies, JSON.stringify({ key: 'x'.repeat(201) }), '{"key":"\\ud800"}']) {
    await signIn(body.slice(0, 30), body)
  }
  await signIn('too large', Buffer.alloc(70_000, ' '))
  await signIn('br', '{}', { 'content-encoding': 'br' })
  await askWithCookie(tour, answer)
}

async function askWithCookie({ recorder, installation }: Tour, signedIn: Answer): Promise<void> {
  const [cookie = ''] = (signedIn.headers['set-cookie'] ?? '').split(';')
  const { csrfToken } = JSON.parse(signedIn.body.toString()) as { csrfToken: string }
  const token = { 'x-csrf-token': csrfToken }
  const ask = (target: string, note: string, headers: Headers = {}) =>
    recorder.ask('nobody', target, { note, headers: { cookie, ...headers } })
  await ask('GET /v1/session', 'cookie')
  await ask('GET /v1/session', 'cookie among others', { cookie: `a=1; ${cookie}; b=2` })
  await ask('GET /v1/session', 'changed cookie', { cookie: `${cookie}x` })
  for (const path of ['/v1/events?limit=1', '/v1/admin/tenants', '/webhooks/acme.test'])
    await ask(`GET ${path}`, 'cookie')
  installation.step()
  const verify = 'POST /v1/domains/acme.test/verify'
  await ask(verify, 'no origin')
  await ask(verify, 'no token', SAME_SITE)
  await ask(verify, 'wrong token', { ...SAME_SITE, 'x-csrf-token': 'wrong' })
  await ask(verify, 'another site', { ...OTHER_SITE, ...token })
  await ask(verify, 'right', { ...SAME_SITE, ...token })
  await ask('DELETE /v1/session', 'no token', SAME_SITE)
  await ask('DELETE /v1/session', 'right', { ...SAME_SITE, ...token })
  await recorder.askTable(`
acme {DELETE,PUT,HEAD} /v1/session
nobody DELETE /v1/session
`)
}

/** Last, because further attempts to sign in from this address are then refused. */
export async function askTooManySignIns({ recorder }: Tour): Promise<void> {
  for (let attempt = 0; attempt < 24; attempt++) {
    await recorder.ask('nobody', 'POST /v1/session', { note: 'wrong key', body: { key: 'wrong' } })
  }
}
