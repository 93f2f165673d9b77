import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, encode, type PacketOpt } from 'dns-packet'
import { APEX, NAME, openDnsNetwork, SOA, WITH_KEY, WITHOUT_KEY } from '../../test/harness/dns/dns-network.ts'
import { openDnsServer, type RawAnswer, type Zone } from '../../test/harness/dns/dns-server.ts'
import { createDns } from './dns.ts'
import { isCutShort } from './evidence.ts'
import type { Followed } from './zones/follow-aliases.ts'

const never = () => new AbortController().signal

describe('a resolver with another cached answer', { concurrency: true }, () => {
  test('the record exists and the resolver still caches its absence, with the remaining seconds', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }])
    network.resolverZone['example.test'] = { ns: ['ns1.example.test'], soa: { minimum: 3600, ttl: 1234 } }
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.equal(evidence.answer.kind, 'records')
    const [resolver] = evidence.resolvers
    assert.deepEqual([resolver?.isStale, resolver?.staleSeconds], [true, 1234])
    assert.deepEqual([resolver?.answer.kind, resolver?.address], ['no_such_name', network.resolver.address])
  })

  test('the record was changed and the resolver still caches the old one', async () => {
    const remembered: Zone = { [NAME]: { txt: [['old']], ttl: 77 } }
    await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }], remembered)
    const [resolver] = (await network.session().examine(NAME, 'TXT', never())).resolvers
    assert.deepEqual([resolver?.isStale, resolver?.staleSeconds], [true, 77])
  })

  test('the same records in another order with a lower TTL are the same', async () => {
    const zone: Zone = { 'example.test': { ...APEX, txt: [['one'], ['two']], ttl: 300 } }
    const remembered: Zone = { 'example.test': { ...APEX, txt: [['two'], ['one']], ttl: 3 } }
    await using network = await openDnsNetwork('example.test', [{ zone }], remembered)
    network.resolverZone['example.test'] = { ns: ['ns1.example.test'], soa: SOA, txt: [['two'], ['one']], ttl: 3 }
    const evidence = await network.session().examine('example.test', 'TXT', never())
    assert.equal(evidence.source, 'authoritative')
    assert.deepEqual(
      evidence.resolvers.map(({ isStale }) => isStale),
      [false],
    )
  })

  test('nothing is stale while the servers of the zone disagree', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }, { zone: WITHOUT_KEY }])
    const evidence = await network.session().examine(NAME, 'TXT', never())
    assert.deepEqual([evidence.isUnanimous, evidence.resolvers[0]?.isStale], [false, false])
  })

  test('a silent resolver does not delay the answer of the zone', async () => {
    await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }])
    await using silent = await openDnsServer({ [NAME]: 'silent' })
    const detours = new Map([['203.0.113.1', network.servers[0]?.address ?? '']])
    const session = createDns({ servers: [network.resolver.address, silent.address], detours }).session()
    const evidence = await session.examine(NAME, 'TXT', never())
    assert.equal(evidence.source, 'authoritative')
    const [quick, slow] = evidence.resolvers.map(({ answer }) => answer)
    assert.equal(quick?.kind, 'no_such_name')
    // Ended by the session, not by the time limit of the resolver.
    assert.equal(slow?.kind === 'unreachable' && slow.failure, 'cancelled')
  })

  test('an empty answer of a resolver is a negative one, with and without the servers and the SOA of the zone', async () => {
    const soa = { mname: 'a.test', rname: 'b.test', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 60 }
    const server: Answer = { type: 'NS', name: 'example.test', ttl: 60, data: 'ns.example.test' }
    const zone: Answer = { type: 'SOA', name: 'example.test', ttl: 60, data: soa }
    for (const authorities of [[], [zone], [server, zone]]) {
      const empty: RawAnswer = ({ id = 0, questions = [] }) => [
        encode({ type: 'response', id, questions, authorities }),
      ]
      await using resolver = await openDnsServer({ [NAME]: empty })
      const answer = await createDns({ servers: [resolver.address] })
        .session()
        .resolve(NAME, 'TXT', never())
      assert.equal(answer.kind, 'no_such_type', `${authorities.length} records`)
    }
  })

  test('a referral from a server that is not a resolver is not a negative answer', async () => {
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

  test('a resolver that finds the signatures of the zone invalid says so', async () => {
    const bogus: RawAnswer = ({ id = 0, questions = [] }) => {
      const edns = { type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 0, ednsVersion: 0, flags: 0 } as const
      const why = { code: 15, data: Buffer.of(0, 6) } as unknown as PacketOpt
      const opt = { ...edns, flag_do: false, options: [why] }
      return [encode({ type: 'response', id, flags: 2, questions, additionals: [opt] })]
    }
    await using network = await openDnsNetwork('example.test', [{ zone: WITH_KEY }], { [NAME]: bogus })
    const answer = (await network.session().examine(NAME, 'TXT', never())).resolvers[0]?.answer
    assert.ok(answer?.kind === 'unreachable' && answer.reason.includes('DNSSEC'), JSON.stringify(answer))
  })
})

test('an answer is cut short if one server of one step was not queried for lack of budget, and not by another failure', () => {
  const failed = (failure: 'query_limit' | 'silent') =>
    ({ kind: 'unreachable', failure, reason: 'why', aliases: [] }) as const
  const followed = (...steps: readonly ('query_limit' | 'silent')[][]): Followed<'TXT'> => ({
    steps: steps.map((failures, index) => ({
      name: `n${index}.test`,
      servers: [
        { server: 'ns0.test', statement: { kind: 'no_such_name', aliases: [] } as const },
        ...failures.map((failure, at) => ({ server: `ns${at + 1}.test`, statement: failed(failure) })),
      ],
      agreeing: 1,
      answered: 1,
    })),
  })
  assert.equal(isCutShort(followed(['silent', 'query_limit'], [])), true)
  assert.equal(isCutShort(followed([], ['query_limit'])), true)
  assert.equal(isCutShort(followed([], ['silent'])), false)
})
