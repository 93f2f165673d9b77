/** /v1/admin: tenants, keys, domains, health, quarantine; and routes that were added to the interface later. */
import type { Answer } from '../exchange.ts'
import type { AskOptions } from '../recorder.ts'
import { listOf } from '../request-table.ts'
import { askLater, type Tour } from './tour.ts'

const READS = '/v1/admin/{tenants,keys,domains,ingest,storage,quarantine}'

const TENANTS = listOf(`
  {"name":"Created"}  {"name":"Created"}  {"name":""}  {"name":" "}  {"name":"${'x'.repeat(101)}"}
  {"name":"control\\u0007"}  {"name":"\\ud800"}  {"name":5}  {"name":null}  {"name":"a","more":1}  {"nam":"a"}
  {}  []  "text"  {  null
`)

const KEYS = listOf(`
  {"tenant":"Created"}  {"tenant":"Acme","scopes":["logs"]}  {"tenant":"Acme","scopes":[]}
  {"tenant":"Acme","scopes":["domainStats","logs","logs"]}  {"scopes":["ingest","admin"]}
`)

const BAD_KEYS = listOf(`
  {}  {"tenant":"Nobody"}  {"tenant":""}  {"tenant":"Acme","scopes":["ingest"]}  {"tenant":"Acme","scopes":["nonsense"]}
  {"tenant":"Acme","scopes":"logs"}  {"tenant":"Acme","scopes":[5]}  {"tenant":5}  {"scopes":["logs"]}  {"scopes":[]}
  {"tenant":"Acme","extra":true}
`)

const DOMAINS = listOf(`
  {"name":"created.test","tenant":"Created"}
  {"name":"Straße.test","tenant":"Created","active":true,"description":"d","sendingEmail":"a@strasse.test"}
  {"name":"created.test","tenant":"Created"}  {"name":"CREATED.test.","tenant":"Acme"}
  {"name":"com","tenant":"Acme"}  {"name":"localhost","tenant":"Acme"}  {"name":"no domain","tenant":"Acme"}
  {"name":"","tenant":"Acme"}  {"name":"a.test","tenant":"Nobody"}  {"name":"a.test"}  {"tenant":"Acme"}
  {"name":"a.test","tenant":"Acme","active":"yes"}  {"name":"a.test","tenant":"Acme","active":null}
  {"name":"a.test","tenant":"Acme","description":"${'x'.repeat(501)}"}
  {"name":"a.test","tenant":"Acme","sendingEmail":"nonsense"}
  {"name":"a.test","tenant":"Acme","sendingEmail":"a@other.test"}
  {"name":"a.test","tenant":"Acme","more":1}  {"name":5,"tenant":"Acme"}
`)

export async function askAdmin(tour: Tour): Promise<void> {
  const { recorder, installation } = tour
  await recorder.askTable(`
{nobody,acme,acme-logs,acme-domains,acme-stats,bolt,empty,ingest,admin,revoked} GET ${READS}
admin {HEAD,PUT} ${READS}
admin GET /v1/admin/domains tenant={Acme,Empty,Nobody,} take=2 skip=2&take=3 take=0 skip=x
admin GET /v1/admin/quarantine limit=3 limit=3&cursor=3 cursor=9999 limit={0,1000} cursor=x
`)
  for (const body of [...TENANTS, '']) await post(tour, '/v1/admin/tenants', body)
  await askKeys(tour)
  for (const body of DOMAINS) await post(tour, '/v1/admin/domains', body)
  installation.step()
  await recorder.askTable(`
admin POST /v1/admin/domains/{created.test,CREATED.test.,nowhere.test,%20,idle.test}/activate
admin GET /v1/admin/domains/idle.test/activate
admin GET /v1/admin/domains tenant=Created
{nobody,acme,ingest} POST /v1/admin/domains{/idle.test/activate,}
`)
  installation.step()
  await recorder.askTable(`
admin POST /v1/admin/quarantine/replay
admin GET ${READS}
{nobody,acme,ingest} POST /v1/admin/quarantine/replay
`)
  await askAdditions(tour)
}

function post(tour: Tour, path: string, body: string, options: AskOptions = {}): Promise<Answer> {
  return askLater(tour, 'admin', `POST ${path}`, { note: body.slice(0, 80), body, ...options })
}

async function askKeys(tour: Tour): Promise<void> {
  const { recorder, normalizer, installation } = tour
  const ids: string[] = []
  for (const [index, body] of KEYS.entries()) {
    const learn = (created: Answer) => {
      const { id, key } = JSON.parse(created.body.toString()) as { id: string; key: string }
      normalizer.learn(`created key ${index}`, key)
      normalizer.learn(`created key id ${index}`, id)
      ids.push(id)
    }
    await post(tour, '/v1/admin/keys', body, { learn })
  }
  for (const body of BAD_KEYS) await post(tour, '/v1/admin/keys', body)
  installation.step()
  await recorder.askTable(`
admin DELETE /v1/admin/keys/{${ids[1]},${ids[1]},unknown,,%20}
admin GET /v1/admin/keys{/unknown,}
acme DELETE /v1/admin/keys/${ids[2]}
`)
}

/** Routes that were added to the interface later, and requests to them: only recorded if the checkout has them. */
const ADDITIONS: readonly (readonly [route: string, path: string, body?: string])[] = [
  ['GET /v1/admin/domains/{name}', '/v1/admin/domains/acme.test'],
  ['POST /v1/admin/domains/{name}/verify', '/v1/admin/domains/acme.test/verify'],
  ['GET /v1/admin/domains/{name}/keys', '/v1/admin/domains/acme.test/keys'],
  ['POST /v1/admin/domains/{name}/keys', '/v1/admin/domains/wrong.test/keys', '{}'],
  ['POST /v1/admin/recount', '/v1/admin/recount'],
  ['POST /v1/admin/return-paths', '/v1/admin/return-paths', '{"domain":"acme.test","messageId":"m"}'],
  ['POST /v1/admin/return-paths/verify', '/v1/admin/return-paths/verify', '{"text":"nonsense"}'],
  ['GET /v1/admin/return-paths/key', '/v1/admin/return-paths/key'],
  ['GET /v1/admin/tracking-secret', '/v1/admin/tracking-secret'],
  ['GET /v1/admin/domains/{name}/keys/{selector}/private-key', '/v1/admin/domains/acme.test/keys/current/private-key'],
  ['POST /v1/admin/backup', '/v1/admin/backup', '{"folder":"backup"}'],
  ['DELETE /v1/admin/quarantine', '/v1/admin/quarantine?id=1'],
  ['DELETE /v1/admin/quarantine', '/v1/admin/quarantine'],
]

async function askAdditions({ recorder, routes }: Tour): Promise<void> {
  if (routes.has('POST /v1/admin/return-paths')) {
    const body = { domain: 'acme.test', messageId: 'm2' }
    const made = await recorder.ask('admin', 'POST /v1/admin/return-paths', { body })
    const { address } = JSON.parse(made.body.toString()) as { address: string }
    await recorder.ask('admin', 'POST /v1/admin/return-paths/verify', { body: { text: address } })
  }
  for (const [route, path, body] of ADDITIONS) {
    if (!routes.has(route)) continue
    for (const caller of ['admin', 'acme']) await recorder.ask(caller, `${route.split(' ')[0]} ${path}`, { body })
  }
}
