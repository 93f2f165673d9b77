import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NAME, openDnsNetwork, SOA, WITH_KEY, WITHOUT_KEY } from '../../../test/harness/dns/dns-network.ts'
import { openDnsServer, type Zone } from '../../../test/harness/dns/dns-server.ts'
import { createDns } from '../dns.ts'

const never = () => new AbortController().signal

describe('the servers of the zone are queried', { concurrency: true }, () => {
  test('all of them agree: the answer is theirs, with its TTL and strings as published', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }, { zone: WITH_KEY }])
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

  test('two of three have it: the majority decides, and the third is named', async () => {
    await using network = await openDnsNetwork('example.test', [
      { zone: WITH_KEY },
      { zone: WITHOUT_KEY },
      { zone: WITH_KEY },
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

  test('most of them do not have it: it does not exist', async () => {
    await using network = await openDnsNetwork('example.test', [
      { zone: WITH_KEY },
      { zone: WITHOUT_KEY },
      { zone: WITHOUT_KEY },
    ])
    assert.equal((await network.session().examine(NAME, 'TXT', never())).answer.kind, 'no_such_name')
  })

  test('half of them have it: those are the newer ones', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: WITHOUT_KEY }, { zone: WITH_KEY }])
    assert.equal((await network.session().examine(NAME, 'TXT', never())).answer.kind, 'records')
  })

  test('one of three fails: the others are unanimous, and its failure is kept', async () => {
    const broken: Zone = { [NAME]: 'servfail' }
    await using network = await openDnsNetwork('example.test', [
      { zone: broken },
      { zone: WITH_KEY },
      { zone: WITH_KEY },
    ])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.answer.kind, 'records')
    assert.equal(evidence.isUnanimous, true)
    const [step] = evidence.steps
    assert.deepEqual([step?.agreeing, step?.answered, step?.servers.length], [2, 2, 3])
    const said = step?.servers[0]?.statement
    assert.ok(said?.kind === 'unreachable' && said.failure === 'servfail' && said.reason.includes('ns1.example.test'))
    assert.equal((await network.session().resolve(NAME, 'TXT', never())).kind, 'records')
  })

  test('a server that is not authoritative for the zone is lame', async () => {
    await using network = await openDnsNetwork('example.test', [
      { zone: WITHOUT_KEY, options: { isAuthoritative: false } },
      { zone: WITH_KEY },
    ])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.answer.kind, 'records')
    const lame = evidence.steps[0]?.servers[0]?.statement
    assert.ok(lame?.kind === 'unreachable' && lame.failure === 'lame', JSON.stringify(lame))
  })

  test('if all servers of a zone are lame, the resolver is queried', async () => {
    const lame = { zone: {}, options: { isAuthoritative: false } }
    await using network = await openDnsNetwork('example.test', [lame, lame], { [NAME]: { txt: [['from memory']] } })
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.source, 'resolver')
    assert.deepEqual(evidence.answer.kind === 'records' && evidence.answer.values, ['from memory'])
    assert.deepEqual([evidence.steps[0]?.answered, evidence.steps[0]?.servers.length], [0, 2])
  })

  test('after silent servers the resolver is queried; the same check does not wait for them again', async () => {
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

  test('a silent server is not queried again in the same check, the others are', async () => {
    const silent: Zone = { [NAME]: 'silent', 'example.test': 'silent' }
    await using network = await openDnsNetwork('example.test', [{ zone: silent }, { zone: WITH_KEY }])
    const session = network.session()
    assert.equal((await session.examine(NAME, 'TXT', never())).source, 'authoritative')
    const asked = network.servers[0]?.queries.length
    const again = await session.examine('example.test', 'TXT', never())
    assert.equal(again.source, 'authoritative')
    const said = again.steps[0]?.servers[0]?.statement
    assert.equal(said?.kind === 'unreachable' && said.failure, 'silent')
    assert.equal(network.servers[0]?.queries.length, asked)
  })

  test('in a network that blocks DNS, only the first zone is waited for', async () => {
    await using other = await openDnsServer({})
    const silent: Zone = { [NAME]: 'silent' }
    const known: Zone = {
      [NAME]: { txt: [['one']] },
      'other.test': { soa: SOA, ns: ['ns.other.test'], txt: [['two']] },
      'ns.other.test': { a: ['203.0.113.99'] },
    }
    await using network = await openDnsNetwork('example.test', [{ zone: silent }], known, [
      ['203.0.113.99', other.address],
    ])
    const session = network.session()
    assert.equal((await session.resolve(NAME, 'TXT', never())).kind, 'records')
    const answer = await session.resolve('other.test', 'TXT', never())
    assert.deepEqual(answer.kind === 'records' && answer.values, ['two'])
    assert.equal(other.queries.length, 0)
  })

  test('if no resolver answers, all are named within ten seconds', async () => {
    await using silent = await openDnsServer({ [NAME]: 'silent' })
    const session = createDns({ servers: [silent.address] }).session()
    const answer = await session.resolve(NAME, 'TXT', AbortSignal.timeout(10_000))
    assert.ok(answer.kind === 'unreachable' && answer.failure === 'silent', JSON.stringify(answer))
    assert.ok(answer.reason.includes(silent.address))
  })

  test('a slow server is queried last from then on', async () => {
    const slow: Zone = { [NAME]: 'silent', 'example.test': 'silent' }
    await using network = await openDnsNetwork('example.test', [{ zone: slow }, { zone: WITH_KEY }])
    const session = network.session()
    assert.equal((await session.resolve(NAME, 'TXT', never())).kind, 'records')
    assert.equal((await session.resolve('example.test', 'TXT', never())).kind, 'no_such_type')
    assert.ok(network.servers[0]?.queries.every(({ name }) => name === NAME))
  })

  test('a slow resolver is queried last from then on', async () => {
    await using slow = await openDnsServer({ 'one.test': 'silent' })
    await using quick = await openDnsServer({ 'one.test': { txt: [['x']] } })
    const session = createDns({ servers: [slow.address, quick.address] }).session()
    assert.equal((await session.resolve('one.test', 'TXT', never())).kind, 'records')
    assert.deepEqual(
      slow.queries.filter(({ type }) => type === 'TXT'),
      [],
    )
  })

  test('the zone is looked up once in a session', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }])
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

describe('which servers a zone may name', { concurrency: true }, () => {
  for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.0.2.1']) {
    test(`a name server at ${address} is not queried`, async () => {
      await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }])
      network.resolverZone['ns1.example.test'] = { a: [address], aaaa: ['::1', 'fe80::1', '::ffff:10.0.0.1'] }
      network.resolverZone[NAME] = { txt: [['from memory']] }
      const evidence = await network.session().examine(NAME, 'TXT', never())
      assert.equal(evidence.source, 'resolver')
      assert.equal(network.servers[0]?.queries.length, 0)
      const said = evidence.steps[0]?.servers[0]
      assert.equal(said?.address, undefined)
      assert.ok(said?.statement.kind === 'unreachable' && said.statement.reason.includes(`${address} is not public`))
    })
  }
})
