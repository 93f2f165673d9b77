import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encode, type PacketOpt } from 'dns-packet'
import { openDnsNetwork, SOA } from '../../test/harness/dns-network.ts'
import { openDnsServer, type RawAnswer, type Zone } from '../../test/harness/dns-server.ts'
import type { DnsRecordType } from '../domains/dns-resolver.ts'
import { createDns } from './dns.ts'

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

  test('half of them have it: those are the newer ones', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: withoutKey }, { zone: withKey }])
    assert.equal((await network.session().examine(NAME, 'TXT', never())).answer.kind, 'records')
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

  test('a silent server is not asked again in the same check, the others are', async () => {
    const silent: Zone = { [NAME]: 'silent', 'example.test': 'silent' }
    await using network = await openDnsNetwork('example.test', [{ zone: silent }, { zone: withKey }])
    const session = network.session()
    assert.equal((await session.examine(NAME, 'TXT', never())).source, 'authoritative')
    const asked = network.servers[0]?.queries.length
    const again = await session.examine('example.test', 'TXT', never())
    assert.equal(again.source, 'authoritative')
    const said = again.steps[0]?.servers[0]?.statement
    assert.equal(said?.kind === 'unreachable' && said.failure, 'silent')
    assert.equal(network.servers[0]?.queries.length, asked)
  })

  test('in a network that lets no question out, only the first zone is waited for', async () => {
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

  test('where no resolver answers, that is said within ten seconds, and which', async () => {
    await using silent = await openDnsServer({ [NAME]: 'silent' })
    const session = createDns({ servers: [silent.address] }).session()
    const answer = await session.resolve(NAME, 'TXT', AbortSignal.timeout(10_000))
    assert.ok(answer.kind === 'unreachable' && answer.failure === 'silent', JSON.stringify(answer))
    assert.ok(answer.reason.includes(silent.address))
  })

  test('a slow server is asked last from then on', async () => {
    const slow: Zone = { [NAME]: 'silent', 'example.test': 'silent' }
    await using network = await openDnsNetwork('example.test', [{ zone: slow }, { zone: withKey }])
    const session = network.session()
    assert.equal((await session.resolve(NAME, 'TXT', never())).kind, 'records')
    assert.equal((await session.resolve('example.test', 'TXT', never())).kind, 'no_such_type')
    assert.ok(network.servers[0]?.queries.every(({ name }) => name === NAME))
  })

  test('a slow resolver is asked last from then on', async () => {
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

describe('the zone that holds a name', { concurrency: true }, () => {
  test('is found by going up, where the resolver leaves out the SOA of what does not exist', async () => {
    const bare: RawAnswer = ({ id = 0, questions = [] }) => [encode({ type: 'response', id, questions })]
    const resolverZone = { [NAME]: bare, '_domainkey.example.test': bare }
    await using network = await openDnsNetwork('example.test', [{ zone: withKey }], resolverZone)
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual([evidence.steps[0]?.zone, evidence.answer.kind], ['example.test', 'records'])
  })

  test('is found by going up, where the resolver cannot tell because the zone below is broken', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: withKey }], { [NAME]: 'servfail' })
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual([evidence.steps[0]?.zone, evidence.answer.kind], ['example.test', 'records'])
    assert.deepEqual(
      evidence.resolvers[0]?.answer.kind === 'unreachable' && evidence.resolvers[0].answer.failure,
      'servfail',
    )
  })

  test('is not mistaken for that of the alias which stands at the name', async () => {
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

  test('is the one below that the servers hand on to, where the resolver does not know it yet', async () => {
    await using below = await openDnsServer({
      '_domainkey.example.test': { soa: SOA },
      [NAME]: { txt: [['from below']] },
    })
    const above: Zone = {
      'example.test': apex,
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

  test('is not asked for at the servers of the root', async () => {
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

describe('what is not there', { concurrency: true }, () => {
  const zone: Zone = { 'example.test': { ...apex, txt: [['other']] }, 'www.example.test': { a: ['192.0.2.1'] } }

  test('no such name and no such type are told apart, with the time for which that may be remembered', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone }])
    const session = network.session()
    const absent = { aliases: [], negativeTtlSeconds: 300 }
    assert.deepEqual(await session.resolve('no.example.test', 'TXT', never()), { kind: 'no_such_name', ...absent })
    assert.deepEqual(await session.resolve('www.example.test', 'TXT', never()), { kind: 'no_such_type', ...absent })
  })

  test('the time is the TTL of the SOA where that is less than its minimum', async () => {
    const short: Zone = { 'example.test': { ...apex, soa: { minimum: 3600, ttl: 45 } } }
    await using network = await openDnsNetwork('example.test', [{ zone: short }])
    const answer = await network.session().resolve('no.example.test', 'TXT', never())
    assert.equal(answer.kind === 'no_such_name' && answer.negativeTtlSeconds, 45)
  })
})

describe('a resolver that remembers something else', { concurrency: true }, () => {
  test('the record is there and the resolver still remembers that it was not, for so many seconds', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: withKey }])
    network.resolverZone['example.test'] = { ns: ['ns1.example.test'], soa: { minimum: 3600, ttl: 1234 } }
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.answer.kind, 'records')
    const [resolver] = evidence.resolvers
    assert.deepEqual([resolver?.isStale, resolver?.staleSeconds], [true, 1234])
    assert.deepEqual([resolver?.answer.kind, resolver?.address], ['no_such_name', network.resolver.address])
  })

  test('the record was changed and the resolver still remembers the old one', async () => {
    const remembered: Zone = { [NAME]: { txt: [['old']], ttl: 77 } }
    await using network = await openDnsNetwork('example.test', [{ zone: withKey }], remembered)
    const [resolver] = (await network.session().examine(NAME, 'TXT', never())).resolvers
    assert.deepEqual([resolver?.isStale, resolver?.staleSeconds], [true, 77])
  })

  test('the same records in another order with less time left are the same', async () => {
    const zone: Zone = { 'example.test': { ...apex, txt: [['one'], ['two']], ttl: 300 } }
    const remembered: Zone = { 'example.test': { ...apex, txt: [['two'], ['one']], ttl: 3 } }
    await using network = await openDnsNetwork('example.test', [{ zone }], remembered)
    network.resolverZone['example.test'] = { ns: ['ns1.example.test'], soa: SOA, txt: [['two'], ['one']], ttl: 3 }
    const evidence = await network.session().examine('example.test', 'TXT', never())
    assert.equal(evidence.source, 'authoritative')
    assert.deepEqual(
      evidence.resolvers.map(({ isStale }) => isStale),
      [false],
    )
  })

  test('nothing is stale while the servers of the zone disagree themselves', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: withKey }, { zone: withoutKey }])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual([evidence.isUnanimous, evidence.resolvers[0]?.isStale], [false, false])
  })

  test('a resolver that says nothing does not hold up the answer of the zone', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: withKey }])
    await using silent = await openDnsServer({ [NAME]: 'silent' })
    const detours = new Map([['203.0.113.1', network.servers[0]?.address ?? '']])
    const session = createDns({ servers: [network.resolver.address, silent.address], detours }).session()
    const evidence = await session.examine(NAME, 'TXT', never())
    assert.equal(evidence.source, 'authoritative')
    const [quick, slow] = evidence.resolvers.map(({ answer }) => answer)
    assert.equal(quick?.kind, 'no_such_name')
    // Ended by us, not after the time that a resolver has by itself.
    assert.equal(slow?.kind === 'unreachable' && slow.failure, 'cancelled')
  })

  test('a server that is no resolver and only points elsewhere has not said that there is nothing', async () => {
    const referral: RawAnswer = ({ id = 0, questions = [] }) => {
      const ns = { type: 'NS', name: 'test', data: 'ns.nic.test' } as const
      return [encode({ type: 'response', id, questions, authorities: [ns] })]
    }
    await using resolver = await openDnsServer({ 'one.test': referral, test: referral })
    const answer = await createDns({ servers: [resolver.address] })
      .session()
      .resolve('one.test', 'TXT', never())
    assert.equal(answer.kind === 'unreachable' && answer.failure, 'refused')
  })

  test('a resolver that finds the signatures of the zone wrong says so', async () => {
    const bogus: RawAnswer = ({ id = 0, questions = [] }) => {
      const edns = { type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 0, ednsVersion: 0, flags: 0 } as const
      const why = { code: 15, data: Buffer.of(0, 6) } as unknown as PacketOpt
      const opt = { ...edns, flag_do: false, options: [why] }
      return [encode({ type: 'response', id, flags: 2, questions, additionals: [opt] })]
    }
    await using network = await openDnsNetwork('example.test', [{ zone: withKey }], { [NAME]: bogus })
    const answer = (await network.session().examine(NAME, 'TXT', never())).resolvers[0]?.answer
    assert.ok(answer?.kind === 'unreachable' && answer.reason.includes('DNSSEC'), JSON.stringify(answer))
  })
})

