import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ALIAS_LOOP, openZone, type Zone } from '../../spf/fixtures/zone.fixture.ts'
import { findRequired } from '../../spf/required/find-required.ts'
import { readSpfTree } from '../../spf/tree/read-spf-tree.ts'
import { describeBroken, describeOperatorFault } from './spf-words.ts'

const OURS: Zone = { '_spf.mta.test': { TXT: 'v=spf1 ip4:192.0.2.0/24 ~all' } }
const OTHERS: Zone = {
  'broken.test': { TXT: 'v=spf1 include:_spf.mta.test moo -all' },
  'twice.test': { TXT: ['v=spf1 include:_spf.mta.test -all', 'v=spf1 -all'] },
  'loop.test': { TXT: 'v=spf1 include:example.test' },
  'circle.test': { TXT: ALIAS_LOOP, A: ALIAS_LOOP },
  'manymx.test': { MX: Array.from({ length: 11 }, (_, index) => `10 m${index}.test`) },
}

async function findBroken(terms: string, ours: Zone = OURS) {
  const zone = { ...ours, ...OTHERS, 'example.test': { TXT: `v=spf1 ${terms}` } }
  const tree = await readSpfTree('example.test', openZone(zone).dns)
  const outcome = findRequired(tree, { include: '_spf.mta.test' })
  assert.ok(!outcome.isEffective && outcome.reason === 'broken', JSON.stringify(outcome.isEffective))
  return { tree, path: outcome.stop.path }
}

describe('a policy that makes receivers stop', () => {
  for (const [terms, diagnosis, text] of [
    [
      'include:gone.test include:_spf.mta.test',
      'spf_broken',
      /because of include:gone\.test: gone\.test does not exist/,
    ],
    [
      'include:broken.test ~all',
      'spf_broken',
      /In the SPF record of broken\.test, "moo" at character 30 is not an SPF/,
    ],
    ['include:twice.test ~all', 'spf_broken', /twice\.test has 2 SPF records, but only one is allowed/],
    ['include:loop.test include:_spf.mta.test', 'spf_loop', /includes itself \(include:loop\.test -> include:example/],
    ['a:circle.test include:_spf.mta.test', 'spf_broken', /because of a:circle\.test: cannot be resolved/],
    ['mx:manymx.test include:_spf.mta.test', 'spf_broken', /11 mail exchangers, but receivers check only 10/],
    ['include:a..test include:_spf.mta.test', 'spf_broken', /a\.\.test is not a valid DNS name/],
    ['include:_spf.mta.test ip4:1.2.3 -all', 'spf_broken', /has a syntax error.*"1\.2\.3" at character 34/],
  ] as const) {
    test(`${terms}: ${diagnosis}, with the reason and the domain`, async () => {
      const { tree, path } = await findBroken(terms)
      const problem = describeBroken(tree, 'include:_spf.mta.test', path)
      assert.equal(problem.diagnosis, diagnosis)
      assert.match(problem.text, text)
      assert.match(problem.text, /example\.test/)
    })
  }

  test('a required policy that is itself broken is for its operator to fix', async () => {
    const { tree, path } = await findBroken('include:_spf.mta.test -all', { '_spf.mta.test': {} })
    const { diagnosis, text } = describeOperatorFault(tree, path)
    assert.equal(diagnosis, 'operator_spf')
    assert.match(text, /_spf\.mta\.test has no SPF record\. The operator of this service must fix this/)
  })
})
