/** Which senders pass by which term, and up to which limit: our analysis against another implementation. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { evaluate } from '../fixtures/evaluate.fixture.ts'
import { openZone, type Zone } from '../fixtures/zone.fixture.ts'
import { readSpfTree } from '../tree/read-spf-tree.ts'
import { findRequired } from './find-required.ts'

const IP4 = '192.0.2.1'
const IP6 = '2001:db8::1'

/** Each queries DNS once and matches nothing. */
const QUERYING = ['a:host.test', 'mx:host.test', 'include:no.test', 'exists:%{i}.host.test', 'ptr:host.test']
const QUIET: Zone = {
  'host.test': { A: '203.0.113.1', AAAA: '2001:db8:9::9', MX: '10 host.test' },
  'no.test': { TXT: 'v=spf1 -all' },
  'yes.test': { TXT: `v=spf1 ip4:${IP4} -all` },
  '192.0.2.1.host.test': { A: [] },
  '1.2.0.192.in-addr.arpa': { PTR: 'host.test' },
}

const times = (count: number, term: string): readonly string[] => Array.from({ length: count }, () => term)

/** `pass`, or why mail from the address does not. The oracle must agree, and have stopped where we say so. */
async function judge(terms: readonly string[], more: Zone = {}, ip = IP4): Promise<string> {
  const own = { ...more['example.test'], TXT: ['v=spf1', ...terms].join(' ') }
  const zone = { ...QUIET, ...more, 'example.test': own }
  const tree = await readSpfTree('example.test', openZone(zone).dns)
  const outcome = findRequired(tree, ip.includes(':') ? { ip6: ip } : { ip4: ip })
  const { result, comment } = await evaluate(zone, ip)
  const message = `${outcome.isEffective ? 'effective' : outcome.reason}, but ${result} ${comment}`
  assert.equal(outcome.isEffective, result === 'pass', message)
  if (outcome.isEffective) return 'pass'
  if ('stop' in outcome) assert.equal(result, 'permerror', message)
  return 'stop' in outcome ? outcome.stop.kind : outcome.reason
}

describe('ten lookups', () => {
  for (const term of QUERYING) {
    test(`ten times ${term} are allowed, eleven are not`, async () => {
      assert.equal(await judge([...times(10, term), `ip4:${IP4}`]), 'pass')
      assert.equal(await judge([...times(11, term), `ip4:${IP4}`]), 'too_many_lookups')
    })

    test(`${term} counts in every position of eleven`, async () => {
      for (let position = 0; position <= 10; position++) {
        const terms = times(10, 'a:host.test').toSpliced(position, 0, term)
        assert.equal(await judge([...terms, `ip4:${IP4}`]), 'too_many_lookups', `position ${position}`)
      }
    })
  }

  test('the tenth may match, and nothing after it counts', async () => {
    assert.equal(await judge([...times(9, 'a:host.test'), 'include:yes.test', ...times(5, 'mx')]), 'pass')
  })

  test('a redirect counts', async () => {
    assert.equal(await judge([...times(9, 'a:host.test'), 'redirect=yes.test']), 'pass')
    assert.equal(await judge([...times(10, 'a:host.test'), 'redirect=yes.test']), 'too_many_lookups')
  })

  test('networks, exp and unknown modifiers do not count', async () => {
    const free = ['ip4:203.0.113.1', 'ip6:::1', 'exp=host.test', 'x=y', ...times(50, 'ip4:203.0.113.2')]
    assert.equal(await judge([...free, ...times(10, 'a:host.test'), ...free.slice(-20), `ip4:${IP4}`]), 'pass')
  })

  for (const outside of [0, 4, 8, 9]) {
    test(`an included policy counts to the same ten: ${outside} before it, the rest within`, async () => {
      const within = (count: number) => ({
        'inner.test': { TXT: `v=spf1 ${times(count, 'a:host.test').join(' ')} ?all` },
      })
      const terms = [...times(outside, 'a:host.test'), 'include:inner.test', `ip4:${IP4}`]
      assert.equal(await judge(terms, within(9 - outside)), 'pass')
      assert.equal(await judge(terms, within(10 - outside)), 'too_many_lookups')
    })
  }

  test('a chain of ten includes or redirects is allowed, of eleven not', async () => {
    for (const link of ['include:', 'redirect=']) {
      for (const [length, verdict] of [
        [10, 'pass'],
        [11, 'too_many_lookups'],
      ] as const) {
        const chain = Array.from({ length }, (_, index): [string, { TXT: string }] => [
          `n${index}.test`,
          { TXT: index === length - 1 ? `v=spf1 ip4:${IP4}` : `v=spf1 ${link}n${index + 1}.test` },
        ])
        assert.equal(await judge([`${link}n0.test`], Object.fromEntries(chain)), verdict, `${link} ${length}`)
      }
    }
  })

  test('a policy that includes or redirects to itself, or to one that does, is broken', async () => {
    const back = { 'back.test': { TXT: `v=spf1 include:example.test ip4:${IP4}` } }
    for (const link of ['include:example.test', 'include:back.test']) {
      assert.equal(await judge([link, `ip4:${IP4}`], back), 'broken')
    }
    assert.equal(await judge(['redirect=back.test'], back), 'broken')
  })

  test('%{p} is a lookup in addition to that of the term', async () => {
    const known = { 'unknownunknown.host.test': { A: [] } }
    const terms = times(5, 'exists:%{p}%{p}.host.test')
    assert.equal(await judge([...terms, `ip4:${IP4}`], known), 'pass')
    assert.equal(await judge([...terms, 'a:host.test', `ip4:${IP4}`], known), 'too_many_lookups')
  })
})

