/** check_host(): the limits of RFC 7208 section 4.6.4, each at its edge and one beyond. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { checkHost } from './check-host.ts'
import { readIpAddress } from './ip-address.ts'
import type { SpfDns } from './spf-dns.ts'
import { judge, openZone, type Zone } from './zone.fixture.ts'

/** Each asks once and matches nothing. */
const ASKING = ['a:host.test', 'mx:host.test', 'include:no.test', 'exists:%{i}.host.test', 'ptr:host.test']
const QUIET: Zone = {
  'host.test': { A: '203.0.113.1', AAAA: '2001:db8::1', MX: '10 host.test' },
  'no.test': { TXT: 'v=spf1 -all' },
  'yes.test': { TXT: 'v=spf1 +all' },
  '192.0.2.1.host.test': { TXT: 'there, and without addresses', A: [] },
  '1.2.0.192.in-addr.arpa': { PTR: 'host.test' },
}

function zoneWith(terms: readonly string[], more: Zone = {}): Zone {
  return { ...QUIET, ...more, 'example.test': { TXT: ['v=spf1', ...terms].join(' ') } }
}

const times = (count: number, term: string): readonly string[] => Array.from({ length: count }, () => term)

describe('ten lookups', () => {
  for (const term of ASKING) {
    test(`ten times ${term} are allowed, eleven are not`, async () => {
      const ten = await judge(zoneWith([...times(10, term), '+all']))
      assert.deepEqual([ten.result, ten.lookups], ['pass', 10])
      const eleven = await judge(zoneWith([...times(11, term), '+all']))
      assert.deepEqual([eleven.result, eleven.problem?.kind], ['permerror', 'too_many_lookups'])
    })

    for (let place = 0; place <= 10; place++) {
      test(`${term} counts in place ${place + 1} of eleven`, async () => {
        const others = times(10, 'a:host.test')
        const { result, lookups } = await judge(zoneWith([...others.toSpliced(place, 0, term), '+all']))
        assert.deepEqual([result, lookups], ['permerror', 11])
      })
    }
  }

  test('the tenth may match, and then nothing behind it counts', async () => {
    const { result, lookups } = await judge(
      zoneWith([...times(9, 'a:host.test'), 'include:yes.test', ...times(5, 'mx')]),
    )
    assert.deepEqual([result, lookups], ['pass', 10])
  })

  test('the eleventh is not even asked for', async () => {
    const { result, asked } = await judge(zoneWith([...times(10, 'a:host.test'), 'include:yes.test']))
    assert.equal(result, 'permerror')
    assert.ok(!asked.includes('TXT yes.test'))
  })

  test('a redirect counts', async () => {
    const redirect = 'redirect=yes.test'
    assert.equal((await judge(zoneWith([...times(9, 'a:host.test'), redirect]))).result, 'pass')
    assert.equal((await judge(zoneWith([...times(10, 'a:host.test'), redirect]))).result, 'permerror')
  })

  test('a redirect beside all does not count', async () => {
    const { result, lookups } = await judge(zoneWith([...times(10, 'a:host.test'), 'redirect=yes.test', '~all']))
    assert.deepEqual([result, lookups], ['softfail', 10])
  })

  test('networks, all, exp and unknown modifiers do not count', async () => {
    const free = ['ip4:203.0.113.1', 'ip6:::1', 'exp=host.test', 'x=y', ...times(50, 'ip4:203.0.113.2')]
    const { result, lookups } = await judge(
      zoneWith([...free, ...times(10, 'a:host.test'), ...times(20, 'ip4:203.0.113.3'), 'all']),
    )
    assert.deepEqual([result, lookups], ['pass', 10])
  })

  for (const outside of [0, 4, 8, 9]) {
    test(`an included policy counts to the same ten: ${outside} before it, the rest within`, async () => {
      const within = (count: number) => ({
        'inner.test': { TXT: `v=spf1 ${times(count, 'a:host.test').join(' ')} ?all` },
      })
      const terms = [...times(outside, 'a:host.test'), 'include:inner.test', '+all']
      assert.equal((await judge(zoneWith(terms, within(9 - outside)))).result, 'pass')
      assert.equal((await judge(zoneWith(terms, within(10 - outside)))).result, 'permerror')
    })
  }

  test('what an included policy used is used up behind it', async () => {
    const inner = { 'inner.test': { TXT: `v=spf1 ${times(8, 'a:host.test').join(' ')} ?all` } }
    assert.equal((await judge(zoneWith(['include:inner.test', 'a:host.test', '+all'], inner))).result, 'pass')
    assert.equal(
      (await judge(zoneWith(['include:inner.test', 'a:host.test', 'mx:host.test', '+all'], inner))).result,
      'permerror',
    )
  })

  test('a chain of ten includes or redirects is allowed, of eleven not', async () => {
    for (const link of ['include:', 'redirect=']) {
      for (const [length, result] of [
        [10, 'pass'],
        [11, 'permerror'],
      ] as const) {
        const chain = Array.from({ length }, (_, index): [string, { TXT: string }] => [
          `n${index}.test`,
          { TXT: index === length - 1 ? 'v=spf1 +all' : `v=spf1 ${link}n${index + 1}.test` },
        ])
        assert.equal(
          (await judge(zoneWith([`${link}n0.test`], Object.fromEntries(chain)))).result,
          result,
          `${link} ${length}`,
        )
      }
    }
  })

  test('a policy that includes or redirects to itself, or to one that does, ends as an error', async () => {
    for (const terms of [
      ['include:example.test'],
      ['redirect=example.test'],
      ['include:back.test'],
      ['redirect=back.test'],
    ]) {
      const zone = zoneWith(terms, { 'back.test': { TXT: 'v=spf1 ip4:203.0.113.1 include:example.test' } })
      const { result, problem, lookups } = await judge(zone)
      assert.deepEqual([result, problem?.kind, lookups], ['permerror', 'too_many_lookups', 11])
    }
  })

  test('%{p} counts once for each term that has it, beside the term itself', async () => {
    const reverse = { '1.2.0.192.in-addr.arpa': { PTR: 'host.test' } }
    const term = 'exists:%{p}%{p}.host.test'
    const known = { ...reverse, 'unknownunknown.host.test': { A: [] } }
    assert.deepEqual((await judge(zoneWith([...times(5, term), '+all'], known))).lookups, 10)
    assert.equal((await judge(zoneWith([...times(5, term), '+all'], known))).result, 'pass')
    assert.equal((await judge(zoneWith([...times(5, term), 'a:host.test', '+all'], known))).result, 'permerror')
  })

  test('a question is sent once, however often it counts', async () => {
    const { asked, lookups } = await judge(zoneWith([...times(10, 'a:host.test'), '+all']))
    assert.deepEqual([asked, lookups], [['TXT example.test', 'A host.test'], 10])
  })
})

