import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openDnsNetwork, SOA } from '../../test/harness/dns-network.ts'
import type { Zone } from '../../test/harness/dns-server.ts'

const NAME = 's1._domainkey.example.test'
const apex = { soa: SOA, ns: ['ns1.example.test', 'ns2.example.test', 'ns3.example.test'] }
const withKey: Zone = { 'example.test': apex, [NAME]: { txt: [['v=DKIM1; ', 'p=abc']], ttl: 120 } }
const withoutKey: Zone = { 'example.test': apex }
const never = () => new AbortController().signal

describe('a name is asked of the servers of its zone', { concurrency: true }, () => {
  test('all of them agree: the answer is theirs, with its TTL and strings as published', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: withKey }, { zone: withKey }])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.source, 'authoritative')
    assert.deepEqual(evidence.answer, {
      kind: 'records',
      records: [{ text: 'v=DKIM1; p=abc', strings: ['v=DKIM1; ', 'p=abc'] }],
      values: ['v=DKIM1; p=abc'],
      ttlSeconds: 120,
      aliases: [],
    })
    const [step] = evidence.steps
    assert.equal(step?.zone, 'example.test')
    assert.deepEqual([step?.agreeing, step?.answered, evidence.isUnanimous], [2, 2, true])
    assert.deepEqual(
      step?.servers.map(({ server, address }) => [server, address]),
      network.servers.map(({ address }, index) => [`ns${index + 1}.example.test`, address]),
    )
  })

  test('two of three have it: most of them are gone by, and the third is named', async () => {
    await using network = await openDnsNetwork('example.test', [
      { zone: withKey },
      { zone: withoutKey },
      { zone: withKey },
    ])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.answer.kind, 'records')
    assert.equal(evidence.isUnanimous, false)
    const [step] = evidence.steps
    assert.deepEqual([step?.agreeing, step?.answered], [2, 3])
    assert.deepEqual(
      step?.servers.map(({ server, statement }) => [server, statement.kind]),
      [
        ['ns1.example.test', 'records'],
        ['ns2.example.test', 'no_such_name'],
        ['ns3.example.test', 'records'],
      ],
    )
  })

  test('most of them do not have it: then it is not there', async () => {
    await using network = await openDnsNetwork('example.test', [
      { zone: withKey },
      { zone: withoutKey },
      { zone: withoutKey },
    ])
    assert.equal((await network.session().examine(NAME, 'TXT', never())).answer.kind, 'no_such_name')
  })

  test('one of three fails: the others are unanimous, and what it said is kept', async () => {
    const broken: Zone = { [NAME]: 'servfail' }
    await using network = await openDnsNetwork('example.test', [{ zone: broken }, { zone: withKey }, { zone: withKey }])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.answer.kind, 'records')
    assert.equal(evidence.isUnanimous, true)
    const [step] = evidence.steps
    assert.deepEqual([step?.agreeing, step?.answered, step?.servers.length], [2, 2, 3])
    const said = step?.servers[0]?.statement
    assert.ok(said?.kind === 'unreachable' && said.failure === 'servfail' && said.reason.includes('ns1.example.test'))
    assert.equal((await network.session().resolve(NAME, 'TXT', never())).kind, 'records')
  })

  test('a server that answers for the zone without holding it is lame', async () => {
    await using network = await openDnsNetwork('example.test', [
      { zone: withoutKey, options: { isAuthoritative: false } },
      { zone: withKey },
    ])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.answer.kind, 'records')
    const lame = evidence.steps[0]?.servers[0]?.statement
    assert.ok(lame?.kind === 'unreachable' && lame.failure === 'lame', JSON.stringify(lame))
  })

  test('a zone whose servers are all lame is asked of the resolver', async () => {
    const lame = { zone: {}, options: { isAuthoritative: false } }
    await using network = await openDnsNetwork('example.test', [lame, lame], { [NAME]: { txt: [['from memory']] } })
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.source, 'resolver')
    assert.deepEqual(evidence.answer.kind === 'records' && evidence.answer.values, ['from memory'])
    assert.deepEqual([evidence.steps[0]?.answered, evidence.steps[0]?.servers.length], [0, 2])
  })

  test('silent servers are given up and the resolver is asked; the same check does not wait for them again', async () => {
    const silent = { zone: { [NAME]: 'silent', 'example.test': 'silent' } as const }
    const known: Zone = { [NAME]: { txt: [['from memory']] } }
    await using network = await openDnsNetwork('example.test', [silent, silent], known)
    const session = network.session()
    const evidence = await session.examine(NAME, 'TXT', never())
    assert.equal(evidence.source, 'resolver')
    assert.equal(evidence.answer.kind, 'records')
    const said = evidence.steps[0]?.servers.map(
      ({ statement }) => statement.kind === 'unreachable' && statement.failure,
    )
    assert.deepEqual(said, ['silent', 'silent'])
    const asked = network.servers.map(({ queries }) => queries.length)
    assert.equal((await session.resolve('example.test', 'TXT', never())).kind, 'no_such_type')
    assert.deepEqual(
      network.servers.map(({ queries }) => queries.length),
      asked,
    )
  })

  test('the zone is looked up once in a session', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: withKey }])
    const session = network.session()
    await session.resolve(NAME, 'TXT', never())
    await session.resolve(NAME, 'TXT', never())
    const asked = network.resolver.queries.map(({ name, type }) => `${name} ${type}`)
    assert.deepEqual(asked.toSorted(), [
      'example.test NS',
      'ns1.example.test A',
      'ns1.example.test AAAA',
      `${NAME} SOA`,
    ])
    assert.equal(network.servers[0]?.queries.length, 2)
  })
})

describe('where a zone may send us', { concurrency: true }, () => {
  for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.0.2.1']) {
    test(`a name server at ${address} is not asked`, async () => {
      await using network = await openDnsNetwork('example.test', [{ zone: withKey }])
      network.resolverZone['ns1.example.test'] = { a: [address], aaaa: ['::1', 'fe80::1', '::ffff:10.0.0.1'] }
      network.resolverZone[NAME] = { txt: [['from memory']] }
      const evidence = await network.session().examine(NAME, 'TXT', never())
      assert.equal(evidence.source, 'resolver')
      assert.equal(network.servers[0]?.queries.length, 0)
      const said = evidence.steps[0]?.servers[0]
      assert.equal(said?.address, undefined)
      assert.ok(said?.statement.kind === 'unreachable' && said.statement.reason.includes(`${address} is not a public`))
    })
  }
})
