/** /api/v2/domain and /v1/domains, with checks against the installation's own DNS. */
import { DOMAIN_NAMES } from './logs.ts'
import { CALLERS, each, pairs, type Tour, targets } from './tour.ts'

const LIST = '/api/v2/domain'
const CHECKED = ['acme.test', 'news.acme.test', 'wrong.test', 'failing.test', 'spf.test', 'bücher.test', 'idle.test']

export async function askDomains(tour: Tour): Promise<void> {
  for (const [name, id] of Object.entries(tour.scene.domainIds))
    tour.normalizer.learn(`DOMAIN ${name}`, id.toUpperCase())
  await askLists(tour)
  await askChecks(tour)
  await askLists(tour)
}

/** Before and after the checks. */
async function askLists({ recorder }: Tour): Promise<void> {
  const orders = ['name', 'createdAt', 'updatedAt'].flatMap((field) => [`{"${field}":"asc"}`, `{"${field}":"desc"}`])
  await recorder.askAll('acme', [
    ...targets(LIST, ['', ...each('orderBy', orders)]),
    ...targets(LIST, pairs(each('skip', [0, 2, 100]), each('take', [1, 3, 5000]))),
    ...targets(LIST, each('onboardingStatus', ['true', 'false', 'TRUE', ''])),
    ...targets(LIST, [
      'take=0',
      'skip=-1',
      'take=x',
      'skip=1&skip=2',
      ...each('orderBy', [
        'name',
        '{"name":"up"}',
        '{"id":"asc"}',
        '{}',
        '{"name":"asc","id":"asc"}',
        '[]',
        '',
        'null',
      ]),
    ]),
    `HEAD ${LIST}`,
    `POST ${LIST}`,
    `GET ${LIST}/`,
    'GET /v1/domains',
    'HEAD /v1/domains',
    'POST /v1/domains',
    ...DOMAIN_NAMES.map((name) => `GET /v1/domains/${name}`),
    ...CHECKED.map((name) => `GET /v1/domains/${encodeURIComponent(name)}`),
  ])
  for (const caller of CALLERS) {
    await recorder.askAll(caller, [`GET ${LIST}`, 'GET /v1/domains', 'GET /v1/domains/bolt.test', `GET ${LIST}?take=0`])
  }
}

async function askChecks({ recorder, installation, scene }: Tour): Promise<void> {
  const verify = (id: string) => `POST /api/v2/domain/${id}/verify`
  for (const name of CHECKED) {
    installation.step()
    await recorder.ask('acme', verify(scene.domainIds[name] ?? ''))
    installation.step()
    await recorder.ask('acme', `POST /v1/domains/${encodeURIComponent(name)}/verify`)
  }
  const own = scene.domainIds['acme.test'] ?? ''
  await recorder.askAll('acme', [
    verify(scene.domainIds['bolt.test'] ?? ''),
    verify('00000000-0000-4000-8000-000000000000'),
    verify('nonsense'),
    verify('%20'),
    `GET /api/v2/domain/${own}/verify`,
    `GET /api/v2/domain/${own}`,
    'POST /v1/domains/bolt.test/verify',
    'POST /v1/domains/nowhere.test/verify',
    'GET /v1/domains/acme.test/verify',
    'POST /v1/domains/acme.test',
  ])
  installation.step()
  await recorder.ask('acme', verify(own.toUpperCase()), { note: 'upper case' })
  await recorder.ask('acme', verify(own), { note: 'with a body', body: 'ignored' })
  await recorder.ask('acme', verify(own), { note: 'large body', body: Buffer.alloc(1024 * 1024 + 1, 'x') })
  for (const caller of CALLERS) {
    if (['acme', 'acme-domains'].includes(caller)) continue
    await recorder.askAll(caller, [verify(own), 'POST /v1/domains/acme.test/verify'])
  }
  // What was verified and breaks stays verified for now.
  const kept = { ...installation.zone }
  installation.zone['acme.test'] = { txt: [['v=spf1 -all']] }
  installation.step()
  await recorder.ask('acme', 'POST /v1/domains/acme.test/verify', { note: 'broken' })
  await recorder.ask('acme', 'GET /v1/domains/acme.test', { note: 'broken' })
  Object.assign(installation.zone, kept)
  installation.step()
  await recorder.ask('acme', 'POST /v1/domains/acme.test/verify', { note: 'repaired' })
}
