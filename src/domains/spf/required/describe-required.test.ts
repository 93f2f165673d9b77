import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openZone, TIMEOUT, type Zone } from '../fixtures/zone.fixture.ts'
import { readSpfTree } from '../tree/read-spf-tree.ts'
import { describeRequired } from './describe-required.ts'
import { findRequired } from './find-required.ts'
import { parseRequirement, type SpfRequirement } from './spf-requirement.ts'

const OURS: SpfRequirement = { include: '_spf.mta.test' }
const HOSTS: Zone = {
  '_spf.mta.test': { TXT: 'v=spf1 ip4:192.0.2.0/24 ~all' },
  'behind.test': { TXT: 'v=spf1 ?all include:_spf.mta.test' },
  'within.test': { TXT: 'v=spf1 -include:_spf.mta.test ?all' },
  'slow.test': { TXT: TIMEOUT, A: TIMEOUT, AAAA: TIMEOUT },
  'host.test': { A: '203.0.113.1' },
}

async function explain(own: string | readonly string[] | typeof TIMEOUT, requirement = OURS, more: Zone = {}) {
  const tree = await readSpfTree('example.test', openZone({ ...HOSTS, ...more, 'example.test': { TXT: own } }).dns)
  const outcome = findRequired(tree, requirement)
  assert.ok(!outcome.isEffective && outcome.reason !== 'broken', JSON.stringify(outcome.isEffective))
  return describeRequired(tree, requirement, outcome)
}

const TEN = Array.from({ length: 10 }, () => 'a:host.test').join(' ')

describe('a required mechanism without effect', () => {
  for (const [own, words] of [
    ['hello', /^example\.test has no SPF record\. Add one that contains include:_spf\.mta\.test\.$/],
    [
      'v=spf1 -all',
      /^The SPF policy of example\.test does not contain include:_spf\.mta\.test\. Add it before "all"\.$/,
    ],
    [
      'v=spf1 exists:%{i}.a.test ptr -all',
      /\(The senders that exists:%\{i\}\.a\.test and ptr matches depend on the message\.\)$/,
    ],
    [
      'v=spf1 -all include:_spf.mta.test',
      /include:_spf\.mta\.test is never reached: it comes after -all\. Move it before -all\.$/,
    ],
    [
      'v=spf1 include:behind.test -all',
      /include:_spf\.mta\.test \(in the record of behind\.test\) is never reached: it comes after \?all\. Add include:_spf\.mta\.test to the record of example\.test\.$/,
    ],
    ['v=spf1 ?Include:_spf.MTA.test -all', /with the qualifier "\?" .* Write include:_spf\.mta\.test instead\.$/],
    ['v=spf1 -include:within.test -all', /Add include:_spf\.mta\.test before -include:within\.test\.$/],
    [
      `v=spf1 ${TEN} include:_spf.mta.test -all`,
      /exceeds the limit of 10 DNS lookups\. Move include:_spf\.mta\.test to the front/,
    ],
    [
      'v=spf1 a:g1.test a:g2.test a:g3.test include:_spf.mta.test',
      /a:g3\.test is the third void lookup .* only 2 are allowed/,
    ],
    [
      ['v=spf1 -all', 'v=spf1 include:_spf.mta.test'],
      /^There are 2 SPF records .* include:_spf\.mta\.test is in one of them\. Merge/,
    ],
    [['v=spf1 -all', 'v=spf1 ~all'], /None of them contains include:_spf\.mta\.test\. Merge/],
    [
      TIMEOUT,
      /could not be determined\. The DNS query for example\.test failed: no answer in time\. Try again in a few minutes\.$/,
    ],
    [
      'v=spf1 include:slow.test -all',
      /could not be determined\. The DNS query for slow\.test failed: no answer in time\. Try again/,
    ],
  ] as const) {
    test(String(own).slice(0, 70), async () => assert.match(await explain(own), words))
  }

  test('a network of which only a part passes', async () => {
    const text = await explain('v=spf1 ip4:192.0.2.0/25 -all', { ip4: '192.0.2.0/24' })
    assert.match(
      text,
      /^The SPF policy of example\.test lets only some of the addresses of ip4:192\.0\.2\.0\/24 pass\./,
    )
  })

  test('a term whose addresses could not be read is named, with at most two others', async () => {
    const own = 'v=spf1 a:slow.test -all'
    assert.match(await explain(own, { ip4: '192.0.2.1' }), /determined\. a:slow\.test: .*no answer in time\. Try again/)
    const names = [1, 2, 3, 4].map((index) => `slow${index}.test`)
    const more: Zone = Object.fromEntries(names.map((name) => [name, { TXT: TIMEOUT }]))
    const text = await explain(`v=spf1 ${names.map((name) => `include:${name}`).join(' ')} -all`, OURS, more)
    assert.deepEqual([text.includes('slow3.test'), text.includes('slow4.test')], [true, false])
  })
})

test('a requirement is a static name in any letter case, or a network', () => {
  const senders = parseRequirement({ include: '_SPF.Mta.Test' })
  assert.equal(senders.kind === 'include' && senders.name, '_spf.mta.test')
  assert.equal(parseRequirement({ ip4: '192.0.2.0/24' }).kind, 'network')
  assert.throws(() => parseRequirement({ include: '_spf.%{d}' }), /cannot be a required mechanism/)
})

test('a policy that another one leads to by a redirect refuses as if it were the own one', async () => {
  const zone: Zone = {
    'example.test': { TXT: 'v=spf1 redirect=other.test' },
    'other.test': { TXT: 'v=spf1 -ip4:192.0.2.1 ?all' },
  }
  const outcome = findRequired(await readSpfTree('example.test', openZone(zone).dns), { ip4: '192.0.2.1' })
  assert.ok(!outcome.isEffective && outcome.reason === 'wrong_qualifier')
  assert.deepEqual([outcome.qualifier, outcome.path.length], ['-', 2])
})