describe('two void lookups', () => {
  for (const [what, term] of [
    ['a name without addresses', 'a:gone.test'],
    ['a name without the type', 'a:mailonly.test'],
    ['no exchanges', 'mx:gone.test'],
    ['a name that does not exist', 'exists:gone.test'],
    ['no PTR records', 'ptr:host.test'],
  ] as const) {
    test(`${what}: two are allowed, three are not`, async () => {
      const more = { 'mailonly.test': { MX: '10 host.test' }, '1.2.0.192.in-addr.arpa': {} }
      const two = await judge(zoneWith([...times(2, term), '+all'], more))
      assert.deepEqual([two.result, two.voidLookups], ['pass', 2])
      const three = await judge(zoneWith([...times(3, term), '+all'], more))
      assert.deepEqual([three.result, three.problem?.kind], ['permerror', 'too_many_void_lookups'])
    })
  }

  test('they are counted over all included policies', async () => {
    const inner = { 'inner.test': { TXT: 'v=spf1 a:gone.test ?all' } }
    assert.equal((await judge(zoneWith(['include:inner.test', 'a:gone.test', '+all'], inner))).result, 'pass')
    assert.equal(
      (await judge(zoneWith(['include:inner.test', 'a:gone.test', 'mx:gone.test', '+all'], inner))).result,
      'permerror',
    )
    assert.equal(
      (await judge(zoneWith(['a:gone.test', 'mx:gone.test', 'include:inner.test', '+all'], inner))).result,
      'permerror',
    )
  })

  test('the type that is asked for depends on the client: a host without IPv6 is void for an IPv6 client', async () => {
    const zone = zoneWith([...times(3, 'a:four.test'), '+all'], { 'four.test': { A: '203.0.113.1' } })
    assert.equal((await judge(zone)).result, 'pass')
    assert.equal((await judge(zone, { ip: '2001:db8::9' })).result, 'permerror')
  })

  test('exchanges and names of PTR records without addresses are no void lookups', async () => {
    const more = {
      'mail.test': { MX: ['10 gone.test', '20 lost.test', '30 none.test'] },
      '1.2.0.192.in-addr.arpa': { PTR: ['gone.test', 'lost.test', 'none.test'] },
    }
    const { result, voidLookups } = await judge(zoneWith(['mx:mail.test', 'ptr', 'mx:mail.test', '+all'], more))
    assert.deepEqual([result, voidLookups], ['pass', 0])
  })

  test('a term counts once, also when its %{p} and its own name both lead nowhere', async () => {
    const { result, voidLookups } = await judge(
      zoneWith([...times(2, 'exists:%{p}.gone.test'), '+all'], { '1.2.0.192.in-addr.arpa': {} }),
    )
    assert.deepEqual([result, voidLookups], ['pass', 2])
  })

  test('a name that cannot be asked for is a lookup and not a void one', async () => {
    const { result, lookups, voidLookups } = await judge(zoneWith([...times(4, 'a:bad..name.test'), '+all']))
    assert.deepEqual([result, lookups, voidLookups], ['pass', 4, 0])
  })
})

