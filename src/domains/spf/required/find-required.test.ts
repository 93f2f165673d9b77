import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { evaluate } from '../fixtures/evaluate.fixture.ts'
import { CLIENTS, randomStaticZone, randomZone } from '../fixtures/random-zone.fixture.ts'
import { ALIAS_LOOP, openZone, TIMEOUT, type Zone, type ZoneRecords } from '../fixtures/zone.fixture.ts'
import { readSpfTree } from '../tree/read-spf-tree.ts'
import type { SpfTree } from '../tree/spf-tree.ts'
import { describeRequired } from './describe-required.ts'
import { findRequired, type RequiredOutcome } from './find-required.ts'
import type { TermPath } from './required-walk.ts'
import type { SpfRequirement } from './spf-requirement.ts'

const INCLUDE: SpfRequirement = { include: '_spf.mta.test' }
const OURS: Zone = {
  '_spf.mta.test': { TXT: 'v=spf1 include:_a.mta.test include:_b.mta.test ~all' },
  '_a.mta.test': { TXT: 'v=spf1 ip4:192.0.2.0/24 ~all' },
  '_b.mta.test': { TXT: 'v=spf1 ip6:2001:db8::/32 ~all' },
}
/** Policies of others, for all tables. */
const OTHERS: Zone = {
  ...OURS,
  'quiet.test': { TXT: 'v=spf1 ip4:203.0.113.0/24 -all', A: '203.0.113.9', AAAA: '2001:db8:9::9', MX: '10 quiet.test' },
  'nested.test': { TXT: 'v=spf1 mx:quiet.test include:_spf.mta.test -all' },
  'deeper.test': { TXT: 'v=spf1 include:nested.test ?all' },
  'negative.test': { TXT: 'v=spf1 -include:_spf.mta.test ~all' },
  'shut.test': { TXT: 'v=spf1 -all include:_spf.mta.test' },
  'redirected.test': { TXT: 'v=spf1 redirect=nested.test' },
  'open.test': { TXT: 'v=spf1 +all' },
  'nearlyopen.test': { TXT: 'v=spf1 -ip4:203.0.113.7 +all' },
  'broken.test': { TXT: 'v=spf1 include:_spf.mta.test moo -all' },
  'twice.test': { TXT: ['v=spf1 include:_spf.mta.test -all', 'v=spf1 -all'] },
  'loop.test': { TXT: 'v=spf1 include:example.test' },
  'slow.test': { TXT: TIMEOUT, A: TIMEOUT },
  'circle.test': { TXT: ALIAS_LOOP, A: ALIAS_LOOP },
  'manymx.test': { MX: Array.from({ length: 11 }, (_, index) => `10 m${index}.test`) },
}

async function look(txt: ZoneRecords, requirement: SpfRequirement, more: Zone = {}) {
  const tree = await readSpfTree(
    'example.test',
    openZone({ ...OTHERS, ...more, 'example.test': { TXT: txt, A: '192.0.2.77' } }).dns,
  )
  const outcome = findRequired(tree, requirement)
  return { outcome, words: describeOutcome(tree, requirement, outcome) }
}

/** Empty for an effective mechanism, and for a broken policy, whose texts are those of the check. */
function describeOutcome(tree: SpfTree, requirement: SpfRequirement, outcome: RequiredOutcome): string {
  return outcome.isEffective || outcome.reason === 'broken' ? '' : describeRequired(tree, requirement, outcome)
}

function textOf(path: TermPath): string {
  return path.map(({ term }) => term.text).join(' > ')
}

/** The outcome in one line: `effective: path`, or the reason and where. */
function shown(outcome: RequiredOutcome): string {
  if (outcome.isEffective) return `effective: ${textOf(outcome.path)}`
  switch (outcome.reason) {
    case 'no_policy':
      return outcome.reason
    case 'missing':
      return `missing${outcome.isPartial ? ' in part' : ''}${outcome.undecided.map((path) => `, perhaps ${textOf(path)}`).join('')}`
    case 'behind_all':
    case 'wrong_qualifier':
      return `${outcome.reason}: ${textOf(outcome.path)}`
    case 'beyond_limit':
      return `${outcome.stop.kind}: ${textOf(outcome.stop.path)}`
    case 'broken':
      return `broken: ${textOf(outcome.stop.path)}`
    case 'several_records':
      return `several_records: ${outcome.foundIn.join(' ')} of ${outcome.count}`
    case 'unknown':
      return `unknown: ${outcome.paths.map(textOf).join(', ')}`
  }
}

