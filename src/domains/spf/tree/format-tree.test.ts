import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { codePoint } from '../../../../test/harness/code-point.ts'
import { randomZone } from '../fixtures/random-zone.fixture.ts'
import { openZone, TIMEOUT, type Zone } from '../fixtures/zone.fixture.ts'
import { formatTree } from './format-tree.ts'
import { readSpfTree } from './read-spf-tree.ts'

async function lines(zone: Zone): Promise<readonly string[]> {
  return formatTree(await readSpfTree('example.test', openZone(zone).dns))
}

describe('SPF tree as text', () => {
  test('branches, numbers of lookups and totals', async () => {
    const shown = await lines({
      'example.test': {
        TXT: 'v=spf1 mx include:one.test include:%{i}.x.test a:gone.test ~all ip4:192.0.2.1',
        MX: '10 mx.test',
      },
      'mx.test': { A: '192.0.2.1' },
      'one.test': { TXT: 'v=spf1 include:two.test include:three.test -all' },
      'two.test': {
        TXT: `v=spf1 ${Array.from({ length: 9 }, (_, index) => `ip4:192.0.2.${index}`).join(' ')} -ip4:203.0.113.0/24`,
      },
      'three.test': { TXT: 'v=spf1 ip4:192.0.2.1 ip6:::1 redirect=two.test ?all' },
    })
    assert.deepEqual(shown, [
      'example.test',
      '├─ mx  (1)',
      '├─ include:one.test  (2)',
      '│  ├─ include:two.test  (3)',
      '│  │  ├─ ip4:192.0.2.0 and 8 more networks',
      '│  │  └─ -ip4:203.0.113.0/24',
      '│  ├─ include:three.test  (4)',
      '│  │  ├─ ip4:192.0.2.1',
      '│  │  ├─ ip6:::1',
      '│  │  ├─ redirect=two.test  ! ignored because of ?all',
      '│  │  └─ ?all',
      '│  └─ -all',
      '├─ include:%{i}.x.test  (5)  ! depends on the message (%{i})',
      '├─ a:gone.test  (6)  ! void lookup: no records found',
      '├─ ~all',
      '└─ ip4:192.0.2.1  ! never reached: comes after ~all',
      'at least 6 of 10 lookups, 1 of 2 void lookups',
    ])
  })

  test('problems are shown where they occur', async () => {
    const shown = await lines({
      'example.test': {
        TXT: 'v=spf1 include:gone.test include:two.test include:bad.test include:slow.test include:example.test -all',
      },
      'two.test': { TXT: ['v=spf1 -all', 'v=spf1 mx'] },
      'bad.test': { TXT: 'v=spf1 mx moo' },
      'slow.test': { TXT: TIMEOUT },
    })
    assert.deepEqual(shown, [
      'example.test',
      '├─ include:gone.test  (1)  ! gone.test does not exist.',
      '├─ include:two.test  (2)  ! two.test has 2 SPF records, but only one is allowed.',
      '│  ├─ v=spf1 -all',
      '│  └─ v=spf1 mx',
      '├─ include:bad.test  (3)  ! In the SPF record of bad.test, "moo" at character 11 is not an SPF mechanism.',
      '│  └─ mx',
      '├─ include:slow.test  (4)  ! The DNS query for slow.test failed: no answer in time.',
      '├─ include:example.test  (5)  ! The policy of example.test leads back to itself: a loop.',
      '└─ -all',
      'at least 5 of 10 lookups, 1 of 2 void lookups',
    ])
  })

  test('void lookups for senders with IPv6 only are marked', async () => {
    const shown = await lines({ 'example.test': { TXT: 'v=spf1 a -all', A: '192.0.2.1' } })
    assert.equal(shown.at(-1), '1 of 10 lookups, 0 of 2 void lookups (1 for senders with IPv6)')
  })

  test('a domain without a policy is one line', async () => {
    assert.deepEqual(await lines({}), ['example.test  ! example.test does not exist.'])
    assert.deepEqual(await lines({ 'example.test': { TXT: 'x' } }), ['example.test  ! example.test has no SPF record.'])
  })

  test('no published text reaches the terminal as a control character', async () => {
    const shown = await lines({ 'example.test': { TXT: ['v=spf1 \u001b[2Jx -all', 'v=spf1 \u009b31m\u202e'] } })
    assert.equal(shown[1], '├─ v=spf1 \\u{1b}[2Jx -all')
    const control = fc.string({ unit: codePoint, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(randomZone, control, async (zone, text) => {
        const more = { ...zone, 'one.test': { TXT: [`v=spf1 ${text}`] }, 'two.test': { TXT: [text, `v=spf1 ${text}`] } }
        for (const line of await lines(more)) assert.match(line, /^[\x20-\x7e│├└─]*$/)
      }),
      { numRuns: 200 },
    )
  })
})

test('more than four networks in a row are one line, unless they are never reached', async () => {
  const networks = (count: number) => Array.from({ length: count }, (_, index) => `ip4:192.0.2.${index}`).join(' ')
  const shown = (text: string) => lines({ 'example.test': { TXT: text } })
  assert.equal((await shown(`v=spf1 ${networks(4)} -all`)).length, 7)
  assert.equal((await shown(`v=spf1 ${networks(5)} -all`)).length, 4)
  const behind = await shown(`v=spf1 -all ${networks(5)}`)
  assert.equal(behind.length, 8)
  assert.match(behind[2] ?? '', /never reached/)
})

test('what the last term leads to is indented without a line beside it', async () => {
  const zone: Zone = { 'example.test': { TXT: 'v=spf1 redirect=a.test' }, 'a.test': { TXT: 'v=spf1 mx -all' } }
  assert.deepEqual((await lines(zone)).slice(1, 4), [
    '└─ redirect=a.test  (1)',
    '   ├─ mx  (2)  ! void lookup: no records found',
    '   └─ -all',
  ])
})

test('of a policy with many errors, three are described', async () => {
  const shown = await lines({ 'example.test': { TXT: 'v=spf1 x1 x2 x3 x4' } })
  assert.deepEqual([shown[0]?.includes('"x3"'), shown[0]?.includes('"x4"')], [true, false])
})