describe('two void lookups', () => {
  for (const [what, term] of [
    ['a name that does not exist', 'a:gone.test'],
    ['a name without the type', 'a:mailonly.test'],
    ['no exchanges', 'mx:gone.test'],
    ['a name that exists: does not find', 'exists:gone.test'],
  ] as const) {
    test(`${what}: two are allowed, three are not`, async () => {
      const more = { 'mailonly.test': { MX: '10 host.test' } }
      assert.equal(await judge([...times(2, term), `ip4:${IP4}`], more), 'pass')
      assert.equal(await judge([...times(3, term), `ip4:${IP4}`], more), 'too_many_void_lookups')
    })
  }

  test('they are counted over all included policies', async () => {
    const inner = { 'inner.test': { TXT: 'v=spf1 a:gone.test ?all' } }
    assert.equal(await judge(['include:inner.test', 'a:gone.test', `ip4:${IP4}`], inner), 'pass')
    for (const terms of [
      ['include:inner.test', 'a:gone.test', 'mx:gone.test'],
      ['a:gone.test', 'mx:gone.test', 'include:inner.test'],
    ]) {
      assert.equal(await judge([...terms, `ip4:${IP4}`], inner), 'too_many_void_lookups')
    }
  })

  test('a host without IPv6 is void for a client with IPv6', async () => {
    const terms = [...times(3, 'a:four.test'), `ip4:${IP4}`, `ip6:${IP6}`]
    const four = { 'four.test': { A: '203.0.113.1' } }
    assert.equal(await judge(terms, four), 'pass')
    assert.equal(await judge(terms, four, IP6), 'too_many_void_lookups')
  })

  test('exchanges without addresses are not void lookups', async () => {
    const more = { 'mail.test': { MX: ['10 gone.test', '20 lost.test', '30 none.test'] } }
    assert.equal(await judge(['mx:mail.test', 'mx:mail.test', `ip4:${IP4}`], more), 'pass')
  })

  test('an invalid name is not a void lookup', async () => {
    assert.equal(await judge([...times(4, 'a:bad..name.test'), `ip4:${IP4}`]), 'pass')
  })
})

describe('ten exchanges of one mx', () => {
  const exchanges = (count: number) => Array.from({ length: count }, (_, index) => `${index} mx${index}.test`)
  const hosts = (count: number, matching: number): Zone =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`mx${index}.test`, { A: index === matching ? IP4 : '203.0.113.1' }]),
    )

  test('the tenth may match; if an eleventh is needed, receivers stop', async () => {
    assert.equal(await judge(['mx:mail.test'], { 'mail.test': { MX: exchanges(10) }, ...hosts(10, 9) }), 'pass')
    const eleven = { 'mail.test': { MX: exchanges(11) }, ...hosts(11, 10) }
    assert.equal(await judge(['mx:mail.test', `ip4:${IP4}`], eleven), 'broken')
  })

  test('of eleven one of the first ten may match, by preference and not by order', async () => {
    assert.equal(
      await judge(['mx:mail.test'], { 'mail.test': { MX: exchanges(11).toReversed() }, ...hosts(11, 0) }),
      'pass',
    )
  })

  test('each mx has ten of its own', async () => {
    const more = { 'mail.test': { MX: exchanges(10) }, ...hosts(10, -1) }
    assert.equal(await judge([...times(10, 'mx:mail.test'), `ip4:${IP4}`], more), 'pass')
  })
})