type Row = readonly [txt: ZoneRecords, outcome: string, words?: RegExp]

function table(requirement: SpfRequirement, rows: readonly Row[]): void {
  for (const [txt, outcome, expected] of rows) {
    test(`${String(txt)} -> ${outcome}`, async () => {
      const found = await look(txt, requirement)
      assert.equal(shown(found.outcome), outcome)
      if (expected === undefined) return
      assert.match(found.words, expected)
      assert.match(found.words, /example\.test/, 'does not say where')
    })
  }
}

const TEN = 'a:quiet.test '.repeat(10)

describe('a required include', () => {
  table(INCLUDE, [
    ['v=spf1 include:_spf.mta.test ~all', 'effective: include:_spf.mta.test'],
    ['v=spf1 +INCLUDE:_SPF.mta.test.', 'effective: +INCLUDE:_SPF.mta.test.'],
    ['v=spf1 mx a include:quiet.test include:_spf.mta.test -all', 'effective: include:_spf.mta.test'],
    ['v=spf1 include:deeper.test -all', 'effective: include:deeper.test > include:nested.test > include:_spf.mta.test'],
    ['v=spf1 redirect=_spf.mta.test', 'effective: redirect=_spf.mta.test'],
    [
      'v=spf1 mx redirect=redirected.test',
      'effective: redirect=redirected.test > redirect=nested.test > include:_spf.mta.test',
    ],
    [
      'v=spf1 include:redirected.test ~all',
      'effective: include:redirected.test > redirect=nested.test > include:_spf.mta.test',
    ],
    [
      'v=spf1 ?include:_spf.mta.test include:_spf.mta.test -all',
      'wrong_qualifier: ?include:_spf.mta.test',
      /with the qualifier "\?" the mail does not pass.*Write include:_spf\.mta\.test instead/,
    ],
    ['v=spf1 include:_spf.mta.test -include:_spf.mta.test', 'effective: include:_spf.mta.test'],
    ['v=spf1 -include:quiet.test include:_spf.mta.test -all', 'effective: include:_spf.mta.test'],
    ['v=spf1 -include:negative.test include:_spf.mta.test', 'effective: include:_spf.mta.test'],
    ['v=spf1 exists:%{i}.x.test ptr include:_spf.mta.test', 'effective: include:_spf.mta.test'],

    ['v=spf1', 'missing', /does not contain include:_spf\.mta\.test\. Add it before "all"/],
    ['v=spf1 mx include:quiet.test -all', 'missing', /does not contain/],
    ['v=spf1 +all', 'missing', /does not contain/],
    ['v=spf1 include:open.test ~all', 'missing', /does not contain/],
    ['v=spf1 include:x_spf.mta.test.test a:_spf.mta.test ~all', 'missing', /does not contain/],
    [
      'v=spf1 include:%{ir}.x.test ptr -all',
      'missing, perhaps include:%{ir}.x.test, perhaps ptr',
      /The senders that include:%\{ir\}\.x\.test and ptr matches depend/,
    ],
    ['v=spf1 include:gone.test ~all', 'missing', /does not contain/],
    // Whatever comes after a policy that lets everyone pass is not evaluated, so that it does not matter what it says.
    ['v=spf1 include:nearlyopen.test include:slow.test', 'missing', /does not contain/],

    [
      'v=spf1 ~all include:_spf.mta.test',
      'behind_all: include:_spf.mta.test',
      /never reached: it comes after ~all\. Move it before ~all/,
    ],
    ['v=spf1 +all include:_spf.mta.test', 'behind_all: include:_spf.mta.test', /after \+all/],
    // The one in the domain's own record comes first: that one can be changed.
    ['v=spf1 include:shut.test ~all include:_spf.mta.test', 'behind_all: include:_spf.mta.test', /after ~all/],
    ['v=spf1 mx ?all redirect=_spf.mta.test', 'behind_all: redirect=_spf.mta.test', /after \?all/],
    ['v=spf1 include:open.test include:_spf.mta.test', 'behind_all: include:_spf.mta.test', /after include:open\.test/],
    [
      'v=spf1 include:shut.test -all',
      'behind_all: include:shut.test > include:_spf.mta.test',
      /Add include:_spf\.mta\.test to the record of example\.test/,
    ],

    ['v=spf1 -include:_spf.mta.test ~all', 'wrong_qualifier: -include:_spf.mta.test', /with the qualifier "-"/],
    ['v=spf1 ~include:_spf.mta.test ~all', 'wrong_qualifier: ~include:_spf.mta.test', /with the qualifier "~"/],
    [
      'v=spf1 ?include:nested.test ~all',
      'wrong_qualifier: ?include:nested.test',
      /Add include:_spf\.mta\.test before \?include:nested\.test/,
    ],
    [
      'v=spf1 include:negative.test ~all',
      'wrong_qualifier: include:negative.test > -include:_spf.mta.test',
      /in the record of negative\.test/,
    ],
    [
      'v=spf1 -include:nearlyopen.test include:_spf.mta.test',
      'wrong_qualifier: -include:nearlyopen.test',
      /Add include:_spf\.mta\.test before -include:nearlyopen\.test/,
    ],

    [
      `v=spf1 ${TEN}include:_spf.mta.test -all`,
      'too_many_lookups: include:_spf.mta.test',
      /: include:_spf\.mta\.test exceeds the limit of 10 DNS lookups/,
    ],
    [`v=spf1 ${'a:quiet.test '.repeat(7)}include:_spf.mta.test -all`, 'effective: include:_spf.mta.test'],
    [
      `v=spf1 ${'a:quiet.test '.repeat(8)}include:_spf.mta.test -all`,
      'too_many_lookups: include:_spf.mta.test > include:_b.mta.test',
      /: include:_b\.mta\.test \(in the record of _spf\.mta\.test\) exceeds the limit/,
    ],
    [`v=spf1 include:_spf.mta.test ${TEN}-all`, 'effective: include:_spf.mta.test'],
    // The lookups of an include that did not let mail pass stay spent.
    [
      `v=spf1 include:negative.test ${'a:quiet.test '.repeat(3)}include:_spf.mta.test`,
      'effective: include:_spf.mta.test',
    ],
    [
      `v=spf1 include:negative.test ${'a:quiet.test '.repeat(4)}include:_spf.mta.test`,
      'too_many_lookups: include:_spf.mta.test > include:_b.mta.test',
      /exceeds the limit of 10 DNS lookups/,
    ],
    [
      'v=spf1 a:x.test mx:y.test a:z.test include:_spf.mta.test',
      'too_many_void_lookups: a:z.test',
      /a:z\.test is the third void lookup/,
    ],
    ['v=spf1 a:x.test mx:y.test include:_spf.mta.test a:z.test', 'effective: include:_spf.mta.test'],

    ['v=spf1 include:gone.test include:_spf.mta.test', 'broken: include:gone.test'],
    ['v=spf1 ?include:quiet.test include:broken.test ~all', 'broken: include:broken.test'],
    ['v=spf1 include:twice.test ~all', 'broken: include:twice.test'],
    ['v=spf1 include:loop.test include:_spf.mta.test ~all', 'broken: include:loop.test > include:example.test'],
    ['v=spf1 a:circle.test include:_spf.mta.test', 'broken: a:circle.test'],
    ['v=spf1 mx:manymx.test include:_spf.mta.test', 'broken: mx:manymx.test'],
    ['v=spf1 include:a..test include:_spf.mta.test', 'broken: include:a..test'],
    ['v=spf1 include:_spf.mta.test ip4:1.2.3 -all', 'broken: '],
    ['v=spf1 include:_spf.mta.test include:gone.test -all', 'effective: include:_spf.mta.test'],

    [
      ['v=spf1 -all', 'v=spf1 include:_spf.mta.test -all'],
      'several_records: 1 of 2',
      /There are 2 SPF records.*is in one of them\. Merge/,
    ],
    [['v=spf1 -all', 'v=spf1 mx'], 'several_records:  of 2', /None of them contains/],
    [['verify=1'], 'no_policy', /has no SPF record\. Add one/],
    [TIMEOUT, 'unknown: ', /could not be determined.*no answer in time/],
    [
      'v=spf1 include:slow.test ~all',
      'unknown: include:slow.test',
      /could not be determined\. The DNS query for slow\.test failed.*Try again in a few minutes\.$/,
    ],
    [
      'v=spf1 a:slow.test ~all',
      'unknown: a:slow.test',
      /could not be determined\. a:slow\.test: DNS query failed: no answer in time\. Try again/,
    ],
    ['v=spf1 include:slow.test a:slow.test include:_spf.mta.test ~all', 'effective: include:_spf.mta.test'],
    ['v=spf1 include:slow.test ~all include:_spf.mta.test', 'behind_all: include:_spf.mta.test', /never reached/],
  ])

  test('a required include whose own policy is gone is broken, and unknown while DNS is silent', async () => {
    const record = 'v=spf1 include:_spf.mta.test -all'
    const gone = await look(record, INCLUDE, { '_spf.mta.test': {} })
    assert.equal(shown(gone.outcome), 'broken: include:_spf.mta.test')
    const silent = await look(record, INCLUDE, { '_spf.mta.test': { TXT: TIMEOUT } })
    assert.equal(shown(silent.outcome), 'unknown: include:_spf.mta.test')
    const inside = await look(record, INCLUDE, { '_b.mta.test': {} })
    assert.equal(shown(inside.outcome), 'broken: include:_spf.mta.test > include:_b.mta.test')
  })

  test('of many failed queries three are named', async () => {
    const names = ['s1.test', 's2.test', 's3.test', 's4.test']
    const more = Object.fromEntries(names.map((name) => [name, { TXT: TIMEOUT }] as const))
    const { words } = await look(`v=spf1 ${names.map((name) => `include:${name}`).join(' ')} -all`, INCLUDE, more)
    assert.deepEqual(words.match(/s\d\.test/g), ['s1.test', 's2.test', 's3.test'])
  })

  test('a required include that lets everyone pass is effective', async () => {
    const { outcome } = await look('v=spf1 include:_spf.mta.test -all', INCLUDE, {
      '_spf.mta.test': { TXT: 'v=spf1 +all' },
    })
    assert.equal(shown(outcome), 'effective: include:_spf.mta.test')
  })

  test('a name that no record could include is refused', async () => {
    await assert.rejects(look('v=spf1', { include: 'mta' }), { name: 'SpfSyntaxError' })
    await assert.rejects(look('v=spf1', { include: '%{d}.x.%{d}' }), TypeError)
    await assert.rejects(look('v=spf1', { ip4: '192.0.2' }), { name: 'SpfSyntaxError' })
  })
})

