/** A domain from `domain add` to verified and back, against a real name server that publishes the required records. */
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type NsdZones, openNsdZones } from '../harness/dns/nsd-zones.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'

/** The parts of sections 2.2 and 2.3 of the interface that matter here. */
interface DnsRecord {
  readonly type: 'TXT' | 'CNAME' | 'MX'
  readonly name: string
  readonly value: string
  readonly purpose: string
  readonly required: boolean
  readonly status: string
  readonly actual: readonly string[]
}
interface VerificationError {
  readonly type: string
  readonly error: string
  readonly required: readonly string[]
  readonly actual: readonly string[]
}
interface Domain {
  readonly id: string
  readonly name: string
  readonly isActive: boolean
  readonly isApproved: boolean
  readonly isVerified: boolean
  readonly updatedAt: string
  readonly dnsRecords: readonly DnsRecord[]
  readonly lastVerificationErrors: readonly VerificationError[]
  readonly lastVerificationCheckedAt?: string
}
interface Verification {
  readonly isVerified: boolean
  readonly verificationErrors?: readonly VerificationError[]
}

/** The contract says 10 s; a busy machine gets a little more. */
const ANSWER_MAX_MS = 13_000
const NAME = 'shop.test'
const HEAD = '@ 60 SOA ns1 hostmaster SERIAL 3600 600 86400 1\n@ 60 NS ns1\nns1 60 A 127.0.0.1'
const OPERATOR = `${HEAD}\nspf 60 TXT "v=spf1 ip4:192.0.2.0/24 -all"`

let installation: Installation
let nsd: NsdZones
let server: ServerProcess
let client: LogClient

before(async () => {
  installation = await openInstallation()
  nsd = await openNsdZones({ [NAME]: HEAD, 'operator.test': OPERATOR })
  await start(nsd.address)
})

after(async () => {
  await server[Symbol.asyncDispose]()
  await nsd[Symbol.asyncDispose]()
  installation[Symbol.dispose]()
})

async function start(dnsServer: string): Promise<void> {
  server = await installation.start({ ENVELOG_DNS_SERVERS: dnsServer })
  client = new LogClient(server.address, installation)
}

async function addDomain(...args: readonly string[]): Promise<Domain> {
  const { exitCode, stdout, stderr } = await installation.cli('--json', 'domain', 'add', '--tenant', 'acme', ...args)
  assert.equal(exitCode, 0, stderr)
  return JSON.parse(stdout) as Domain
}

/** A line of a zone file; a long text becomes strings of 255 bytes (RFC 1035 section 3.3). */
function toZoneLine({ name, type, value }: Pick<DnsRecord, 'name' | 'type' | 'value'>): string {
  if (type !== 'TXT') return `${name}. 60 ${type} ${value}.`
  const strings = value.match(/.{1,255}/gs) ?? []
  return `${name}. 60 TXT ${strings.map((text) => JSON.stringify(text)).join(' ')}`
}

/** Publishes these records and nothing else, and waits until the name server has them. */
async function publish(records: readonly Pick<DnsRecord, 'name' | 'type' | 'value'>[]): Promise<void> {
  // An extra record distinguishes the new zone from the old one.
  const mark = `${Date.now()}-${records.length}-${Math.random()}`
  nsd.write(NAME, [HEAD, `mark 60 TXT "${mark}"`, ...records.map(toZoneLine)].join('\n'))
  const resolver = new Resolver({ timeout: 500, tries: 1 })
  resolver.setServers([nsd.address])
  for (let tries = 0; ; tries++) {
    const seen = await resolver.resolveTxt(`mark.${NAME}`).catch(() => [])
    if (seen.flat().includes(mark)) return
    assert(tries < 500, 'nsd does not serve the zone')
    await delay(20)
  }
}

async function verify({ id }: Pick<Domain, 'id'>): Promise<Verification> {
  const startedMs = performance.now()
  const answer = await fetch(`${server.address}/api/v2/domain/${id}/verify`, {
    method: 'POST',
    headers: { authorization: installation.tenantKey },
  })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  assert(performance.now() - startedMs < ANSWER_MAX_MS, 'the answer came too late')
  return JSON.parse(text) as Verification
}

async function getDomain(name: string, query = ''): Promise<Domain | undefined> {
  const { domains } = (await (await client.get(`/api/v2/domain?${query}`)).json()) as { domains: Domain[] }
  return domains.find((domain) => domain.name === name)
}