describe('which senders pass by which term', () => {
  const zone: Zone = {
    'example.test': { A: '192.0.2.10', AAAA: '2001:db8::10', MX: '10 mail.test' },
    'mail.test': { A: ['203.0.113.7', IP4], AAAA: IP6 },
    'four.test': { A: IP4 },
    'six.test': { AAAA: IP6 },
    'two.test': { MX: ['10 gone.test', '20 mail.test.'] },
    'null.test': { MX: '0 .' },
    'words.test': { A: ['no address', '192.0.2.1x'] },
    'odd:name/24.test': { A: IP4, MX: '5 odd:name/24.test' },
    // RFC 7208 4.6.4 limits names, not the addresses of a name.
    'many.test': { A: Array.from({ length: 250 }, (_, index) => `192.0.2.${index + 1}`) },
    'pass.test': { TXT: `v=spf1 ip4:${IP4} -all` },
    'neutral.test': { TXT: 'v=spf1' },
    'broken.test': { TXT: 'v=spf1 moo' },
    'twice.test': { TXT: ['v=spf1 +all', 'v=spf1 -all'] },
    'policyless.test': { TXT: 'verify=1' },
    'nested.test': { TXT: 'v=spf1 -include:no.test include:pass.test -all' },
    'redirected.test': { TXT: 'v=spf1 redirect=pass.test' },
    'own.test': { TXT: 'v=spf1 a -all', A: IP4 },
    'sub.example.test': { TXT: `v=spf1 ip4:${IP4}` },
  }
  for (const [terms, verdict, ip = IP4] of [
    ['ip4:192.0.2.1 -all', 'pass'],
    ['ip4:192.0.2.2 -all', 'missing'],
    ['ip4:192.0.2.2/31 -all', 'missing'],
    ['ip4:192.0.2.0/31 -all', 'pass'],
    ['ip4:203.0.113.1/0 -all', 'pass'],
    ['ip4:0.0.0.0/0 -all', 'missing', IP6],
    ['ip6:::/0 -all', 'missing'],
    ['ip6:::ffff:0:0/96 -all', 'missing'],
    ['ip6:2001:DB8:: -all', 'missing', IP6],
    ['ip6:2001:DB8::/127 -all', 'pass', IP6],
    ['ip6:2001:db8:8000::/33 -all', 'pass', '2001:db8:8000::1'],
    ['ip6:2001:db8:8000::/33 -all', 'missing', '2001:db8:7fff::1'],
    ['ip6:::/0 -all', 'pass', IP6],
    ['ip6:::192.0.2.1 -all', 'pass', '::c000:201'],
    ['?ip4:192.0.2.1 -ip4:192.0.2.1 ip4:192.0.2.1', 'wrong_qualifier'],

    ['a -all', 'pass', '192.0.2.10'],
    ['a -all', 'missing'],
    ['a/24 -all', 'pass'],
    ['a//0 -all', 'missing'],
    ['a//64 -all', 'pass', IP6],
    ['a//128 -all', 'missing', IP6],
    ['a/0 -all', 'missing', IP6],
    ['a:MAIL.Test. -all', 'pass'],
    ['a:mail.test -all', 'pass', '203.0.113.7'],
    ['a:mail.test -all', 'pass', IP6],
    ['a:four.test//0 -all', 'missing', IP6],
    ['a:six.test/0 -all', 'missing'],
    ['a:six.test//32 -all', 'pass', '2001:db8:ffff::'],
    ['a:gone.test/0 -all', 'missing'],
    ['a:odd:name/24.test -all', 'pass'],
    ['a:bad..name.test ~all', 'missing'],
    [`a:${'x'.repeat(64)}.test ~all`, 'missing'],
    ['a:many.test -all', 'pass', '192.0.2.250'],
    ['a:words.test -all', 'missing'],

    ['mx -all', 'pass'],
    ['mx -all', 'missing', '192.0.2.2'],
    ['mx/24 -all', 'pass', '192.0.2.2'],
    ['mx//64 -all', 'pass', '2001:db8::abcd'],
    ['mx:two.test -all', 'pass'],
    ['mx:two.test/0 -all', 'missing', '2001:db8::2'],
    ['mx:null.test ?all', 'missing'],
    ['mx:odd:name/24.test -all', 'pass'],
    ['mx:bad..name.test ~all', 'missing'],

    ['include:pass.test ~all', 'pass'],
    ['-include:pass.test ~all', 'wrong_qualifier'],
    ['include:neutral.test -all', 'missing'],
    ['include:broken.test ip4:192.0.2.1', 'broken'],
    ['include:twice.test ip4:192.0.2.1', 'broken'],
    ['include:gone.test ip4:192.0.2.1', 'broken'],
    ['?include:gone.test ip4:192.0.2.1', 'broken'],
    ['include:policyless.test ip4:192.0.2.1', 'broken'],
    ['include:bad..name.test ip4:192.0.2.1', 'broken'],
    ['ip4:192.0.2.1 include:gone.test', 'pass'],
    ['include:nested.test -all', 'pass'],
    ['include:redirected.test -all', 'pass'],
    ['include:own.test -all', 'pass'],
    ['include:sub.%{d} -all', 'pass'],
    ['include:PASS.test. -all', 'pass'],

    ['redirect=pass.test', 'pass'],
    ['redirect=pass.test ip4:192.0.2.2', 'pass', '192.0.2.2'],
    ['-ip4:192.0.2.1 redirect=pass.test', 'wrong_qualifier'],
    ['redirect=redirected.test', 'pass'],
    ['redirect=sub.%{d}', 'pass'],
    ['redirect=pass.test -all', 'missing'],
    ['ip4:192.0.2.1 redirect=gone.test', 'pass'],
    ['-all ip4:192.0.2.1', 'behind_all'],
  ] as const) {
    test(`"${terms}" for ${ip}: ${verdict}`, async () => {
      assert.equal(await judge(terms.split(' '), zone, ip), verdict)
    })
  }
})
