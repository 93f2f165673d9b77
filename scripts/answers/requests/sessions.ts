/** /v1/session: signing in and out, and what a session may do. */
import { CALLERS, type Tour } from './tour.ts'

const SAME_SITE = { 'sec-fetch-site': 'same-origin', origin: 'http://envelog.test' }

export async function askSessions(tour: Tour): Promise<void> {
  const { recorder, scene, installation } = tour
  for (const caller of CALLERS) await recorder.ask(caller, 'GET /v1/session')
  const signIn = (name: string, note: string, headers: Readonly<Record<string, string>> = {}) =>
    recorder.ask('nobody', 'POST /v1/session', { note, headers, body: JSON.stringify({ key: scene.keys[name] }) })
  installation.step()
  const answer = await signIn('acme', 'acme')
  await signIn('admin', 'admin, behind TLS', { 'x-forwarded-proto': 'https' })
  await signIn('ingest', 'same site', SAME_SITE)
  await signIn('revoked', 'revoked')
  await signIn('acme', 'another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' })
  await signIn('acme', 'another origin', { origin: 'https://evil.test' })
  const bodies = ['', '{}', '[]', 'null', '{"key":5}', '{"key":""}', '{"key":"x","more":1}', '{"key":"nonsense"}', '{']
  for (const body of [...bodies, JSON.stringify({ key: 'x'.repeat(201) }), '{"key":"\\ud800"}']) {
    await recorder.ask('nobody', 'POST /v1/session', { note: body.slice(0, 30), body })
  }
  await recorder.ask('nobody', 'POST /v1/session', { note: 'too large', body: Buffer.alloc(70_000, ' ') })
  await recorder.ask('nobody', 'POST /v1/session', { note: 'br', body: '{}', headers: { 'content-encoding': 'br' } })
  await askWithCookie(tour, answer)
}

async function askWithCookie(
  { recorder, installation }: Tour,
  answer: { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer },
): Promise<void> {
  const [cookie = ''] = (answer.headers['set-cookie'] ?? '').split(';')
  const { csrfToken } = JSON.parse(answer.body.toString()) as { csrfToken: string }
  const ask = (target: string, note: string, headers: Readonly<Record<string, string>> = {}) =>
    recorder.ask('nobody', target, { note, headers: { cookie, ...headers } })
  await ask('GET /v1/session', 'cookie')
  await ask('GET /v1/session', 'cookie among others', { cookie: `a=1; ${cookie}; b=2` })
  await ask('GET /v1/session', 'changed cookie', { cookie: `${cookie}x` })
  await ask('GET /v1/events?limit=1', 'cookie')
  await ask('GET /v1/admin/tenants', 'cookie')
  await ask('GET /webhooks/acme.test', 'cookie')
  installation.step()
  await ask('POST /v1/domains/acme.test/verify', 'no origin')
  await ask('POST /v1/domains/acme.test/verify', 'no token', SAME_SITE)
  await ask('POST /v1/domains/acme.test/verify', 'wrong token', { ...SAME_SITE, 'x-csrf-token': 'wrong' })
  await ask('POST /v1/domains/acme.test/verify', 'another site', {
    'x-csrf-token': csrfToken,
    'sec-fetch-site': 'cross-site',
    origin: 'https://evil.test',
  })
  await ask('POST /v1/domains/acme.test/verify', 'right', { ...SAME_SITE, 'x-csrf-token': csrfToken })
  await ask('DELETE /v1/session', 'no token', SAME_SITE)
  await ask('DELETE /v1/session', 'right', { ...SAME_SITE, 'x-csrf-token': csrfToken })
  await recorder.askAll('acme', ['DELETE /v1/session', 'PUT /v1/session', 'HEAD /v1/session'])
  await recorder.ask('nobody', 'DELETE /v1/session')
}

/** Last, because it closes the door for this address. */
export async function askTooManySignIns({ recorder }: Tour): Promise<void> {
  for (let attempt = 0; attempt < 24; attempt++) {
    await recorder.ask('nobody', 'POST /v1/session', { note: 'wrong key', body: '{"key":"wrong"}' })
  }
}
