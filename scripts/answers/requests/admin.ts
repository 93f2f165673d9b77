/** /v1/admin: tenants, keys, domains, health, quarantine; and what the interface has gained since. */
import type { Recorder } from '../recorder.ts'
import { CALLERS, type Tour } from './tour.ts'

const READS = [
  'GET /v1/admin/tenants',
  'GET /v1/admin/keys',
  'GET /v1/admin/domains',
  'GET /v1/admin/ingest',
  'GET /v1/admin/storage',
  'GET /v1/admin/quarantine',
] as const

export async function askAdmin(tour: Tour): Promise<void> {
  const { recorder, installation } = tour
  for (const caller of CALLERS) if (caller !== 'both') await recorder.askAll(caller, READS)
  await recorder.askAll('admin', [
    ...READS.map((read) => read.replace('GET', 'HEAD')),
    ...READS.map((read) => read.replace('GET', 'PUT')),
    ...['tenant=Acme', 'tenant=Empty', 'tenant=Nobody', 'tenant=', 'take=2', 'skip=2&take=3', 'take=0', 'skip=x'].map(
      (query) => `GET /v1/admin/domains?${query}`,
    ),
    ...['limit=3', 'limit=3&cursor=3', 'cursor=9999', 'limit=0', 'limit=1000', 'cursor=x'].map(
      (query) => `GET /v1/admin/quarantine?${query}`,
    ),
  ])
  const post = async (target: string, body: string) => {
    installation.step()
    return recorder.ask('admin', `POST ${target}`, { note: body.slice(0, 80), body })
  }
  await askTenants(post)
  await askKeys(tour, post)
  await askDomains(tour, post)
  installation.step()
  await recorder.askAll('admin', ['POST /v1/admin/quarantine/replay', ...READS])
  for (const caller of ['nobody', 'acme', 'ingest']) await recorder.ask(caller, 'POST /v1/admin/quarantine/replay')
  await askAdditions(recorder)
}

type Post = (target: string, body: string) => ReturnType<Recorder['ask']>

async function askTenants(post: Post): Promise<void> {
  const bodies = [
    { name: 'Created' },
    { name: 'Created' },
    { name: '' },
    { name: ' ' },
    { name: 'x'.repeat(101) },
    { name: 'control\u0007' },
    { name: '\uD800' },
    { name: 5 },
    { name: null },
    { name: 'a', more: 1 },
    { nam: 'a' },
    {},
  ]
  for (const body of bodies) await post('/v1/admin/tenants', JSON.stringify(body))
  for (const body of ['', '[]', '"text"', '{', 'null']) await post('/v1/admin/tenants', body)
}

async function askKeys({ recorder, normalizer, installation }: Tour, post: Post): Promise<void> {
  const good = [
    { tenant: 'Created' },
    { tenant: 'Acme', scopes: ['logs'] },
    { tenant: 'Acme', scopes: [] },
    { tenant: 'Acme', scopes: ['domainStats', 'logs', 'logs'] },
    { scopes: ['ingest', 'admin'] },
  ]
  const ids: string[] = []
  for (const [index, body] of good.entries()) {
    installation.step()
    const text = JSON.stringify(body)
    const learn = (made: string) => {
      const { id, key } = JSON.parse(made) as { id: string; key: string }
      normalizer.learn(`created key ${index}`, key)
      normalizer.learn(`created key id ${index}`, id)
      ids.push(id)
    }
    await recorder.ask('admin', 'POST /v1/admin/keys', { note: text, body: text, learn })
  }
  const bad = [
    {},
    { tenant: 'Nobody' },
    { tenant: '' },
    { tenant: 'Acme', scopes: ['ingest'] },
    { tenant: 'Acme', scopes: ['nonsense'] },
    { tenant: 'Acme', scopes: 'logs' },
    { tenant: 'Acme', scopes: [5] },
    { tenant: 5 },
    { scopes: ['logs'] },
    { scopes: [] },
    { tenant: 'Acme', extra: true },
  ]
  for (const body of bad) await post('/v1/admin/keys', JSON.stringify(body))
  installation.step()
  await recorder.askAll('admin', [
    `DELETE /v1/admin/keys/${ids[1]}`,
    `DELETE /v1/admin/keys/${ids[1]}`,
    'DELETE /v1/admin/keys/unknown',
    'DELETE /v1/admin/keys/',
    'DELETE /v1/admin/keys/%20',
    'GET /v1/admin/keys/unknown',
    'GET /v1/admin/keys',
  ])
  await recorder.ask('acme', `DELETE /v1/admin/keys/${ids[2]}`)
}

