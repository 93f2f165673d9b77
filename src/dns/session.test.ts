import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { APEX, NAME, openDnsNetwork, SOA, WITH_KEY } from '../../test/harness/dns/dns-network.ts'
import { openDnsServer, type Zone } from '../../test/harness/dns/dns-server.ts'
import type { DnsRecordType } from '../domains/dns-resolver.ts'
import { createDns } from './dns.ts'

const never = () => new AbortController().signal

test('every type of record comes with its parts and its text', async () => {
  const zone: Zone = {
    'example.test': {
      soa: SOA,
      ns: ['ns1.example.test'],
      mx: [{ preference: 10, exchange: 'mx.example.test' }],
      a: ['192.0.2.1'],
      aaaa: ['2001:db8::1'],
    },
    '1.2.0.192.in-addr.arpa.example.test': { ptr: ['host.example.test'] },
  }
  await using network = await openDnsNetwork('example.test', [{ zone }])
  const session = network.session()
  const found = async (name: string, type: DnsRecordType) => {
    const answer = await session.resolve(name, type, never())
    return answer.kind === 'records' ? [answer.records[0], answer.values[0]] : answer
  }
  assert.deepEqual(await found('example.test', 'MX'), [
    { preference: 10, exchange: 'mx.example.test' },
    '10 mx.example.test',
  ])
  assert.deepEqual(await found('example.test', 'A'), [{ address: '192.0.2.1' }, '192.0.2.1'])
  assert.deepEqual(await found('example.test', 'AAAA'), [{ address: '2001:db8::1' }, '2001:db8::1'])
  assert.deepEqual(await found('example.test', 'NS'), [{ target: 'ns1.example.test' }, 'ns1.example.test'])
  const soa = { primary: 'ns1.example.test', mailbox: 'hostmaster.example.test', serial: 1, minimumSeconds: 300 }
  assert.deepEqual(await found('example.test', 'SOA'), [soa, 'ns1.example.test hostmaster.example.test 1'])
  const pointer = '1.2.0.192.in-addr.arpa.example.test'
  assert.deepEqual(await found(pointer, 'PTR'), [{ target: 'host.example.test' }, 'host.example.test'])
})

describe('what is not there', { concurrency: true }, () => {
  const zone: Zone = { 'example.test': { ...APEX, txt: [['other']] }, 'www.example.test': { a: ['192.0.2.1'] } }

  test('no such name and no such type are distinguished, with their negative TTL', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone }])
    const session = network.session()
    const absent = { aliases: [], negativeTtlSeconds: 300 }
    assert.deepEqual(await session.resolve('no.example.test', 'TXT', never()), { kind: 'no_such_name', ...absent })
    assert.deepEqual(await session.resolve('www.example.test', 'TXT', never()), { kind: 'no_such_type', ...absent })
  })

  test('the negative TTL is that of the SOA if it is less than its minimum', async () => {
    const short: Zone = { 'example.test': { ...APEX, soa: { minimum: 3600, ttl: 45 } } }
    await using network = await openDnsNetwork('example.test', [{ zone: short }])
    const answer = await network.session().resolve('no.example.test', 'TXT', never())
    assert.equal(answer.kind === 'no_such_name' && answer.negativeTtlSeconds, 45)
  })
})

test('a name that cannot be queried has evidence too, and nothing is sent', async () => {
  await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }])
  const evidence = await network.session().examine('a..example.test', 'TXT', never())
  assert.ok(evidence.answer.kind === 'unreachable' && evidence.answer.failure === 'bad_name')
  assert.deepEqual([evidence.steps, evidence.resolvers, evidence.isUnanimous], [[], [], true])
  assert.equal(network.resolver.queries.length, 0)
})

describe('a caller who stops waiting', () => {
  const silent: Zone = { [NAME]: 'silent' }

  test('gets an answer at once, whichever server is silent', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: silent }, { zone: silent }])
    const abort = new AbortController()
    const asked = Promise.all(network.servers.map((server) => server.nextQuery()))
    const examined = network.session().examine(NAME, 'TXT', abort.signal)
    await asked
    abort.abort()
    const said = (await examined).steps[0]?.servers.map(({ statement }) => statement)
    assert.deepEqual(
      said?.map((statement) => statement.kind === 'unreachable' && statement.failure),
      ['cancelled', 'cancelled'],
    )
  })

  test('before the zone is known, too', async () => {
    await using resolver = await openDnsServer(silent)
    const abort = new AbortController()
    const asked = resolver.nextQuery()
    const resolved = createDns({ servers: [resolver.address] })
      .session()
      .resolve(NAME, 'TXT', abort.signal)
    await asked
    abort.abort()
    const answer = await resolved
    assert.equal(answer.kind === 'unreachable' && answer.failure, 'cancelled')
  })

  test('leaves a session that still works', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }])
    const session = network.session()
    const abort = new AbortController()
    const asked = network.resolver.nextQuery()
    const first = session.examine(NAME, 'TXT', abort.signal)
    await asked
    abort.abort()
    await first
    assert.equal((await session.examine(NAME, 'TXT', never())).source, 'authoritative')
  })
})

test('of a name that cannot be queried, the reason shows the beginning, and all of it if it is short', async () => {
  const session = createDns({ servers: ['127.0.0.1:1'] }).session()
  const reasonOf = async (name: string) => {
    const answer = await session.resolve(name, 'TXT', new AbortController().signal)
    assert.ok(answer.kind === 'unreachable' && answer.failure === 'bad_name')
    return answer.reason
  }
  const short = 'ö'.repeat(80)
  assert.match(await reasonOf(short), new RegExp(`"${short}"`))
  assert.match(await reasonOf(`${short}ö`), new RegExp(`"${short}…"`))
  assert.ok((await reasonOf('ö'.repeat(100_000))).length < 200)
})

test('at most three resolvers are compared with the zone, and no timer is left', async () => {
  await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }])
  const detours = new Map([['203.0.113.1', network.servers[0]?.address ?? '']])
  const servers = Array.from({ length: 5 }, () => network.resolver.address)
  const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
  const timers = countTimers()
  const evidence = await createDns({ servers, detours }).session().examine(NAME, 'TXT', never())
  assert.equal(evidence.source, 'authoritative')
  assert.equal(evidence.resolvers.length, 3)
  assert.equal(countTimers(), timers)
})
