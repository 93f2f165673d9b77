/** What a check sends, whatever the owner of a zone publishes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SOA } from '../../test/harness/dns/dns-network.ts'
import { type DnsServer, openDnsServer, type Zone } from '../../test/harness/dns/dns-server.ts'
import { checkDomain } from '../domains/checks/check-domain.ts'
import { type DomainReport, judgeReport } from '../domains/checks/domain-report.ts'
import type { RequiredDnsRecord } from '../domains/domain.ts'
import { requiredRecords } from '../domains/records/required-records.ts'
import { createDns } from './dns.ts'

const PACKETS_MAX = 300
const KEY = { selector: 's1', publicKey: 'MCowBQYDK2VwAyEABiwzIfdj5uubi0IupRqsutz8Cz06VUPUFrYa1WhOUN0=' }
const OPERATOR = {
  spfInclude: 'spf.operator.test',
  returnPath: { label: 'bounces', host: 'return.operator.test' },
  tracking: { label: 'links', host: 'links.operator.test' },
  mxHost: 'mx.operator.test',
}
const RECORDS = requiredRecords('hostile.test', KEY, OPERATOR)
const DKIM = { txt: [[`v=DKIM1; k=rsa; p=${KEY.publicKey}`]] }
const count = (length: number) => Array.from({ length }, (_, index) => index + 1)

/** A zone with as many servers as a check compares, each with as many addresses as it would try. */
function zoneAt(apex: string, servers: number, addresses: number): Zone {
  const names = count(servers).map((index) => `ns${index}.${apex}`)
  const a = count(addresses).map((index) => `203.0.113.${index}`)
  const aaaa = count(addresses).map((index) => `2001:db8::${index}`)
  return { [apex]: { soa: SOA, ns: names }, ...Object.fromEntries(names.map((name) => [name, { a, aaaa }])) }
}

/** With a server at each documentation address; by default they have the zones of the resolver. */
async function check(zone: Zone, served = zone, deadlineMs = 20_000) {
  await using opened = new AsyncDisposableStack()
  const open = async (isAuthoritative: boolean): Promise<DnsServer> =>
    opened.use(await openDnsServer(isAuthoritative ? served : zone, { isAuthoritative }))
  const resolver = await open(false)
  const addresses = count(8).flatMap((index) => [`203.0.113.${index}`, `2001:db8::${index}`])
  const servers = await Promise.all(addresses.map(async (address) => [address, await open(true)] as const))
  const detours = new Map(servers.map(([address, server]) => [address, server.address]))
  const dns = createDns({ servers: [resolver.address], detours })
  const report = await checkDomain({ domainName: 'hostile.test', records: RECORDS }, dns, { deadlineMs })
  const sent = [resolver, ...servers.map(([, server]) => server)].flatMap(({ queries }) => queries).length
  return { report, sent }
}

function find(report: DomainReport, purpose: RequiredDnsRecord['purpose']) {
  const found = report.records.find(({ record }) => record.purpose === purpose)
  return { status: found?.record.status, diagnosis: found?.diagnosis, text: found?.error?.error ?? '' }
}

