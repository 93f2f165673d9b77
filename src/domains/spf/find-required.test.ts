import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { checkHost } from './check-host.ts'
import { describeRequired } from './describe-required.ts'
import { findRequired, type RequiredOutcome } from './find-required.ts'
import { readIpAddress } from './ip-address.ts'
import { randomStaticZone, randomZone } from './random-zone.fixture.ts'
import type { TermPath } from './required-walk.ts'
import type { SpfRequirement } from './spf-requirement.ts'
import { readSpfTree } from './spf-tree.ts'
import { ALIAS_LOOP, openZone, TIMEOUT, type Zone, type ZoneRecords } from './zone.fixture.ts'

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
  return { tree, outcome, words: describeRequired(tree, requirement, outcome) }
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

type Row = readonly [txt: ZoneRecords, outcome: string, words: RegExp]

function table(requirement: SpfRequirement, rows: readonly Row[]): void {
  for (const [txt, outcome, expected] of rows) {
    test(`${String(txt)} -> ${outcome}`, async () => {
      const found = await look(txt, requirement)
      assert.equal(shown(found.outcome), outcome)
      assert.match(found.words, expected)
      assert.match(found.words, /example\.test/, 'does not say where')
    })
  }
}

const TEN = 'a:quiet.test '.repeat(10)