describe('a required network', () => {
  table({ ip4: '192.0.2.0/24' }, [
    ['v=spf1 ip4:192.0.2.0/24 -all', 'effective: ip4:192.0.2.0/24'],
    ['v=spf1 ip4:192.0.0.0/16 -all', 'effective: ip4:192.0.0.0/16'],
    ['v=spf1 ip4:192.0.2.128/25 ip4:192.0.2.0/25 -all', 'effective: ip4:192.0.2.128/25'],
    ['v=spf1 include:_spf.mta.test -all', 'effective: include:_spf.mta.test > include:_a.mta.test > ip4:192.0.2.0/24'],
    ['v=spf1 a/24 -all', 'effective: a/24'],
    ['v=spf1 ip4:192.0.2.0/25 -all', 'missing in part', /only some of the addresses of ip4:192\.0\.2\.0\/24 pass/],
    [
      'v=spf1 -ip4:192.0.2.7 ip4:192.0.2.0/24 -all',
      'wrong_qualifier: -ip4:192.0.2.7',
      /Add ip4:192\.0\.2\.0\/24 before -ip4:192\.0\.2\.7/,
    ],
    ['v=spf1 ~ip4:192.0.2.0/24 -all', 'wrong_qualifier: ~ip4:192.0.2.0/24', /Write ip4:192\.0\.2\.0\/24 instead/],
    ['v=spf1 -all ip4:192.0.2.0/24', 'behind_all: ip4:192.0.2.0/24', /never reached/],
    ['v=spf1 ip6:::/0 ip4:203.0.113.0/24 -all', 'missing', /does not contain/],
    ['v=spf1 +all', 'missing', /does not contain/],
    [
      `v=spf1 ${TEN}include:_spf.mta.test -all`,
      'too_many_lookups: include:_spf.mta.test',
      /exceeds the limit of 10 DNS lookups/,
    ],
    [
      `v=spf1 ${TEN}mx:quiet.test ip4:192.0.2.0/24`,
      'too_many_lookups: mx:quiet.test',
      /exceeds the limit of 10 DNS lookups/,
    ],
    ['v=spf1 include:gone.test ip4:192.0.2.0/24', 'broken: include:gone.test'],
  ])

  describe('of IPv6', () => {
    table({ ip6: '2001:db8::1' }, [
      ['v=spf1 ip6:2001:db8::/32 -all', 'effective: ip6:2001:db8::/32'],
      ['v=spf1 ip4:0.0.0.0/0 -all', 'missing', /does not contain/],
      // For a sender with IPv6 a host without an IPv6 address is a void lookup.
      ['v=spf1 a a a ip6:2001:db8::1 -all', 'too_many_void_lookups: a', /third void lookup/],
    ])
  })
})

