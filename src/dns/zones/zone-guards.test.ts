/** What the servers of a zone cannot do: send checks elsewhere, or decide for the majority of them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, encode } from 'dns-packet'
import { APEX, type DnsNetwork, NAME, openDnsNetwork, SOA } from '../../../test/harness/dns/dns-network.ts'
import { type DnsServer, openDnsServer, type RawAnswer, type Zone } from '../../../test/harness/dns/dns-server.ts'

const never = () => new AbortController().signal

const ELSEWHERE = '203.0.113.99'
const REAL = '203.0.113.98'

function refer(owner: string, server: string, glue: readonly string[] = []): RawAnswer {
  const authorities: Answer[] = [{ type: 'NS', name: owner, ttl: 60, data: server }]
  const additionals: Answer[] = glue.map((data) => ({ type: 'A', name: server, ttl: 60, data }))
  return ({ id = 0, questions = [] }) => [encode({ type: 'response', id, questions, authorities, additionals })]
}

/** A server that has every answer an attacker could want. */
function openForger(): Promise<DnsServer> {
  return openDnsServer({ [NAME]: { txt: [['forged']] } })
}

function openReferring(answer: RawAnswer, forger: DnsServer, more: Zone = {}): Promise<DnsNetwork> {
  const known: Zone = { [NAME]: { txt: [['from the resolver']] }, 'ns.elsewhere.test': { a: [ELSEWHERE] }, ...more }
  return openDnsNetwork('example.test', [{ zone: { 'example.test': APEX, [NAME]: answer } }], known, [
    [ELSEWHERE, forger.address],
  ])
}

describe('a referral is followed only downwards, on the way to the name', { concurrency: true }, () => {
  for (const [direction, owner] of [
    ['up', 'test'],
    ['to the root', '.'],
    ['to itself', 'example.test'],
    ['sideways', 'other.test'],
    ['to a name with the same ending', 'anexample.test'],
    ['to another part of the zone', 'sub.example.test'],
    ['below the name', `more.${NAME}`],
  ] as const) {
    test(direction, async () => {
      await using forger = await openForger()
      await using network = await openReferring(refer(owner, 'ns.elsewhere.test'), forger)
      const evidence = await network.session().examine(NAME, 'TXT', never())
      assert.deepEqual(forger.queries, [])
      assert.equal(evidence.source, 'resolver')
      const said = evidence.steps[0]?.servers[0]?.statement
      assert.equal(said?.kind === 'unreachable' && said.failure, 'lame')
    })
  }

  test('not if the message has answers as well', async () => {
    const authorities: Answer[] = [{ type: 'NS', name: '_domainkey.example.test', ttl: 60, data: 'ns.elsewhere.test' }]
    const answers: Answer[] = [{ type: 'TXT', name: NAME, ttl: 60, data: 'cached' }]
    const both: RawAnswer = ({ id = 0, questions = [] }) => [
      encode({ type: 'response', id, questions, answers, authorities }),
    ]
    await using forger = await openForger()
    await using network = await openReferring(both, forger)
    assert.equal((await network.session().examine(NAME, 'TXT', never())).source, 'resolver')
    assert.deepEqual(forger.queries, [])
  })

  test('not forever', async () => {
    const depth = 12
    const deep = `${Array.from({ length: depth }, (_, index) => `n${index}`).join('.')}.example.test`
    const zone: Zone = { 'example.test': APEX }
    /** Each server delegates one label further down, to itself. */
    let queries = 0
    const endless: RawAnswer = (query) => {
      const labels = deep.split('.')
      const owner = labels.slice(labels.length - 3 - queries++).join('.')
      return refer(owner, `ns.${owner}`, ['203.0.113.1'])(query, 'udp')
    }
    zone[deep] = endless
    await using network = await openDnsNetwork('example.test', [{ zone }], { [deep]: { txt: [['from the resolver']] } })
    const evidence = await network.session().examine(deep, 'TXT', never())
    assert.equal(evidence.source, 'resolver')
    assert(queries < depth, `${queries} servers were queried`)
  })
})

describe('the addresses in a referral count', { concurrency: true }, () => {
  test('not for servers outside of the delegated zone: those are looked up', async () => {
    await using forger = await openForger()
    await using real = await openDnsServer({ [NAME]: { txt: [['real']] } })
    const referral = refer('_domainkey.example.test', 'ns.provider.test', [ELSEWHERE])
    const known: Zone = {
      'example.test': { ...APEX, ns: ['ns1.example.test'] },
      'ns1.example.test': { a: ['203.0.113.1'] },
      'ns.provider.test': { a: [REAL] },
    }
    await using network = await openDnsNetwork(
      'example.test',
      [{ zone: { 'example.test': APEX, [NAME]: referral } }],
      known,
      [
        [ELSEWHERE, forger.address],
        [REAL, real.address],
      ],
    )
    const { answer } = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual(answer.kind === 'records' && answer.values, ['real'])
    assert.deepEqual(forger.queries, [])
  })

  test('only if they are public, within the delegated zone as well', async () => {
    const server = 'ns._domainkey.example.test'
    await using forger = await openForger()
    await using network = await openReferring(refer('_domainkey.example.test', server, ['127.0.0.1']), forger)
    const evidence = await network.session().examine(NAME, 'TXT', never())
    const said = evidence.steps[0]?.servers[0]?.statement
    assert.ok(said?.kind === 'unreachable' && said.reason.includes('127.0.0.1 is not public'))
  })
})