describe('a check sends a bounded number of packets', { concurrency: true }, () => {
  test('with an SPF policy of 98 includes in as many zones', async () => {
    const includes = count(98).map((index) => `z${index}.test`)
    const zones = includes.map((apex) => ({
      ...zoneAt(apex, 13, 4),
      [apex]: { ...(zoneAt(apex, 13, 4)[apex] as object), txt: [[`v=spf1 include:deep.${apex} -all`]] },
      [`deep.${apex}`]: { txt: [['v=spf1 a:a1.x.test mx:m.x.test -all']] },
    }))
    const policy = ['v=spf1', ...includes.map((name) => `include:${name}`), '-all'].join(' ')
    const own = zoneAt('hostile.test', 13, 4)
    const strings = policy.match(/.{1,250}/g) ?? []
    const zone: Zone = {
      ...own,
      'hostile.test': { ...(own['hostile.test'] as object), txt: [strings] },
      's1._domainkey.hostile.test': DKIM,
      ...Object.assign({}, ...zones),
    }
    const { report, sent } = await check(zone)
    assert.ok(sent <= PACKETS_MAX, `${sent} packets were sent`)
    assert.equal(find(report, 'DKIM').status, 'valid')
    assert.equal(find(report, 'SPF').diagnosis, 'check_limit')
  })

  test('with servers that never answer: absence according to a resolver is not absence', async () => {
    const silent = Object.fromEntries(RECORDS.map(({ name }) => [name, 'silent' as const]))
    const { report, sent } = await check(zoneAt('hostile.test', 13, 4), silent, 6000)
    assert.ok(sent <= PACKETS_MAX, `${sent} packets were sent`)
    const { status, diagnosis, text } = find(report, 'DKIM')
    assert.deepEqual([status, diagnosis], ['unknown', 'check_limit'])
    assert.match(text, /needs more DNS queries than are allowed \(300 for one check\)/)
    assert.equal(judgeReport(report), 'dns_unreachable')
  })

  test('with aliases from zone to zone', async () => {
    const hops = count(8).map((index) => `h${index}.test`)
    const names = RECORDS.map(({ name }) => name).filter((name) => name !== 'hostile.test')
    const chain = hops.map((apex, index) => {
      const entry = { ...(zoneAt(apex, 13, 4)[apex] as object) }
      const targets = count(names.length).map((target) => [
        `a${target}.${apex}`,
        { cname: `a${target}.${hops[index + 1] ?? 'end.test'}` },
      ])
      return { ...zoneAt(apex, 13, 4), [apex]: entry, ...Object.fromEntries(targets) }
    })
    const starts = names.map((name, index) => [name, { cname: `a${index + 1}.h1.test` }])
    const zone: Zone = {
      ...zoneAt('hostile.test', 13, 4),
      ...Object.fromEntries(starts),
      ...Object.assign({}, ...chain),
      ...zoneAt('end.test', 13, 4),
    }
    const { report, sent } = await check(zone)
    assert.ok(sent <= PACKETS_MAX, `${sent} packets were sent`)
    assert.equal(find(report, 'DKIM').status, 'unknown')
    assert.equal(find(report, 'DKIM').diagnosis, 'check_limit')
  })
})

test('a large but honest domain stays within it: all records are checked', async () => {
  const includes = count(9).map((index) => `p${index}.test`)
  const policy = ['v=spf1', ...includes.map((name) => `include:${name}`), 'include:spf.operator.test', '-all'].join(' ')
  const own = zoneAt('hostile.test', 6, 1)
  const zone: Zone = {
    ...own,
    'hostile.test': {
      ...(own['hostile.test'] as object),
      txt: [[policy]],
      mx: [{ preference: 10, exchange: 'mx.operator.test' }],
    },
    's1._domainkey.hostile.test': DKIM,
    'bounces.hostile.test': { cname: 'return.operator.test' },
    ...Object.assign(
      {},
      ...includes.map((apex) => ({
        ...zoneAt(apex, 4, 1),
        [apex]: { ...(zoneAt(apex, 4, 1)[apex] as object), txt: [['v=spf1 ip4:192.0.2.0/24 -all']] },
      })),
    ),
    ...zoneAt('operator.test', 4, 1),
    'spf.operator.test': { txt: [['v=spf1 ip4:198.51.100.0/24 -all']] },
    'return.operator.test': { mx: [{ preference: 10, exchange: 'mx.operator.test' }] },
    'mx.operator.test': { a: ['192.0.2.25'] },
  }
  const { report, sent } = await check(zone)
  assert.ok(sent <= PACKETS_MAX, `${sent} packets were sent`)
  const statuses = report.records.map(({ record: { purpose, status } }) => `${purpose} ${status}`)
  // DMARC and the host of links are missing, and were searched for elsewhere too.
  assert.deepEqual(statuses, [
    'DKIM valid',
    'SPF valid',
    'DMARC invalid',
    'RETURN_PATH valid',
    'TRACKING invalid',
    'MX valid',
  ])
})