describe('the outcome and the evaluation of another implementation', () => {
  test('a required address takes effect exactly if mail from it passes', async () => {
    const reasons = new Set<string>()
    const property = fc.asyncProperty(randomStaticZone, fc.constantFrom(...CLIENTS), async (zone, ip) => {
      const tree = await readSpfTree('example.test', openZone(zone).dns)
      const outcome = findRequired(tree, ip.includes(':') ? { ip6: ip } : { ip4: ip })
      const { result, comment } = await evaluate(zone, ip)
      assert.equal(outcome.isEffective, result === 'pass', `${shown(outcome)}, but ${result} ${comment}`)
      const reason = outcome.isEffective ? 'effective' : outcome.reason
      reasons.add(reason)
      if (reason === 'no_policy') assert.equal(result, 'none')
      if (['broken', 'beyond_limit', 'several_records'].includes(reason)) assert.equal(result, 'permerror')
    })
    const expected = [
      'effective',
      'missing',
      'behind_all',
      'wrong_qualifier',
      'beyond_limit',
      'broken',
      'several_records',
      'no_policy',
    ]
    const listUnseen = () => expected.filter((reason) => !reasons.has(reason))
    // The rarest of them is sometimes not among the first thousand.
    for (let round = 0; round < 10 && listUnseen().length > 0; round++) await fc.assert(property, { numRuns: 3000 })
    assert.deepEqual(listUnseen(), [])
  })

  test('a required include takes effect exactly if mail passes from an address that only it has', async () => {
    await fc.assert(
      fc.asyncProperty(randomStaticZone, async (random) => {
        const others = JSON.parse(JSON.stringify(random).replaceAll(/\/0(?!\d)/g, '/9')) as Zone
        const zone = { ...others, '_spf.one.test': { TXT: 'v=spf1 a:quiet.test ip4:100.64.0.1 -all' } }
        const tree = await readSpfTree('example.test', openZone(zone).dns)
        const outcome = findRequired(tree, { include: '_spf.one.test' })
        const { result, comment } = await evaluate(zone, '100.64.0.1')
        assert.equal(outcome.isEffective, result === 'pass', `${shown(outcome)}, but ${result} ${comment}`)
      }),
      { numRuns: 1000 },
    )
  })

  test('no zone makes it throw, and every outcome has a text', async () => {
    await fc.assert(
      fc.asyncProperty(randomZone, async (zone) => {
        const tree = await readSpfTree('example.test', openZone(zone).dns)
        for (const requirement of [{ include: 'one.test' }, { ip4: '192.0.2.0/24' }, { ip6: '2001:db8::1' }]) {
          const words = describeOutcome(tree, requirement, findRequired(tree, requirement))
          assert.match(words, /^(?:[\x20-\x7e]{20,})?$/)
          assert.doesNotMatch(words, /undefined/)
        }
      }),
      { numRuns: 300 },
    )
  })
})