describe('a required include', () => {
  table(INCLUDE, [
    ['v=spf1 include:_spf.mta.test ~all', 'effective: include:_spf.mta.test', /takes effect/],
    ['v=spf1 +INCLUDE:_SPF.mta.test.', 'effective: +INCLUDE:_SPF.mta.test.', /takes effect/],
    ['v=spf1 mx a include:quiet.test include:_spf.mta.test -all', 'effective: include:_spf.mta.test', /takes effect/],
    [
      'v=spf1 include:deeper.test -all',
      'effective: include:deeper.test > include:nested.test > include:_spf.mta.test',
      /through include:deeper\.test and include:nested\.test/,
    ],
    ['v=spf1 redirect=_spf.mta.test', 'effective: redirect=_spf.mta.test', /takes effect/],
    [
      'v=spf1 mx redirect=redirected.test',
      'effective: redirect=redirected.test > redirect=nested.test > include:_spf.mta.test',
      /takes effect/,
    ],
    [
      'v=spf1 include:redirected.test ~all',
      'effective: include:redirected.test > redirect=nested.test > include:_spf.mta.test',
      /takes effect/,
    ],
    [
      'v=spf1 ?include:_spf.mta.test include:_spf.mta.test -all',
      'wrong_qualifier: ?include:_spf.mta.test',
      /with "\?" in front.*Write include:_spf\.mta\.test instead/,
    ],
    ['v=spf1 include:_spf.mta.test -include:_spf.mta.test', 'effective: include:_spf.mta.test', /takes effect/],
    ['v=spf1 -include:quiet.test include:_spf.mta.test -all', 'effective: include:_spf.mta.test', /takes effect/],
    ['v=spf1 -include:negative.test include:_spf.mta.test', 'effective: include:_spf.mta.test', /takes effect/],
    ['v=spf1 exists:%{i}.x.test ptr include:_spf.mta.test', 'effective: include:_spf.mta.test', /takes effect/],

    ['v=spf1', 'missing', /does not hold include:_spf\.mta\.test\. Add it before "all"/],
    ['v=spf1 mx include:quiet.test -all', 'missing', /does not hold/],
    ['v=spf1 +all', 'missing', /does not hold/],
    ['v=spf1 include:open.test ~all', 'missing', /does not hold/],
    ['v=spf1 include:x_spf.mta.test.test a:_spf.mta.test ~all', 'missing', /does not hold/],
    [
      'v=spf1 include:%{ir}.x.test ptr -all',
      'missing, perhaps include:%{ir}.x.test, perhaps ptr',
      /Whom include:%\{ir\}\.x\.test and ptr matches depends/,
    ],
    ['v=spf1 include:gone.test ~all', 'missing', /does not hold/],

    [
      'v=spf1 ~all include:_spf.mta.test',
      'behind_all: include:_spf.mta.test',
      /never reached: it stands behind ~all\. Move it/,
    ],
    ['v=spf1 +all include:_spf.mta.test', 'behind_all: include:_spf.mta.test', /behind \+all/],
    // The one in the domain's own record comes first: that one can be changed.
    ['v=spf1 include:shut.test ~all include:_spf.mta.test', 'behind_all: include:_spf.mta.test', /behind ~all/],
    ['v=spf1 mx ?all redirect=_spf.mta.test', 'behind_all: redirect=_spf.mta.test', /behind \?all/],
    [
      'v=spf1 include:open.test include:_spf.mta.test',
      'behind_all: include:_spf.mta.test',
      /behind include:open\.test/,
    ],
    [
      'v=spf1 include:shut.test -all',
      'behind_all: include:shut.test > include:_spf.mta.test',
      /Add include:_spf\.mta\.test to the record of example\.test/,
    ],

    ['v=spf1 -include:_spf.mta.test ~all', 'wrong_qualifier: -include:_spf.mta.test', /with "-" in front/],
    ['v=spf1 ~include:_spf.mta.test ~all', 'wrong_qualifier: ~include:_spf.mta.test', /with "~" in front/],
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
      /for include:_spf\.mta\.test one more lookup is needed than the 10/,
    ],
    [
      `v=spf1 ${'a:quiet.test '.repeat(7)}include:_spf.mta.test -all`,
      'effective: include:_spf.mta.test',
      /takes effect/,
    ],
    [
      `v=spf1 ${'a:quiet.test '.repeat(8)}include:_spf.mta.test -all`,
      'too_many_lookups: include:_spf.mta.test > include:_b.mta.test',
      /for include:_b\.mta\.test \(in the record of _spf\.mta\.test\) one more lookup/,
    ],
    [`v=spf1 include:_spf.mta.test ${TEN}-all`, 'effective: include:_spf.mta.test', /takes effect/],
    [
      'v=spf1 a:x.test mx:y.test a:z.test include:_spf.mta.test',
      'too_many_void_lookups: a:z.test',
      /a:z\.test is the third name/,
    ],
    ['v=spf1 a:x.test mx:y.test include:_spf.mta.test a:z.test', 'effective: include:_spf.mta.test', /takes effect/],

    [
      'v=spf1 include:gone.test include:_spf.mta.test',
      'broken: include:gone.test',
      /give up.*gone\.test does not exist/,
    ],
    [
      'v=spf1 ?include:quiet.test include:broken.test ~all',
      'broken: include:broken.test',
      /In the SPF record of broken\.test, "moo" at character 30/,
    ],
    ['v=spf1 include:twice.test ~all', 'broken: include:twice.test', /twice\.test has 2 SPF records/],
    [
      'v=spf1 include:loop.test include:_spf.mta.test ~all',
      'broken: include:loop.test > include:example.test',
      /a loop/,
    ],
    ['v=spf1 a:circle.test include:_spf.mta.test', 'broken: a:circle.test', /leads in a circle/],
    ['v=spf1 mx:manymx.test include:_spf.mta.test', 'broken: mx:manymx.test', /11 mail exchangers/],
    ['v=spf1 include:a..test include:_spf.mta.test', 'broken: include:a..test', /no name that DNS can be asked for/],
    [
      'v=spf1 include:_spf.mta.test ip4:1.2.3 -all',
      'broken: ',
      /In the SPF record of example\.test, .*"1\.2\.3" at character 34/,
    ],
    ['v=spf1 include:_spf.mta.test include:gone.test -all', 'effective: include:_spf.mta.test', /takes effect/],

    [
      ['v=spf1 -all', 'v=spf1 include:_spf.mta.test -all'],
      'several_records: 1 of 2',
      /There are 2 SPF records.*is in one of them\. Merge/,
    ],
    [['v=spf1 -all', 'v=spf1 mx'], 'several_records:  of 2', /None of them holds/],
    [['verify=1'], 'no_policy', /has no SPF record\. Add one/],
    [TIMEOUT, 'unknown: ', /could not be found out.*no answer in time/],
    [
      'v=spf1 include:slow.test ~all',
      'unknown: include:slow.test',
      /could not be found out: DNS could not be asked for slow\.test/,
    ],
    [
      'v=spf1 include:slow.test a:slow.test include:_spf.mta.test ~all',
      'effective: include:_spf.mta.test',
      /takes effect/,
    ],
    ['v=spf1 include:slow.test ~all include:_spf.mta.test', 'behind_all: include:_spf.mta.test', /never reached/],
  ])

  test('a required include whose own policy is gone is broken, and unknown while DNS is silent', async () => {
    const record = 'v=spf1 include:_spf.mta.test -all'
    const gone = await look(record, INCLUDE, { '_spf.mta.test': {} })
    assert.equal(shown(gone.outcome), 'broken: include:_spf.mta.test')
    assert.match(gone.words, /_spf\.mta\.test has no SPF record\. That is for its operator to correct/)
    const silent = await look(record, INCLUDE, { '_spf.mta.test': { TXT: TIMEOUT } })
    assert.equal(shown(silent.outcome), 'unknown: include:_spf.mta.test')
    const inside = await look(record, INCLUDE, { '_b.mta.test': {} })
    assert.equal(shown(inside.outcome), 'broken: include:_spf.mta.test > include:_b.mta.test')
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
    ['v=spf1 ip4:192.0.2.0/24 -all', 'effective: ip4:192.0.2.0/24', /takes effect/],
    ['v=spf1 ip4:192.0.0.0/16 -all', 'effective: ip4:192.0.0.0/16', /takes effect/],
    ['v=spf1 ip4:192.0.2.128/25 ip4:192.0.2.0/25 -all', 'effective: ip4:192.0.2.128/25', /takes effect/],
    [
      'v=spf1 include:_spf.mta.test -all',
      'effective: include:_spf.mta.test > include:_a.mta.test > ip4:192.0.2.0/24',
      /through/,
    ],
    ['v=spf1 a/24 -all', 'effective: a/24', /takes effect/],
    ['v=spf1 ip4:192.0.2.0/25 -all', 'missing in part', /only some addresses of ip4:192\.0\.2\.0\/24 pass/],
    [
      'v=spf1 -ip4:192.0.2.7 ip4:192.0.2.0/24 -all',
      'wrong_qualifier: -ip4:192.0.2.7',
      /Add ip4:192\.0\.2\.0\/24 before -ip4:192\.0\.2\.7/,
    ],
    ['v=spf1 ~ip4:192.0.2.0/24 -all', 'wrong_qualifier: ~ip4:192.0.2.0/24', /Write ip4:192\.0\.2\.0\/24 instead/],
    ['v=spf1 -all ip4:192.0.2.0/24', 'behind_all: ip4:192.0.2.0/24', /never reached/],
    ['v=spf1 ip6:::/0 ip4:203.0.113.0/24 -all', 'missing', /does not hold/],
    ['v=spf1 +all', 'missing', /does not hold/],
    [`v=spf1 ${TEN}include:_spf.mta.test -all`, 'too_many_lookups: include:_spf.mta.test', /one more lookup/],
    [`v=spf1 ${TEN}mx:quiet.test ip4:192.0.2.0/24`, 'too_many_lookups: mx:quiet.test', /one more lookup/],
    ['v=spf1 include:gone.test ip4:192.0.2.0/24', 'broken: include:gone.test', /gone\.test does not exist/],
  ])

  describe('of IPv6', () => {
    table({ ip6: '2001:db8::1' }, [
      ['v=spf1 ip6:2001:db8::/32 -all', 'effective: ip6:2001:db8::/32', /takes effect/],
      ['v=spf1 ip4:0.0.0.0/0 -all', 'missing', /does not hold/],
      // For a sender with IPv6 a host without an IPv6 address is a void lookup.
      ['v=spf1 a a a ip6:2001:db8::1 -all', 'too_many_void_lookups: a', /third name/],
    ])
  })
})

