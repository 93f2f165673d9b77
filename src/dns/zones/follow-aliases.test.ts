import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { APEX, NAME, openDnsNetwork, SOA, WITHOUT_KEY } from '../../../test/harness/dns/dns-network.ts'
import { openDnsServer, type Zone } from '../../../test/harness/dns/dns-server.ts'

const never = () => new AbortController().signal

describe('aliases are followed', { concurrency: true }, () => {
  test('into another zone, whose own servers are queried', async () => {
    await using provider = await openDnsServer({
      'provider.test': { soa: SOA, ns: ['ns.provider.test'] },
      'key.provider.test': { txt: [['v=DKIM1; p=abc']], ttl: 30 },
    })
    const customer: Zone = { 'example.test': APEX, [NAME]: { cname: 'Key.Provider.test', ttl: 600 } }
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

  const zoneWith = (entries: Zone): Zone => ({ 'example.test': APEX, ...entries })

  test('and limit the TTL to the shortest of them', async () => {
    const zone = zoneWith({
      [NAME]: { cname: 'key.example.test', ttl: 5 },
      'key.example.test': { txt: [['x']], ttl: 500 },
    })
    await using network = await openDnsNetwork('example.test', [{ zone }])
    const answer = await network.session().resolve(NAME, 'TXT', never())
    assert.equal(answer.kind === 'records' && answer.ttlSeconds, 5)
  })

  test('to a name that does not exist: the answer says so, with the aliases', async () => {
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

  test('to an invalid name: nothing more is queried', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: zoneWith({ [NAME]: { cname: 'localhost' } }) }])
    assert.equal((await network.session().resolve(NAME, 'TXT', never())).kind, 'no_such_name')
    const names = network.resolver.queries.map(({ name }) => name)
    assert.ok(!names.includes('localhost'))
  })

  test('not in a loop, which is shown', async () => {
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

  test('not if the CNAME itself is queried', async () => {
    const zone = zoneWith({ [NAME]: { cname: 'key.provider.test' } })
    await using network = await openDnsNetwork('example.test', [{ zone }])
    const answer = await network.session().resolve(NAME, 'CNAME', never())
    assert.deepEqual(answer.kind === 'records' && [answer.records, answer.aliases], [
      [{ target: 'key.provider.test' }],
      [],
    ])
  })

  test('and servers that disagree about an alias are distinguished from those that have none', async () => {
    const aliased = zoneWith({ [NAME]: { cname: 'key.example.test' }, 'key.example.test': { txt: [['x']] } })
    await using network = await openDnsNetwork('example.test', [
      { zone: aliased },
      { zone: aliased },
      { zone: WITHOUT_KEY },
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