async function requireDomain(name: string): Promise<Domain> {
  const domain = await getDomain(name)
  assert(domain)
  return domain
}

function flagsOf({ isActive, isApproved, isVerified }: Domain) {
  return { isActive, isApproved, isVerified }
}

function statusOf({ dnsRecords }: Domain, purpose: string): string | undefined {
  return dnsRecords.find((record) => record.purpose === purpose)?.status
}

function recordOf({ dnsRecords }: Domain, purpose: string): DnsRecord {
  const record = dnsRecords.find((candidate) => candidate.purpose === purpose)
  assert(record)
  return record
}

const ALL_RIGHT = { isActive: true, isApproved: true, isVerified: true }
const NOT_VERIFIED = { isActive: true, isApproved: false, isVerified: false }

describe('a domain that was just added', { concurrency: false }, () => {
  let added: Domain

  before(async () => {
    added = await addDomain(NAME)
  })

  /** The records it must publish. */
  const printed = () => added.dnsRecords

  test('is not active: verify says so with one CONFIG error, and changes no flag', async () => {
    await publish(printed())
    const { isVerified, verificationErrors = [] } = await verify(added)
    assert.equal(isVerified, false)
    assert.deepEqual(
      verificationErrors.map(({ type, required, actual }) => ({ type, required, actual })),
      [{ type: 'CONFIG', required: [], actual: [] }],
    )
    assert.match(verificationErrors[0]?.error ?? '', /not active/)
    const domain = await requireDomain(NAME)
    assert.deepEqual(flagsOf(domain), { isActive: false, isApproved: false, isVerified: false })
    assert.deepEqual(domain.lastVerificationErrors, verificationErrors)
    assert(domain.lastVerificationCheckedAt !== undefined)
  })

  test('is active and has published nothing: a TXT error for each required record', async () => {
    assert.equal((await installation.cli('domain', 'activate', NAME)).exitCode, 0)
    await publish([])
    const { isVerified, verificationErrors = [] } = await verify(added)
    assert.equal(isVerified, false)
    assert.deepEqual(
      verificationErrors.map(({ type, required, actual }) => ({ type, required, actual })),
      ['DKIM', 'SPF'].map((purpose) => ({ type: 'TXT', required: [recordOf(added, purpose).value], actual: [] })),
    )
    const domain = await requireDomain(NAME)
    assert.deepEqual(flagsOf(domain), NOT_VERIFIED)
    assert.equal(statusOf(domain, 'DKIM'), 'invalid')
    assert.equal(statusOf(domain, 'SPF'), 'invalid')
    assert.deepEqual(domain.lastVerificationErrors, verificationErrors)
  })

  test('has published exactly the required records: it is verified, and the listing shows it', async () => {
    assert(Buffer.byteLength(recordOf(added, 'DKIM').value) > 255, 'the DKIM record has to be split')
    await publish(printed())
    assert.deepEqual(await verify(added), { isVerified: true })
    const domain = await requireDomain(NAME)
    assert.deepEqual(flagsOf(domain), ALL_RIGHT)
    for (const { purpose, value } of printed()) {
      const record = recordOf(domain, purpose)
      assert.equal(record.status, 'valid', purpose)
      assert.deepEqual(record.actual, [value], purpose)
      assert.equal(record.value, value)
    }
    assert.deepEqual(domain.lastVerificationErrors, [])
    assert(await getDomain(NAME, 'onboardingStatus=true'))
    assert.equal(await getDomain(NAME, 'onboardingStatus=false'), undefined)
  })

  test('is still verified after a restart', async () => {
    assert.equal(await server.stop(), 0)
    await start(nsd.address)
    assert.deepEqual(flagsOf(await requireDomain(NAME)), ALL_RIGHT)
  })

  test('has broken its DKIM record: a TXT error with required and actual values, and the flags are removed', async () => {
    const { value } = recordOf(added, 'DKIM')
    const at = value.indexOf('p=') + 60
    const broken = value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1)
    await publish(printed().map((record) => (record.purpose === 'DKIM' ? { ...record, value: broken } : record)))
    const { isVerified, verificationErrors = [] } = await verify(added)
    assert.equal(isVerified, false)
    assert.deepEqual(
      verificationErrors.map(({ type, required, actual }) => ({ type, required, actual })),
      [{ type: 'TXT', required: [value], actual: [broken] }],
    )
    const domain = await requireDomain(NAME)
    assert.deepEqual(flagsOf(domain), NOT_VERIFIED)
    assert.equal(statusOf(domain, 'DKIM'), 'invalid')
    assert.equal(statusOf(domain, 'SPF'), 'valid')
    assert.deepEqual(domain.lastVerificationErrors, verificationErrors)
    assert.equal(await getDomain(NAME, 'onboardingStatus=true'), undefined)
  })

  for (const [what, change] of [
    ['taken its SPF record away', (records) => records.filter(({ purpose }) => purpose !== 'SPF')],
    [
      'left the include out of its SPF record',
      (records) => records.map((record) => (record.purpose === 'SPF' ? { ...record, value: 'v=spf1 -all' } : record)),
    ],
    [
      'published two SPF records',
      (records) => [...records, { ...recordOf(added, 'SPF'), value: 'v=spf1 ip4:198.51.100.1 -all' }],
    ],
  ] as const satisfies [string, (records: readonly DnsRecord[]) => readonly DnsRecord[]][]) {
    test(`has ${what}: a TXT error, and DKIM stays valid`, async () => {
      await publish(change(printed()))
      const { isVerified, verificationErrors = [] } = await verify(added)
      assert.equal(isVerified, false)
      assert.deepEqual(
        verificationErrors.map(({ type }) => type),
        ['TXT'],
      )
      const domain = await requireDomain(NAME)
      assert.deepEqual(flagsOf(domain), NOT_VERIFIED)
      assert.equal(statusOf(domain, 'DKIM'), 'valid')
      assert.equal(statusOf(domain, 'SPF'), 'invalid')
    })
  }

  test('has repaired everything: it is verified again', async () => {
    await publish(printed())
    assert.deepEqual(await verify(added), { isVerified: true })
    assert.deepEqual(flagsOf(await requireDomain(NAME)), ALL_RIGHT)
  })

  test('is hidden from another tenant: its id gives the same answer as one that does not exist', async () => {
    assert.equal((await installation.cli('tenant', 'create', 'rival')).exitCode, 0)
    const { stdout } = await installation.cli('--json', 'key', 'create', '--tenant', 'rival')
    const { key } = JSON.parse(stdout) as { key: string }
    const ask = async (id: string) => {
      const url = `${server.address}/api/v2/domain/${id}/verify`
      const answer = await fetch(url, { method: 'POST', headers: { authorization: key } })
      return { status: answer.status, body: await answer.text() }
    }
    const foreign = await ask(added.id)
    assert.equal(foreign.status, 400)
    assert.deepEqual(foreign, await ask('01234567-89ab-7def-8123-456789abcdef'))
    assert.deepEqual(foreign, await ask('no-uuid'))
    assert.deepEqual(flagsOf(await requireDomain(NAME)), ALL_RIGHT)
  })

  test('cannot be queried because the name server is down: a SYSTEM error, and every flag stays', async () => {
    await nsd[Symbol.asyncDispose]()
    const { isVerified, verificationErrors = [] } = await verify(added)
    assert.equal(isVerified, false)
    assert(verificationErrors.length > 0)
    for (const { type } of verificationErrors) assert.equal(type, 'SYSTEM')
    const domain = await requireDomain(NAME)
    assert.deepEqual(flagsOf(domain), ALL_RIGHT)
    assert.equal(statusOf(domain, 'DKIM'), 'unknown')
    assert.deepEqual(domain.lastVerificationErrors, verificationErrors)
  })

  test('cannot be queried because the name server is silent: the same, within the deadline', async () => {
    const silent = createSocket('udp4')
    silent.bind(Number(nsd.address.split(':')[1]), '127.0.0.1')
    await once(silent, 'listening')
    try {
      const { isVerified, verificationErrors = [] } = await verify(added)
      assert.equal(isVerified, false)
      for (const { type } of verificationErrors) assert.equal(type, 'SYSTEM')
      assert.deepEqual(flagsOf(await requireDomain(NAME)), ALL_RIGHT)
    } finally {
      silent.close()
    }
  })

  test('is verified again once a name server answers', async () => {
    nsd = await openNsdZones({ [NAME]: HEAD, 'operator.test': OPERATOR })
    await publish(printed())
    await server.stop()
    await start(nsd.address)
    assert.deepEqual(await verify(added), { isVerified: true })
    const domain = await requireDomain(NAME)
    assert.equal(statusOf(domain, 'DKIM'), 'valid')
    assert.deepEqual(domain.lastVerificationErrors, [])
  })
})