describe('the majority of the servers decides', { concurrency: true }, () => {
  const aliased = (cname: string): Zone => ({
    'example.test': APEX,
    [NAME]: { cname },
    'good.example.test': { txt: [['good']] },
    'odd.example.test': { txt: [['odd']] },
  })

  test('which target an alias has', async () => {
    await using network = await openDnsNetwork('example.test', [
      { zone: aliased('odd.example.test') },
      { zone: aliased('good.example.test') },
      { zone: aliased('good.example.test') },
    ])
    const { answer, steps, isUnanimous } = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual(answer.kind === 'records' && answer.values, ['good'])
    assert.deepEqual([steps[0]?.agreeing, steps[0]?.answered, isUnanimous], [2, 3, false])
  })

  test('to which zone a name was delegated', async () => {
    await using forger = await openForger()
    await using below = await openDnsServer({ [NAME]: { txt: [['below']] } })
    const odd: Zone = { 'example.test': APEX, [NAME]: refer(NAME, `ns.${NAME}`, [ELSEWHERE]) }
    const most: Zone = {
      'example.test': APEX,
      [NAME]: refer('_domainkey.example.test', 'ns._domainkey.example.test', [REAL]),
    }
    await using network = await openDnsNetwork('example.test', [{ zone: odd }, { zone: most }, { zone: most }], {}, [
      [ELSEWHERE, forger.address],
      [REAL, below.address],
    ])
    const { answer } = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual(answer.kind === 'records' && answer.values, ['below'])
    assert.deepEqual(forger.queries, [])
  })

  test('between different records as between presence and absence', async () => {
    const keyed = (text: string): Zone => ({ 'example.test': APEX, [NAME]: { txt: [[text]] } })
    await using network = await openDnsNetwork('example.test', [
      { zone: keyed('odd') },
      { zone: keyed('good') },
      { zone: keyed('good') },
    ])
    const { answer, steps } = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual(answer.kind === 'records' && answer.values, ['good'])
    assert.deepEqual([steps[0]?.agreeing, steps[0]?.answered], [2, 3])
  })
})

test('if the first usable answer is enough, three servers of a zone are tried, however many it lists', async () => {
  const zone: Zone = { 'example.test': APEX, [NAME]: 'servfail' }
  await using network = await openDnsNetwork(
    'example.test',
    Array.from({ length: 6 }, () => ({ zone })),
    { [NAME]: { txt: [['from the resolver']] } },
  )
  const answer = await network.session().resolve(NAME, 'TXT', never())
  assert.deepEqual(answer.kind === 'records' && answer.values, ['from the resolver'])
  const queried = network.servers.filter(({ queries }) => queries.length > 0)
  assert.equal(queried.length, 3)
})

test('a name server without an address is named as such', async () => {
  const known: Zone = { 'ns1.example.test': 'no_data', [NAME]: { txt: [['from the resolver']] } }
  await using network = await openDnsNetwork('example.test', [{ zone: {} }], known)
  const { steps } = await network.session().examine(NAME, 'TXT', never())
  const said = steps[0]?.servers[0]?.statement
  assert.ok(said?.kind === 'unreachable')
  assert.match(said.reason, /no address was found for it/)
})

test('of a top-level domain three servers are compared, of other zones all', async () => {
  const compared = async (apex: string) => {
    const zones = Array.from({ length: 5 }, () => ({ zone: { [apex]: APEX } }))
    await using network = await openDnsNetwork(apex, zones)
    const { steps } = await network.session().examine(`missing.${apex}`, 'TXT', never())
    return steps[0]?.servers.length
  }
  assert.deepEqual([await compared('test'), await compared('example.test')], [3, 5])
})

test('if a resolver refuses a name, the names above it are not queried either', async () => {
  await using network = await openDnsNetwork('example.test', [{ zone: { 'example.test': APEX } }], {
    [NAME]: 'refused',
  })
  const evidence = await network.session().examine(NAME, 'TXT', never())
  assert.equal(evidence.answer.kind === 'unreachable' && evidence.answer.failure, 'refused')
  const names = network.resolver.queries.map(({ name }) => name)
  assert.deepEqual([...new Set(names)], [NAME])
})

test('servers that reply without an answer do not make a check believe that it is cut off from all zones', async () => {
  await using other = await openDnsServer({ 'other.test': { txt: [['two']] } })
  const known: Zone = {
    [NAME]: { txt: [['one']] },
    'other.test': { soa: SOA, ns: ['ns.other.test'] },
    'ns.other.test': { a: [ELSEWHERE] },
  }
  await using network = await openDnsNetwork('example.test', [{ zone: { [NAME]: 'servfail' } }], known, [
    [ELSEWHERE, other.address],
  ])
  const session = network.session()
  assert.equal((await session.examine(NAME, 'TXT', never())).source, 'resolver')
  assert.equal((await session.examine('other.test', 'TXT', never())).source, 'authoritative')
})