describe('the outcome and the evaluation', () => {
  test('a required address takes effect exactly when mail from it passes', async () => {
    const reasons = new Set<string>()
    const client = fc.constantFrom('192.0.2.1', '192.0.2.77', '198.51.100.3', '2001:db8::1', '2001:db8:0:1::ff')
    const property = fc.asyncProperty(randomStaticZone, client, async (zone, text) => {
      const { dns } = openZone(zone)
      const ip = readIpAddress(text)
      assert.ok(ip)
      const tree = await readSpfTree('example.test', dns)
      const requirement = ip.family === 4 ? { ip4: text } : { ip6: text }
      const outcome = findRequired(tree, requirement)
      const question = { ip, domain: 'example.test', sender: 'user@example.test', helo: 'helo.test', timeMs: 0 }
      const { result } = await checkHost(question, dns)
      assert.equal(outcome.isEffective, result === 'pass', `${shown(outcome)}, but ${result}`)
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
    for (let round = 0; round < 10 && listUnseen().length > 0; round++) await fc.assert(property, { numRuns: 1000 })
    assert.deepEqual(listUnseen(), [])
  })

  test('a required include takes effect exactly when mail passes from an address that only it holds', async () => {
    const ip = readIpAddress('100.64.0.1')
    assert.ok(ip)
    await fc.assert(
      fc.asyncProperty(randomStaticZone, async (random) => {
        const zone = JSON.parse(JSON.stringify(random).replaceAll(/\/0(?!\d)/g, '/9')) as Zone
        const { dns } = openZone({ ...zone, '_spf.one.test': { TXT: 'v=spf1 a:quiet.test ip4:100.64.0.1 -all' } })
        const outcome = findRequired(await readSpfTree('example.test', dns), { include: '_spf.one.test' })
        const question = { ip, domain: 'example.test', sender: 'user@example.test', helo: 'helo.test', timeMs: 0 }
        const { result } = await checkHost(question, dns)
        assert.equal(outcome.isEffective, result === 'pass', `${shown(outcome)}, but ${result}`)
      }),
      { numRuns: 1000 },
    )
  })

  test('no zone makes it throw, and there are words for every outcome', async () => {
    await fc.assert(
      fc.asyncProperty(randomZone, async (zone) => {
        const tree = await readSpfTree('example.test', openZone(zone).dns)
        for (const requirement of [{ include: 'one.test' }, { ip4: '192.0.2.0/24' }, { ip6: '2001:db8::1' }]) {
          const words = describeRequired(tree, requirement, findRequired(tree, requirement))
          assert.match(words, /^[\x20-\x7e]{20,}$/)
          assert.doesNotMatch(words, /undefined/)
        }
      }),
      { numRuns: 300 },
    )
  })
})