test('senders that a policy refuses by an include of everyone are refused, also after a redirect', async () => {
  const more: Zone = { 'refusing.test': { TXT: 'v=spf1 -include:open.test include:_spf.mta.test -all' } }
  const direct = await look('v=spf1 -include:open.test include:_spf.mta.test -all', INCLUDE, more)
  assert.equal(shown(direct.outcome), 'wrong_qualifier: -include:open.test')
  const redirected = await look('v=spf1 redirect=refusing.test', INCLUDE, more)
  assert.equal(shown(redirected.outcome), 'wrong_qualifier: redirect=refusing.test > -include:open.test')
})

test('a policy that is unknown because of a limit of the check stays so; after any other failure it may not', async () => {
  for (const [failure, isLimited] of [
    ['query_limit', true],
    ['oversize', true],
    ['silent', false],
  ] as const) {
    const { dns } = openZone({ 'example.test': { TXT: 'v=spf1 include:unread.test -all' } })
    const tree = await readSpfTree('example.test', async (name, type) =>
      name === 'unread.test' ? { kind: 'unreachable', reason: 'no answer', failure } : dns(name, type),
    )
    const outcome = findRequired(tree, INCLUDE)
    assert.ok(!outcome.isEffective && outcome.reason === 'unknown')
    assert.equal(outcome.isLimited, isLimited, failure)
  }
})
