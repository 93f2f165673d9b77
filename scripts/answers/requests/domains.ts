/** /api/v2/domain and /v1/domains, with checks against the installation's own DNS. */
import { oneOf } from '../request-table.ts'
import { DOMAIN_NAMES } from './logs.ts'
import { askLater, type Tour } from './tour.ts'

const CHECKED = ['acme.test', 'news.acme.test', 'wrong.test', 'failing.test', 'spf.test', 'bücher.test', 'idle.test']

const ORDERS = ['name', 'createdAt', 'updatedAt'].flatMap((field) => [`{"${field}":"asc"}`, `{"${field}":"desc"}`])
const BAD_ORDERS = ['name', '{"name":"up"}', '{"id":"asc"}', '{}', '{"name":"asc","id":"asc"}', '[]', '', 'null']

/** Asked before and after the checks. */
const LISTS = `
acme GET /api/v2/domain
  - orderBy=${oneOf(ORDERS)} skip={0,2,100}&take={1,3,5000} onboardingStatus={true,false,TRUE,}
  take={0,x} skip=-1 skip=1&skip=2 orderBy=${oneOf(BAD_ORDERS)}
acme {HEAD,POST} /api/v2/domain
acme GET /api/v2/domain/
acme {GET,HEAD,POST} /v1/domains
acme GET /v1/domains/${DOMAIN_NAMES}
acme GET /v1/domains/${oneOf(CHECKED)}
* GET /api/v2/domain - take=0
* GET /v1/domains{,/bolt.test}
`

export async function askDomains(tour: Tour): Promise<void> {
  const { recorder, normalizer, scene } = tour
  for (const [name, id] of Object.entries(scene.domainIds)) normalizer.learn(`DOMAIN ${name}`, id.toUpperCase())
  await recorder.askTable(LISTS)
  await askChecks(tour)
  await recorder.askTable(LISTS)
}

async function askChecks(tour: Tour): Promise<void> {
  const { recorder, installation, scene } = tour
  for (const name of CHECKED) {
    await askLater(tour, 'acme', `POST /api/v2/domain/${scene.domainIds[name]}/verify`)
    await askLater(tour, 'acme', `POST /v1/domains/${encodeURIComponent(name)}/verify`)
  }
  const own = scene.domainIds['acme.test'] ?? ''
  await recorder.askTable(`
acme POST /api/v2/domain/{${scene.domainIds['bolt.test']},00000000-0000-4000-8000-000000000000,nonsense,%20}/verify
acme GET /api/v2/domain/${own}{/verify,}
acme POST /v1/domains/{bolt.test/verify,nowhere.test/verify,acme.test}
acme GET /v1/domains/acme.test/verify
`)
  const verify = `POST /api/v2/domain/${own}/verify`
  await askLater(tour, 'acme', `POST /api/v2/domain/${own.toUpperCase()}/verify`, { note: 'upper case' })
  await recorder.ask('acme', verify, { note: 'with a body', body: 'ignored' })
  await recorder.ask('acme', verify, { note: 'large body', body: Buffer.alloc(1024 * 1024 + 1, 'x') })
  await recorder.askTable(`
{nobody,acme-logs,acme-stats,bolt,empty,ingest,admin,both,revoked} POST {/api/v2/domain/${own},/v1/domains/acme.test}/verify
`)
  // A verified domain whose records break stays verified for now.
  const published = { ...installation.zone }
  installation.zone['acme.test'] = { txt: [['v=spf1 -all']] }
  await askLater(tour, 'acme', 'POST /v1/domains/acme.test/verify', { note: 'broken' })
  await recorder.ask('acme', 'GET /v1/domains/acme.test', { note: 'broken' })
  Object.assign(installation.zone, published)
  await askLater(tour, 'acme', 'POST /v1/domains/acme.test/verify', { note: 'repaired' })
}