async function askDomains({ recorder, installation }: Tour, post: Post): Promise<void> {
  const bodies = [
    { name: 'created.test', tenant: 'Created' },
    { name: 'Straße.test', tenant: 'Created', active: true, description: 'd', sendingEmail: 'a@strasse.test' },
    { name: 'created.test', tenant: 'Created' },
    { name: 'CREATED.test.', tenant: 'Acme' },
    { name: 'com', tenant: 'Acme' },
    { name: 'localhost', tenant: 'Acme' },
    { name: 'no domain', tenant: 'Acme' },
    { name: '', tenant: 'Acme' },
    { name: 'a.test', tenant: 'Nobody' },
    { name: 'a.test' },
    { tenant: 'Acme' },
    { name: 'a.test', tenant: 'Acme', active: 'yes' },
    { name: 'a.test', tenant: 'Acme', active: null },
    { name: 'a.test', tenant: 'Acme', description: 'x'.repeat(501) },
    { name: 'a.test', tenant: 'Acme', sendingEmail: 'nonsense' },
    { name: 'a.test', tenant: 'Acme', sendingEmail: 'a@other.test' },
    { name: 'a.test', tenant: 'Acme', more: 1 },
    { name: 5, tenant: 'Acme' },
  ]
  for (const body of bodies) await post('/v1/admin/domains', JSON.stringify(body))
  installation.step()
  await recorder.askAll('admin', [
    'POST /v1/admin/domains/created.test/activate',
    'POST /v1/admin/domains/CREATED.test./activate',
    'POST /v1/admin/domains/nowhere.test/activate',
    'POST /v1/admin/domains/%20/activate',
    'POST /v1/admin/domains/idle.test/activate',
    'GET /v1/admin/domains/idle.test/activate',
    'GET /v1/admin/domains?tenant=Created',
  ])
  for (const caller of ['nobody', 'acme', 'ingest']) {
    await recorder.askAll(caller, ['POST /v1/admin/domains/idle.test/activate', 'POST /v1/admin/domains'])
  }
}

/** Where the checkout does not serve one of these, there is nothing to record. */
async function askAdditions(recorder: Recorder): Promise<void> {
  const additions: readonly (readonly [route: string, target: string, body?: string])[] = [
    ['GET /v1/admin/domains/{name}', 'GET /v1/admin/domains/acme.test'],
    ['POST /v1/admin/domains/{name}/verify', 'POST /v1/admin/domains/acme.test/verify'],
    ['GET /v1/admin/domains/{name}/keys', 'GET /v1/admin/domains/acme.test/keys'],
    ['POST /v1/admin/domains/{name}/keys', 'POST /v1/admin/domains/wrong.test/keys', '{}'],
    ['POST /v1/admin/recount', 'POST /v1/admin/recount'],
    ['POST /v1/admin/return-paths', 'POST /v1/admin/return-paths', '{"domain":"acme.test","messageId":"m"}'],
    ['POST /v1/admin/return-paths/verify', 'POST /v1/admin/return-paths/verify', '{"text":"nonsense"}'],
    ['GET /v1/admin/return-paths/key', 'GET /v1/admin/return-paths/key'],
    ['GET /v1/admin/tracking-secret', 'GET /v1/admin/tracking-secret'],
    [
      'GET /v1/admin/domains/{name}/keys/{selector}/private-key',
      'GET /v1/admin/domains/acme.test/keys/current/private-key',
    ],
    ['POST /v1/admin/backup', 'POST /v1/admin/backup', '{"folder":"backup"}'],
    ['DELETE /v1/admin/quarantine', 'DELETE /v1/admin/quarantine?id=1'],
    ['DELETE /v1/admin/quarantine', 'DELETE /v1/admin/quarantine'],
  ]
  if (recorder.serves('POST /v1/admin/return-paths')) {
    let address = ''
    const learn = (made: string) => {
      address = (JSON.parse(made) as { address: string }).address
    }
    await recorder.ask('admin', 'POST /v1/admin/return-paths', {
      body: '{"domain":"acme.test","messageId":"m2"}',
      learn,
    })
    await recorder.ask('admin', 'POST /v1/admin/return-paths/verify', { body: JSON.stringify({ text: address }) })
  }
  for (const [route, target, body] of additions) {
    if (!recorder.serves(route)) continue
    await recorder.ask('admin', target, body === undefined ? {} : { body })
    await recorder.ask('acme', target, body === undefined ? {} : { body })
  }
}
