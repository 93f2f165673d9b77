import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openZone, type Zone } from '../../spf/fixtures/zone.fixture.ts'
import { readSpfTree } from '../../spf/tree/read-spf-tree.ts'
import { listLimits, listSpfWarnings } from './spf-warnings.ts'

const OTHERS: Zone = {
  'quiet.test': { TXT: 'v=spf1 ip4:192.0.2.1 -all', A: '192.0.2.1', AAAA: '2001:db8::1' },
  'old.test': { A: '192.0.2.1' },
}

function treeOf(record: string, more: Zone = {}) {
  const zone = { ...OTHERS, ...more, 'a.test': { TXT: record, A: '192.0.2.2', AAAA: '2001:db8::2' } }
  return readSpfTree('a.test', openZone(zone).dns)
}

async function warningsOf(record: string, more?: Zone): Promise<readonly string[]> {
  return listSpfWarnings(await treeOf(record, more))
}

describe('how a record ends', () => {
  for (const record of [
    'v=spf1 a -all',
    'v=spf1 a ~all',
    'v=spf1 redirect=quiet.test',
    'v=spf1 a redirect=quiet.test',
  ]) {
    test(`${record}: nothing to say`, async () => assert.deepEqual(await warningsOf(record), []))
  }

  for (const [record, expected] of [
    ['v=spf1 a', /^The SPF record of a\.test has no "all" at its end/],
    ['v=spf1', /has no "all" at its end/],
    ['v=spf1 a +all', /ends in "\+all", which lets anyone send/],
    ['v=spf1 a all', /ends in "all", which lets anyone send/],
    ['v=spf1 a ?all', /ends in "\?all", which says nothing/],
  ] as const) {
    test(`${record}: one warning`, async () => {
      const warnings = await warningsOf(record)
      assert.equal(warnings.length, 1, warnings.join('\n'))
      assert.match(warnings[0] ?? '', expected)
    })
  }
})

test('terms after "all" and ptr are named, others are not', async () => {
  assert.deepEqual(await warningsOf('v=spf1 a ptr -all'), [
    'The SPF record of a.test uses ptr, which is slow and should not be used.',
  ])
  assert.deepEqual(await warningsOf('v=spf1 ip4:192.0.2.1 -all a'), [
    'In the SPF record of a.test, a has no effect: it comes after -all.',
  ])
})

test('up to three problems of policies below are listed, the others counted', async () => {
  const including = (count: number) =>
    warningsOf(`v=spf1 ${Array.from({ length: count }, (_, index) => `include:gone${index}.test`).join(' ')} -all`)
  const listed = (await including(3)).filter((text) => text.startsWith('In the SPF policy of a.test: gone'))
  assert.equal(listed.length, 3)
  assert.match(listed[0] ?? '', /gone0\.test does not exist/)
  assert.ok(!(await including(3)).some((text) => text.includes('more such problems')))
  const more = await including(5)
  assert.equal(more.filter((text) => text.startsWith('In the SPF policy of a.test: gone')).length, 3)
  assert.equal(more.at(-1), 'There are 2 more such problems.')
})

describe('the limits of RFC 7208 section 4.6.4', () => {
  const limitsOf = async (record: string) => listLimits(await treeOf(record)).map(({ diagnosis }) => diagnosis)

  test('ten lookups are allowed, not eleven', async () => {
    assert.deepEqual(await limitsOf(`v=spf1 ${'a:quiet.test '.repeat(10)}-all`), [])
    assert.deepEqual(await limitsOf(`v=spf1 ${'a:quiet.test '.repeat(11)}-all`), ['spf_lookups'])
  })

  test('two void lookups are allowed, not three, for senders of either family', async () => {
    assert.deepEqual(await limitsOf('v=spf1 a:x.test a:y.test -all'), [])
    assert.deepEqual(await limitsOf('v=spf1 a:x.test a:y.test a:z.test -all'), ['spf_void_lookups'])
    // No IPv6 address: void only for senders with one.
    assert.deepEqual(await limitsOf('v=spf1 a:x.test a:y.test a:old.test -all'), ['spf_void_lookups'])
  })
})
