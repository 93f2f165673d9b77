/** Domain checks against real name servers: nsd with the zones, unbound as the caching resolver. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createDns } from '../../src/dns/dns.ts'
import type { DnsEvidence, DnsResolver } from '../../src/domains/dns-resolver.ts'
import type { DnsDaemon } from '../harness/dns/dns-daemon.ts'
import { type NsdZones, openNsdZones } from '../harness/dns/nsd-zones.ts'
import { openUnbound } from '../harness/dns/unbound.ts'

const KEY = `v=DKIM1; k=rsa; p=${'M'.repeat(392)}`
const quoted = (text: string) => `"${text}"`

/** Two name servers at addresses that are reachable only through the detours below. */
const HEAD = `
@ 600 IN SOA ns1.example.test. hostmaster.example.test. SERIAL 3600 600 86400 300
@ 600 IN NS ns1.example.test.
@ 600 IN NS ns2.example.test.
ns1 600 IN A 203.0.113.1
ns2 600 IN A 203.0.113.2
`
const BODY = `
@ 120 IN TXT "v=spf1 include:spf.provider.test -all"
@ 120 IN TXT "google-site-verification=abc"
@ 120 IN MX 10 mx.example.test.
s1._domainkey 300 IN TXT ${quoted(KEY.slice(0, 255))} ${quoted(KEY.slice(255))}
two._domainkey 300 IN TXT ${quoted(KEY.slice(0, 255))}
two._domainkey 300 IN TXT ${quoted(KEY.slice(255))}
s2._domainkey 300 IN CNAME key.provider.test.
Upper._DomainKey 300 IN TXT "upper"
*.wild 300 IN TXT "wildcard"
www 300 IN A 192.0.2.80
circle 300 IN CNAME back
back 300 IN CNAME circle
${Array.from({ length: 20 }, (_, index) => `large 300 IN TXT "${'x'.repeat(240)}${index}"`).join('\n')}
long 300 IN TXT ${Array.from({ length: 20 }, (_, index) => quoted(`${index}-${'y'.repeat(200)}`)).join(' ')}
empty 300 IN TXT ""
quotes 300 IN TXT "\\"v=DKIM1\\; p=abc\\""
`
const PROVIDER = `
@ 600 IN SOA ns.provider.test. hostmaster.provider.test. SERIAL 3600 600 86400 60
@ 600 IN NS ns.provider.test.
ns 600 IN A 203.0.113.3
key 60 IN TXT "v=DKIM1; p=provider"
`
/** Delegated to the second server, which does not have it. */
const LAME = `
@ 600 IN SOA ns1.example.test. hostmaster.lame.test. SERIAL 3600 600 86400 60
@ 600 IN NS ns1.example.test.
@ 600 IN NS ns2.example.test.
@ 60 IN TXT "only on the first"
`

