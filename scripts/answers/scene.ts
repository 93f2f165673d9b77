/** Who and what there is before the first request: tenants, keys of every kind, domains in every state of DNS, signed texts. */
import type { DomainRecord, Installation } from './installation.ts'
import type { Normalizer } from './normalizer.ts'
import { MAILING_ID } from './traffic.ts'

/** By the name that requests use. */
export type Keys = Readonly<Record<string, string>>

export interface Scene {
  readonly keys: Keys
  /** Id by name of the domain. */
  readonly domainIds: Readonly<Record<string, string>>
  /** Ids of keys by their name. */
  readonly keyIds: Readonly<Record<string, string>>
  /** Paths of pixels and links. */
  readonly tracking: { readonly open: string; readonly clicks: readonly string[] }
  /** What ties a bounce message to its message. */
  readonly returnPath: { readonly address: string; readonly envelopeId: string; readonly forgedEnvelopeId: string }
}

const KEYS: readonly (readonly [name: string, ...args: string[]])[] = [
  ['acme', '--tenant', 'Acme'],
  ['acme-logs', '--tenant', 'Acme', '--scope', 'logs'],
  ['acme-domains', '--tenant', 'Acme', '--scope', 'domains'],
  ['acme-stats', '--tenant', 'Acme', '--scope', 'domainStats'],
  ['bolt', '--tenant', 'Bolt & Söhne'],
  ['empty', '--tenant', 'Empty'],
  ['ingest', '--operator', '--scope', 'ingest'],
  ['admin', '--operator', '--scope', 'admin'],
  ['both', '--operator', '--scope', 'ingest', '--scope', 'admin'],
  ['revoked', '--tenant', 'Acme'],
]

const DOMAINS: readonly (readonly [name: string, tenant: string, ...args: string[]])[] = [
  ['acme.test', 'Acme', '--active', '--description', 'Main domain, “quoted”'],
  ['news.acme.test', 'Acme', '--active', '--sending-email', 'news@news.acme.test'],
  ['wrong.test', 'Acme', '--active'],
  ['failing.test', 'Acme', '--active'],
  ['spf.test', 'Acme', '--active'],
  ['bücher.test', 'Acme', '--active'],
  ['idle.test', 'Acme'],
  ['bolt.test', 'Bolt & Söhne', '--active'],
]

interface MadeDomain {
  readonly id: string
  readonly dnsRecords: readonly DomainRecord[]
}

export async function makeScene(installation: Installation, normalizer: Normalizer): Promise<Scene> {
  for (const tenant of ['Acme', 'Bolt & Söhne', 'Empty']) {
    const made = await installation.runJson<{ id: string; clientId: string }>('tenant', 'create', tenant)
    normalizer.learn(`tenant ${tenant}`, made.id)
    normalizer.learn(`client id ${tenant}`, made.clientId)
  }
  const keys: Record<string, string> = { nobody: '' }
  const keyIds: Record<string, string> = {}
  for (const [name, ...args] of KEYS) {
    const made = await installation.runJson<{ id: string; key: string }>('key', 'create', ...args)
    normalizer.learn(`key ${name}`, made.key)
    normalizer.learn(`key id ${name}`, made.id)
    keys[name] = made.key
    keyIds[name] = made.id
  }
  await installation.run(['key', 'revoke', keyIds['revoked'] ?? ''])
  const domainIds: Record<string, string> = {}
  const records = new Map<string, readonly DomainRecord[]>()
  for (const [name, tenant, ...args] of DOMAINS) {
    const made = await installation.runJson<MadeDomain>('domain', 'add', name, '--tenant', tenant, ...args)
    normalizer.learn(`domain ${name}`, made.id)
    domainIds[name] = made.id
    records.set(name, made.dnsRecords)
  }
  publish(installation, records)
  return { keys, keyIds, domainIds, ...(await sign(installation, normalizer)) }
}

/** One domain for each thing that DNS can answer. */
function publish({ zone }: Installation, records: ReadonlyMap<string, readonly DomainRecord[]>): void {
  zone['spf.operator.test'] = { txt: [['v=spf1 ip4:192.0.2.0/24 -all']] }
  for (const name of ['acme.test', 'spf.test', 'bolt.test']) addRecords(zone, records.get(name) ?? [])
  // A key of another domain, and an SPF record that lacks the operator's include.
  const [dkim] = records.get('news.acme.test') ?? []
  const [other] = records.get('acme.test') ?? []
  if (dkim && other) addRecords(zone, [{ ...other, name: dkim.name }])
  zone['news.acme.test'] = { txt: [['v=spf1 mx -all']], mx: [{ preference: 10, exchange: 'mx.other.test' }] }
  zone['spf.test'] = {
    txt: [['v=spf1 include:a.spf.test include:spf.operator.test ~all'], ['unrelated text'], ['v=spf1 -all']],
  }
  zone['a.spf.test'] = { txt: [['v=spf1 a:nowhere.spf.test exists:%{i}.x.spf.test redirect=b.spf.test']] }
  for (const name of ['failing.test', ...(records.get('failing.test') ?? []).map((record) => record.name)]) {
    zone[name] = 'servfail'
  }
  for (const { name, type, value } of records.get('bücher.test') ?? []) {
    if (type === 'TXT') zone[name] = { txt: [[`"${value.slice(0, 200)}`, `${value.slice(200)}"`]] }
  }
}

function addRecords(zone: Installation['zone'], records: readonly DomainRecord[]): void {
  for (const { name, type, value } of records) {
    const present = zone[name]
    const [preference = '', exchange = value] = value.split(' ')
    const added =
      type === 'TXT'
        ? { txt: [value.match(/.{1,255}/g) ?? []] }
        : type === 'MX'
          ? { mx: [{ preference: Number(preference), exchange }] }
          : { cname: value }
    zone[name] = { ...(typeof present === 'object' ? present : {}), ...added }
  }
}

async function sign(
  installation: Installation,
  normalizer: Normalizer,
): Promise<Pick<Scene, 'tracking' | 'returnPath'>> {
  const message = [
    'From: hello@acme.test',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<body><a href="https://acme.test/a?x=1&amp;y=2">a</a> <a href="http://acme.test/%C3%BC">b</a></body>',
    '',
  ].join('\r\n')
  const track =
    'track rewrite --domain acme.test --message-id tracked-message-0001 --recipient ann@example.org --base-url https://links.acme.test'
  const rewritten = await installation.run(track.split(' '), message)
  const paths = [...rewritten.matchAll(/\/t\/[oc]\/([\w-]+)/g)]
  const clicks = paths.filter(([path]) => path.startsWith('/t/c/')).map(([path]) => path)
  const [open = ''] = paths.find(([path]) => path.startsWith('/t/o/')) ?? []
  for (const [index, path] of clicks.entries()) normalizer.learn(`click token ${index + 1}`, path.slice(5))
  normalizer.learn('open token', open.slice(5))
  const make = `return-path --domain acme.test --message ${MAILING_ID} --recipient person17@example.net`
  const returnPath = await installation.runJson<Scene['returnPath']>(...make.split(' '))
  const forgedEnvelopeId = returnPath.envelopeId.replace(/[0-9a-f](?==)/, (digit) => (digit === '0' ? '1' : '0'))
  normalizer.learn('envelope id', returnPath.envelopeId)
  normalizer.learn('forged envelope id', forgedEnvelopeId)
  normalizer.learn('return path', returnPath.address)
  return { tracking: { open, clicks }, returnPath: { ...returnPath, forgedEnvelopeId } }
}