describe('aliases are followed', { concurrency: true }, () => {
  test('into another zone, whose own servers are asked', async () => {
    await using provider = await openDnsServer({
      'provider.test': { soa: SOA, ns: ['ns.provider.test'] },
      'key.provider.test': { txt: [['v=DKIM1; p=abc']], ttl: 30 },
    })
    const customer: Zone = { 'example.test': apex, [NAME]: { cname: 'Key.Provider.test', ttl: 600 } }
    const resolverZone: Zone = {
      'provider.test': { soa: SOA, ns: ['ns.provider.test'] },
      'ns.provider.test': { a: ['203.0.113.99'] },
      [NAME]: { cname: 'key.provider.test' },
    }
    await using network = await openDnsNetwork('example.test', [{ zone: customer }], resolverZone, [
      ['203.0.113.99', provider.address],
    ])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.source, 'authoritative')
    assert.deepEqual(evidence.answer, {
      kind: 'records',
      records: [{ text: 'v=DKIM1; p=abc', strings: ['v=DKIM1; p=abc'] }],
      values: ['v=DKIM1; p=abc'],
      ttlSeconds: 30,
      aliases: [{ name: NAME, target: 'key.provider.test', ttlSeconds: 600 }],
    })
    assert.deepEqual(
      evidence.steps.map(({ name, zone, servers }) => [name, zone, servers.map(({ statement }) => statement.kind)]),
      [
        [NAME, 'example.test', ['alias']],
        ['key.provider.test', 'provider.test', ['records']],
      ],
    )
  })

  const zoneWith = (entries: Zone): Zone => ({ 'example.test': apex, ...entries })

  test('and worth no more time than the shortest of them', async () => {
    const zone = zoneWith({
      [NAME]: { cname: 'key.example.test', ttl: 5 },
      'key.example.test': { txt: [['x']], ttl: 500 },
    })
    await using network = await openDnsNetwork('example.test', [{ zone }])
    const answer = await network.session().resolve(NAME, 'TXT', never())
    assert.equal(answer.kind === 'records' && answer.ttlSeconds, 5)
  })

  test('to a name that does not exist: the answer says so, and by which way', async () => {
    await using network = await openDnsNetwork('example.test', [
      { zone: zoneWith({ [NAME]: { cname: 'no.example.test' } }) },
    ])
    const answer = await network.session().resolve(NAME, 'TXT', never())
    assert.equal(answer.kind, 'no_such_name')
    assert.deepEqual(
      answer.aliases.map(({ target }) => target),
      ['no.example.test'],
    )
  })

  test('to a name that nobody can have: nothing more is asked', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: zoneWith({ [NAME]: { cname: 'localhost' } }) }])
    assert.equal((await network.session().resolve(NAME, 'TXT', never())).kind, 'no_such_name')
    const names = network.resolver.queries.map(({ name }) => name)
    assert.ok(!names.includes('localhost'))
  })

  test('not in a circle, which is shown', async () => {
    const zone = zoneWith({ [NAME]: { cname: 'b.example.test' }, 'b.example.test': { cname: NAME } })
    await using network = await openDnsNetwork('example.test', [{ zone }])
    const answer = await network.session().resolve(NAME, 'TXT', never())
    assert.ok(answer.kind === 'alias_loop' && answer.reason.endsWith(`${NAME} -> b.example.test -> ${NAME}`))
    assert.equal((await network.session().examine(NAME, 'TXT', never())).answer.kind, 'alias_loop')
  })

  test('eight in a row, and not nine', async () => {
    const chain = (length: number) => {
      const links = Array.from({ length }, (_, index) => [
        `n${index}.example.test`,
        { cname: `n${index + 1}.example.test` },
      ])
      return zoneWith({ ...Object.fromEntries(links), [`n${length}.example.test`]: { txt: [['end']] } })
    }
    await using eight = await openDnsNetwork('example.test', [{ zone: chain(8) }])
    const answer = await eight.session().resolve('n0.example.test', 'TXT', never())
    assert.ok(answer.kind === 'records' && answer.aliases.length === 8)
    await using nine = await openDnsNetwork('example.test', [{ zone: chain(9) }])
    assert.equal((await nine.session().resolve('n0.example.test', 'TXT', never())).kind, 'alias_loop')
  })

  test('not where the alias itself is asked for', async () => {
    const zone = zoneWith({ [NAME]: { cname: 'key.provider.test' } })
    await using network = await openDnsNetwork('example.test', [{ zone }])
    const answer = await network.session().resolve(NAME, 'CNAME', never())
    assert.deepEqual(answer.kind === 'records' && [answer.records, answer.aliases], [
      [{ target: 'key.provider.test' }],
      [],
    ])
  })

  test('and servers that disagree about an alias are told apart from those that have none', async () => {
    const aliased = zoneWith({ [NAME]: { cname: 'key.example.test' }, 'key.example.test': { txt: [['x']] } })
    await using network = await openDnsNetwork('example.test', [
      { zone: aliased },
      { zone: aliased },
      { zone: withoutKey },
    ])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual(
      evidence.steps.map(({ agreeing, answered }) => [agreeing, answered]),
      [
        [2, 3],
        [2, 3],
      ],
    )
    assert.equal(evidence.answer.kind, 'records')
  })
})

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

test('a name that cannot be asked has evidence too, and nobody is asked', async () => {
  await using network = await openDnsNetwork('example.test', [{ zone: withKey }])
  const evidence = await network.session().examine('a..example.test', 'TXT', never())
  assert.ok(evidence.answer.kind === 'unreachable' && evidence.answer.failure === 'bad_name')
  assert.deepEqual([evidence.steps, evidence.resolvers], [[], []])
  assert.equal(network.resolver.queries.length, 0)
})

describe('a caller who stops waiting', () => {
  const silent: Zone = { [NAME]: 'silent' }

  test('gets an answer at once, whoever is silent', async () => {
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
    await using network = await openDnsNetwork('example.test', [{ zone: withKey }])
    const session = network.session()
    const abort = new AbortController()
    const asked = network.resolver.nextQuery()
    const first = session.resolve(NAME, 'TXT', abort.signal)
    await asked
    abort.abort()
    await first
    assert.equal((await session.examine(NAME, 'TXT', never())).source, 'authoritative')
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