describe('with nsd and unbound', () => {
  let first: NsdZones
  let second: NsdZones
  let unbound: DnsDaemon
  let newSession: () => DnsResolver
  const never = () => new AbortController().signal

  before(async () => {
    const zones = { 'example.test': HEAD + BODY, 'provider.test': PROVIDER }
    ;[first, second] = await Promise.all([openNsdZones({ ...zones, 'lame.test': LAME }), openNsdZones(zones)])
    const both = [first.address, second.address]
    unbound = await openUnbound({ 'example.test': both, 'provider.test': both, 'lame.test': [first.address] })
    const detours = new Map([
      ['203.0.113.1', first.address],
      ['203.0.113.2', second.address],
      ['203.0.113.3', second.address],
    ])
    const dns = createDns({ servers: [unbound.address], detours })
    newSession = () => dns.session()
  })
  after(async () => {
    for (const server of [unbound, first, second]) await server?.[Symbol.asyncDispose]()
  })

  const examine = (name: string) => newSession().examine(name, 'TXT', never())
  const textsOf = ({ answer }: DnsEvidence<'TXT'>) => (answer.kind === 'records' ? answer.values : answer)

  test('a long key in two strings is one value, unlike one in two records', async () => {
    const evidence = await examine('s1._domainkey.example.test')
    assert.equal(evidence.source, 'authoritative')
    assert.deepEqual(textsOf(evidence), [KEY])
    const { answer } = evidence
    assert.deepEqual(answer.kind === 'records' && answer.records[0]?.strings.length, 2)
    assert.deepEqual(
      evidence.steps.map(({ zone, answered, agreeing }) => [zone, answered, agreeing]),
      [['example.test', 2, 2]],
    )
    assert.deepEqual([evidence.resolvers[0]?.answer.kind, evidence.resolvers[0]?.isStale], ['records', false])
    const split = (await examine('two._domainkey.example.test')).answer
    assert.deepEqual(split.kind === 'records' && split.records.length, 2)
  })

  test('records of every shape: several, too large for UDP, many strings, empty, quoted, wildcard, upper case', async () => {
    assert.equal((textsOf(await examine('example.test')) as string[]).length, 2)
    assert.equal((textsOf(await examine('large.example.test')) as string[]).length, 20)
    const [long] = textsOf(await examine('long.example.test')) as string[]
    assert.ok(long?.startsWith('0-yyy') && long.includes('y19-yyy'))
    assert.deepEqual(textsOf(await examine('empty.example.test')), [''])
    assert.deepEqual(textsOf(await examine('quotes.example.test')), ['"v=DKIM1; p=abc"'])
    assert.deepEqual(textsOf(await examine('anything.wild.example.test')), ['wildcard'])
    assert.deepEqual(textsOf(await examine('upper._domainkey.example.test')), ['upper'])
  })

  test('an alias into another zone is followed to the servers of that zone', async () => {
    const evidence = await examine('s2._domainkey.example.test')
    assert.deepEqual(textsOf(evidence), ['v=DKIM1; p=provider'])
    assert.deepEqual(
      evidence.steps.map(({ name, zone, servers }) => [name, zone, servers.length]),
      [
        ['s2._domainkey.example.test', 'example.test', 2],
        ['key.provider.test', 'provider.test', 1],
      ],
    )
    assert.equal(evidence.resolvers[0]?.isStale, false)
  })

  test('no such name, no such type and a loop, with their negative TTL', async () => {
    const missing = await examine('missing.example.test')
    assert.deepEqual(missing.answer, { kind: 'no_such_name', aliases: [], negativeTtlSeconds: 300 })
    const untyped = await examine('www.example.test')
    assert.deepEqual(untyped.answer, { kind: 'no_such_type', aliases: [], negativeTtlSeconds: 300 })
    assert.equal((await examine('circle.example.test')).answer.kind, 'alias_loop')
  })

  test('a server that does not have the zone is distinguished from one that does', async () => {
    const evidence = await examine('lame.test')
    assert.deepEqual(textsOf(evidence), ['only on the first'])
    const said = evidence.steps[0]?.servers.map(({ server, statement }) => [
      server,
      statement.kind === 'unreachable' ? statement.failure : statement.kind,
    ])
    assert.deepEqual(said?.toSorted(), [
      ['ns1.example.test', 'records'],
      ['ns2.example.test', 'refused'],
    ])
  })

  test('a new record: on one of two servers, then on both, while the resolver caches its absence', async () => {
    const name = 'new._domainkey.example.test'
    const absent = await examine(name)
    assert.deepEqual([absent.answer.kind, absent.resolvers[0]?.answer.kind], ['no_such_name', 'no_such_name'])

    const added = `${HEAD}${BODY}new._domainkey 300 IN TXT "v=DKIM1; p=new"\n`
    first.write('example.test', added)
    const half = await examineUntil(name, ({ steps }) => !hasOneAnswer(steps))
    assert.deepEqual([half.isUnanimous, half.steps[0]?.answered], [false, 2])
    assert.deepEqual(textsOf(half), ['v=DKIM1; p=new'])

    second.write('example.test', added)
    const whole = await examineUntil(name, ({ steps, answer }) => hasOneAnswer(steps) && answer.kind === 'records')
    assert.deepEqual([whole.isUnanimous, whole.steps[0]?.agreeing], [true, 2])
    const [resolver] = whole.resolvers
    assert.deepEqual([resolver?.isStale, resolver?.answer.kind], [true, 'no_such_name'])
    const seconds = resolver?.staleSeconds ?? 0
    assert.ok(seconds > 0 && seconds <= 300, `${seconds}`)
  })

  /** A new version of a zone is served with a short delay. */
  async function examineUntil(name: string, isThere: (evidence: DnsEvidence<'TXT'>) => boolean) {
    const giveUp = AbortSignal.timeout(30_000)
    for (;;) {
      const evidence = await newSession().examine(name, 'TXT', giveUp)
      if (isThere(evidence)) return evidence
      giveUp.throwIfAborted()
    }
  }

  function hasOneAnswer(steps: DnsEvidence['steps']): boolean {
    return steps.every(({ agreeing, answered }) => agreeing === answered)
  }

  test('if the zone cannot be reached, the resolver answers', async () => {
    const session = createDns({ servers: [unbound.address] }).session()
    const evidence = await session.examine('s1._domainkey.example.test', 'TXT', never())
    assert.equal(evidence.source, 'resolver')
    assert.deepEqual(textsOf(evidence), [KEY])
    const reason = evidence.steps[0]?.servers.map(
      ({ statement }) => statement.kind === 'unreachable' && statement.reason,
    )
    assert.match(String(reason?.[0]), /203\.0\.113\.\d is not public/)
  })
})
