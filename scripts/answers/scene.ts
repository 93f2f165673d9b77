/** The state before the first request: tenants, keys of every kind, domains in every state of DNS, signed addresses. */
import { publishRecords } from '../../test/harness/dns/publish-records.ts'
import type { Installation } from './installation.ts'
import type { Normalizer } from './normalizer.ts'
import { MAILING_ID } from './traffic.ts'

/** By the name that requests use. */
export type Keys = Readonly<Record<string, string>>

export interface Scene {
  readonly keys: Keys
  /** Id by name of the domain. */
  readonly domainIds: Readonly<Record<string, string>>
  /** Paths of pixels and links. */
  readonly tracking: { readonly open: string; readonly clicks: readonly string[] }
  /** References that tie a bounce message to the original message. */
  readonly returnPath: { readonly address: string; readonly envelopeId: string; readonly forgedEnvelopeId: string }
}

const KEYS = {
  acme: ['--tenant', 'Acme'],
  'acme-logs': ['--tenant', 'Acme', '--scope', 'logs'],
  'acme-domains': ['--tenant', 'Acme', '--scope', 'domains'],
  'acme-stats': ['--tenant', 'Acme', '--scope', 'domainStats'],
  bolt: ['--tenant', 'Bolt & Söhne'],
  empty: ['--tenant', 'Empty'],
  ingest: ['--operator', '--scope', 'ingest'],
  admin: ['--operator', '--scope', 'admin'],
  both: ['--operator', '--scope', 'ingest', '--scope', 'admin'],
  revoked: ['--tenant', 'Acme'],
}

const DOMAINS = {
  'acme.test': ['Acme', '--active', '--description', 'Main domain, “quoted”'],
  'news.acme.test': ['Acme', '--active', '--sending-email', 'news@news.acme.test'],
  'wrong.test': ['Acme', '--active'],
  'failing.test': ['Acme', '--active'],
  'spf.test': ['Acme', '--active'],
  'bücher.test': ['Acme', '--active'],
  'idle.test': ['Acme'],
  'bolt.test': ['Bolt & Söhne', '--active'],
}

interface Created {
  readonly id: string
  readonly clientId: string
  readonly key: string
  readonly dnsRecords: readonly { readonly type: string; readonly name: string; readonly value: string }[]
}

type RecordsOf = (domainName: string) => Created['dnsRecords']

export async function makeScene(installation: Installation, normalizer: Normalizer): Promise<Scene> {
  const create = (...command: readonly string[]) => installation.runJson<Created>(...command)
  for (const tenant of ['Acme', 'Bolt & Söhne', 'Empty']) {
    const { id, clientId } = await create('tenant', 'create', tenant)
    normalizer.learn(`tenant ${tenant}`, id)
    normalizer.learn(`client id ${tenant}`, clientId)
  }
  const keys: Record<string, string> = { nobody: '' }
  for (const [name, args] of Object.entries(KEYS)) {
    const { id, key } = await create('key', 'create', ...args)
    normalizer.learn(`key ${name}`, key)
    normalizer.learn(`key id ${name}`, id)
    keys[name] = key
    if (name === 'revoked') await installation.run(['key', 'revoke', id])
  }
  const domains = new Map<string, Created>()
  for (const [name, args] of Object.entries(DOMAINS)) {
    const domain = await create('domain', 'add', name, '--tenant', ...args)
    normalizer.learn(`domain ${name}`, domain.id)
    domains.set(name, domain)
  }
  publish(installation, (name) => domains.get(name)?.dnsRecords ?? [])
  const domainIds = Object.fromEntries([...domains].map(([name, { id }]) => [name, id]))
  const tracking = await signTracking(installation, normalizer)
  return { keys, domainIds, tracking, returnPath: await signReturnPath(installation, normalizer) }
}

/** Every kind of DNS answer, each for another domain. */
function publish({ zone }: Installation, recordsOf: RecordsOf): void {
  zone['spf.operator.test'] = { txt: [['v=spf1 ip4:192.0.2.0/24 -all']] }
  for (const name of ['acme.test', 'spf.test', 'bolt.test']) publishRecords(zone, recordsOf(name))
  // The key of another domain, and an SPF record without the operator's include.
  const [dkim] = recordsOf('news.acme.test')
  const [other] = recordsOf('acme.test')
  if (dkim && other) publishRecords(zone, [{ ...other, name: dkim.name }])
  zone['news.acme.test'] = { txt: [['v=spf1 mx -all']], mx: [{ preference: 10, exchange: 'mx.other.test' }] }
  zone['spf.test'] = {
    txt: [['v=spf1 include:a.spf.test include:spf.operator.test ~all'], ['unrelated text'], ['v=spf1 -all']],
  }
  zone['a.spf.test'] = { txt: [['v=spf1 a:nowhere.spf.test exists:%{i}.x.spf.test redirect=b.spf.test']] }
  for (const { name } of [{ name: 'failing.test' }, ...recordsOf('failing.test')]) zone[name] = 'servfail'
  for (const { name, type, value } of recordsOf('bücher.test')) {
    if (type === 'TXT') zone[name] = { txt: [[`"${value.slice(0, 200)}`, `${value.slice(200)}"`]] }
  }
}

async function signTracking(installation: Installation, normalizer: Normalizer): Promise<Scene['tracking']> {
  const message = `From: hello@acme.test\r\nContent-Type: text/html; charset=utf-8\r\n\r\n\
<body><a href="https://acme.test/a?x=1&amp;y=2">a</a> <a href="http://acme.test/%C3%BC">b</a></body>\r\n`
  const command =
    'track rewrite --domain acme.test --message-id tracked-message-0001 --recipient ann@example.org --base-url https://links.acme.test'
  const rewritten = await installation.run(command.split(' '), message)
  const clicks = rewritten.match(/\/t\/c\/[\w-]+/g) ?? []
  const [open = ''] = rewritten.match(/\/t\/o\/[\w-]+/) ?? []
  for (const [index, path] of clicks.entries()) normalizer.learn(`click token ${index + 1}`, path.slice(5))
  normalizer.learn('open token', open.slice(5))
  return { open, clicks }
}

async function signReturnPath(installation: Installation, normalizer: Normalizer): Promise<Scene['returnPath']> {
  const command = `return-path --domain acme.test --message ${MAILING_ID} --recipient person17@example.net`
  const returnPath = await installation.runJson<Scene['returnPath']>(...command.split(' '))
  const forgedEnvelopeId = returnPath.envelopeId.replace(/[0-9a-f](?==)/, (digit) => (digit === '0' ? '1' : '0'))
  normalizer.learn('envelope id', returnPath.envelopeId)
  normalizer.learn('forged envelope id', forgedEnvelopeId)
  normalizer.learn('return path', returnPath.address)
  return { ...returnPath, forgedEnvelopeId }
}
