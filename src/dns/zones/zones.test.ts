import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encode } from 'dns-packet'
import { APEX, NAME, openDnsNetwork, SOA, WITH_KEY } from '../../../test/harness/dns/dns-network.ts'
import { openDnsServer, type RawAnswer, type Zone } from '../../../test/harness/dns/dns-server.ts'
import { createDns } from '../dns.ts'

const never = () => new AbortController().signal

describe('the zone of a name', { concurrency: true }, () => {
  test('is found by going up, if the resolver omits the SOA of a missing name', async () => {
    const bare: RawAnswer = ({ id = 0, questions = [] }) => [encode({ type: 'response', id, questions })]
    const resolverZone = { [NAME]: bare, '_domainkey.example.test': bare }
    await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }], resolverZone)
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual([evidence.steps[0]?.zone, evidence.answer.kind], ['example.test', 'records'])
  })

  test('is found by going up, if the zone below is broken', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }], { [NAME]: 'servfail' })
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual([evidence.steps[0]?.zone, evidence.answer.kind], ['example.test', 'records'])
    assert.deepEqual(
      evidence.resolvers[0]?.answer.kind === 'unreachable' && evidence.resolvers[0].answer.failure,
      'servfail',
    )
  })

  test('is not mistaken for that of the alias target', async () => {
    const zone: Zone = { 'sub.example.test': { soa: SOA }, 'k.sub.example.test': { cname: 'key.example.test' } }
    const resolverZone: Zone = {
      'example.test': { soa: SOA },
      'k.sub.example.test': { cname: 'key.example.test' },
      'key.example.test': { txt: [['x']] },
    }
    await using network = await openDnsNetwork('sub.example.test', [{ zone }], resolverZone)
    const evidence = await network.session().examine('k.sub.example.test', 'TXT', never())
    assert.deepEqual(
      evidence.steps.map(({ name, zone: at }) => [name, at]),
      [
        ['k.sub.example.test', 'sub.example.test'],
        ['key.example.test', 'example.test'],
      ],
    )
  })

  test('is the delegated one, if the resolver does not know it yet', async () => {
    await using below = await openDnsServer({
      '_domainkey.example.test': { soa: SOA },
      [NAME]: { txt: [['from below']] },
    })
    const above: Zone = {
      'example.test': APEX,
      '_domainkey.example.test': { ns: ['ns.provider._domainkey.example.test'] },
      'ns.provider._domainkey.example.test': { a: ['203.0.113.99'] },
    }
    await using network = await openDnsNetwork('example.test', [{ zone: above }, { zone: above }], {}, [
      ['203.0.113.99', below.address],
    ])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.steps[0]?.zone, '_domainkey.example.test')
    assert.deepEqual(evidence.answer.kind === 'records' && evidence.answer.values, ['from below'])
    const server = 'ns.provider._domainkey.example.test'
    assert.deepEqual(evidence.steps[0]?.servers[0]?.server, server)
    const direct = await network.session().resolve(NAME, 'TXT', never())
    assert.deepEqual(direct.kind === 'records' && direct.values, ['from below'])
  })

  test('is never the root', async () => {
    const soa = {
      type: 'SOA',
      name: '.',
      ttl: 900,
      data: { mname: 'a.test', rname: 'b.test', minimum: 86_400 },
    } as const
    const unknown: RawAnswer = ({ id = 0, questions = [] }) => [
      encode({ type: 'response', id, flags: 3, questions, authorities: [soa] }),
    ]
    await using resolver = await openDnsServer({ 'no.such-top-level': unknown })
    const session = createDns({ servers: [resolver.address] }).session()
    const evidence = await session.examine('no.such-top-level', 'TXT', never())
    assert.deepEqual([evidence.answer.kind, evidence.source], ['no_such_name', 'resolver'])
    assert.equal(evidence.answer.kind === 'no_such_name' && evidence.answer.negativeTtlSeconds, 900)
    assert.deepEqual(resolver.queries.map(({ type }) => type).toSorted(), ['SOA', 'TXT'])
  })
})