describe('ten names of one mx or ptr', () => {
  const exchanges = (count: number) => Array.from({ length: count }, (_, index) => `${index} mx${index}.test`)
  const names = (count: number, matching: number): Zone =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `mx${index}.test`,
        { A: index === matching ? '192.0.2.1' : '203.0.113.1' },
      ]),
    )

  test('the tenth exchange is looked at, for the eleventh the evaluation ends', async () => {
    const tenth = zoneWith(['mx:mail.test', '-all'], { 'mail.test': { MX: exchanges(10) }, ...names(10, 9) })
    assert.equal((await judge(tenth)).result, 'pass')
    const none = zoneWith(['mx:mail.test', '~all'], { 'mail.test': { MX: exchanges(10) }, ...names(10, -1) })
    assert.equal((await judge(none)).result, 'softfail')
    const eleventh = zoneWith(['mx:mail.test', '-all'], { 'mail.test': { MX: exchanges(11) }, ...names(11, 10) })
    const { result, problem, asked } = await judge(eleventh)
    assert.deepEqual([result, problem?.kind], ['permerror', 'too_many_exchanges'])
    assert.ok(!asked.includes('A mx10.test'))
  })

  test('of eleven exchanges one of the first ten may match, by preference and not by order', async () => {
    const zone = zoneWith(['mx:mail.test', '-all'], {
      'mail.test': { MX: exchanges(11).toReversed() },
      ...names(11, 0),
    })
    assert.equal((await judge(zone)).result, 'pass')
  })

  test('each mx has ten of its own', async () => {
    const more = { 'mail.test': { MX: exchanges(10) }, ...names(10, -1) }
    const { result, lookups } = await judge(zoneWith([...times(10, 'mx:mail.test'), '+all'], more))
    assert.deepEqual([result, lookups], ['pass', 10])
  })

  test('of the names of an address the first ten are looked at and the others ignored', async () => {
    const reverse = (count: number) => Array.from({ length: count }, (_, index) => `mx${index}.test`)
    const zone = (count: number, matching: number) =>
      zoneWith([`ptr:mx${matching}.test`, '?all'], {
        '1.2.0.192.in-addr.arpa': { PTR: reverse(count) },
        ...names(count, matching),
      })
    assert.equal((await judge(zone(10, 9))).result, 'pass')
    assert.equal((await judge(zone(11, 9))).result, 'pass')
    const { result, asked } = await judge(zone(11, 10))
    assert.equal(result, 'neutral')
    assert.ok(!asked.includes('A mx10.test'))
  })
})

describe('the end', () => {
  test('whatever DNS says, an evaluation ends after a bounded number of questions and never throws', async () => {
    const term = fc.oneof(
      fc.constantFrom(
        'include:%{d}x.test',
        'redirect=y.%{d}',
        'mx',
        'ptr',
        'a:%{p}.test',
        'exists:%{i}%{l}.test',
        'exp=%{p}.test',
        'include:example.test',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    )
    const text = fc.oneof(
      fc.array(term, { maxLength: 12 }).map((terms) => ['v=spf1', ...terms].join(' ')),
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom('10 mx.test', '192.0.2.1', 'host.test', '2001:db8::1'),
    )
    const answers = fc.func<[string, string], { kind: 'records'; values: string[] }>(
      fc.record({ kind: fc.constant('records' as const), values: fc.array(text, { minLength: 1, maxLength: 12 }) }),
    )
    const ip = readIpAddress('192.0.2.1')
    assert.ok(ip)
    await fc.assert(
      fc.asyncProperty(answers, fc.string({ unit: 'binary' }), async (answer, sender) => {
        let questions = 0
        const dns: SpfDns = async (name, type) => {
          questions++
          return name === 'example.test' && type === 'TXT'
            ? { kind: 'records', values: ['v=spf1 include:a.test mx ptr redirect=b.test'] }
            : answer(name, type)
        }
        await checkHost({ ip, domain: 'example.test', sender, helo: sender, timeMs: 0 }, dns)
        assert.ok(questions <= 1 + 10 * 12 + 12 + 1, `${questions} questions`)
      }),
      { numRuns: 500 },
    )
  })

  test('a deadline that has passed makes it a temperror, at whatever question it passes', async () => {
    const zone = zoneWith(['a:host.test', 'mx:host.test', 'include:no.test', 'redirect=yes.test'])
    const { asked } = await judge(zone)
    for (let answered = 0; answered < asked.length; answered++) {
      const ip = readIpAddress('192.0.2.1')
      assert.ok(ip)
      let left = answered
      const { dns } = openZone(zone)
      const until: SpfDns = async (name, type) =>
        left-- > 0 ? dns(name, type) : { kind: 'unreachable', reason: 'cancelled' }
      const { result } = await checkHost(
        { ip, domain: 'example.test', sender: 'user@example.test', helo: 'x', timeMs: 0 },
        until,
      )
      assert.equal(result, 'temperror')
    }
  })
})
