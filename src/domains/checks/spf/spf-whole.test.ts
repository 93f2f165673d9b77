import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ALIAS_LOOP, openZone, TIMEOUT, type Zone, type ZoneRecords } from '../../spf/fixtures/zone.fixture.ts'
import { readSpfTree } from '../../spf/tree/read-spf-tree.ts'
import type { SpfDnsAnswer } from '../../spf/tree/spf-dns.ts'
import { judgeWhole } from './spf-whole.ts'

const OTHERS: Zone = { 'broken.test': { TXT: 'v=spf1 moo -all' }, 'a.test': { TXT: 'v=spf1 ip4:192.0.2.1 -all' } }

async function judge(own: ZoneRecords | undefined) {
  const zone: Zone = own === undefined ? OTHERS : { ...OTHERS, 'example.test': { TXT: own } }
  return judgeWhole(await readSpfTree('example.test', openZone(zone).dns))
}

describe('a policy of which no mechanism is required', () => {
  test('is right if receivers can evaluate it', async () => {
    assert.deepEqual(await judge('v=spf1 include:a.test -all'), { isUnknown: false })
  })

  for (const [what, own, diagnosis, words] of [
    ['nothing', undefined, 'no_spf', /^example\.test has no SPF record\.$/],
    ['another record', 'hello', 'no_spf', /^example\.test has no SPF record\.$/],
    ['two policies', ['v=spf1 -all', 'v=spf1 ~all'], 'several_spf', /^There are 2 SPF records/],
    ['an alias loop', ALIAS_LOOP, 'alias_loop', /x\.test is an alias of itself/],
    ['one error', 'v=spf1 moo -all', 'spf_broken', /"moo" .* Correct or remove this term\.$/],
    ['two errors', 'v=spf1 moo quack -all', 'spf_broken', /"quack" .* Correct or remove these terms\.$/],
    ['a missing space', 'v=spf1 ip4:192.0.2.1-all', 'spf_joined', /a space is missing/],
    ['a missing space in a valid name', 'v=spf1 include:a.testinclude:a.test -all', 'spf_joined', /a space is missing/],
    ['a broken include', 'v=spf1 include:broken.test -all', 'spf_broken', /before they reach its end/],
  ] as const) {
    test(`is wrong with ${what}`, async () => {
      const { problem, isUnknown } = await judge(own)
      assert.equal(problem?.diagnosis, diagnosis)
      assert.match(problem.text, words)
      assert.equal(isUnknown, false)
    })
  }

  test('of which more than three terms are wrong shows three of them', async () => {
    const text = async (own: string) => (await judge(own)).problem?.text ?? ''
    const broken = await text('v=spf1 x1 x2 x3 x4 -all')
    assert.deepEqual([broken.includes('"x3"'), broken.includes('"x4"')], [true, false])
    const joined = await text(
      'v=spf1 ip4:192.0.2.1mx: ip4:192.0.2.2-all ip4:192.0.2.3-all ip4:192.0.2.4-all ip4:192.0.2.5-all',
    )
    assert.deepEqual([joined.includes('192.0.2.4'), joined.includes('192.0.2.5')], [true, false])
  })

  test('is unknown if it could not be read, now or at any time', async () => {
    const now = await judge(TIMEOUT)
    assert.deepEqual([now.problem?.diagnosis, now.isUnknown], ['no_answer', true])
    assert.match(now.problem?.text ?? '', /no answer in time/)
    const answer: SpfDnsAnswer = { kind: 'unreachable', failure: 'oversize', reason: 'too large' }
    const always = judgeWhole(await readSpfTree('example.test', async () => answer))
    assert.deepEqual([always.problem?.diagnosis, always.isUnknown], ['check_limit', true])
  })
})
