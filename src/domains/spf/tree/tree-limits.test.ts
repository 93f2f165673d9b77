/** Where a tree ends, and that it says so. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsFailure } from '../../dns-resolver.ts'
import { ALIAS_LOOP, openZone, TIMEOUT, type Zone } from '../fixtures/zone.fixture.ts'
import { selectPolicy } from './policy.ts'
import { readSpfTree } from './read-spf-tree.ts'
import { isOverLimit } from './spf-tree.ts'

const HOST: Zone = { 'h.test': { A: '192.0.2.1', AAAA: '2001:db8::1' }, 'one.test': { TXT: 'v=spf1 ?all' } }

function times(count: number, term: string): string {
  return Array.from({ length: count }, () => term).join(' ')
}

/** The last term of the policy, and whether the tree is complete. */
async function lastOf(terms: string, zone: Zone = HOST) {
  const { root, isComplete } = await readSpfTree(
    'example.test',
    openZone({ ...zone, 'example.test': { TXT: `v=spf1 ${terms}` } }).dns,
  )
  const last = root.terms.at(-1)
  assert.ok(last)
  return { last, isComplete }
}

test('a hundred lookups are followed, and no more', async () => {
  for (const term of ['a:h.test', 'exists:none.test']) {
    const { last, isComplete } = await lastOf(times(100, term))
    assert.deepEqual([last.lookup, last.problem, isComplete], [100, undefined, true], term)
    const more = await lastOf(times(101, term))
    assert.deepEqual(
      [more.last.lookup, more.last.problem, more.isComplete],
      [101, { kind: 'not_followed' }, false],
      term,
    )
    assert.deepEqual([more.last.networks, more.last.voidFor], [[], []], term)
    assert.equal(more.last.target, term.replace(/^.*:/, ''))
  }
})

test('a policy that is included by a later lookup is not followed; its term has no other problem', async () => {
  for (const term of ['include:one.test', 'redirect=one.test']) {
    const { last, isComplete } = await lastOf(`${times(99, 'a:h.test')} ${term}`)
    assert.deepEqual([last.child?.policy.kind, isComplete], ['record', true], term)
    const more = await lastOf(`${times(100, 'a:h.test')} ${term}`)
    assert.deepEqual(
      [more.last.child?.policy.kind, more.last.problem, more.isComplete],
      ['not_followed', undefined, false],
    )
  }
})

test('a name that depends on the message is named as such, however many lookups precede it', async () => {
  const { last } = await lastOf(`${times(100, 'a:h.test')} exists:%{i}.h.test`)
  assert.equal(last.problem?.kind, 'depends_on_message')
})

test('a tree has two thousand terms, those of a policy as often as it is included', async () => {
  const five = times(5, 'include:many.test')
  const whole = await lastOf(five, { 'many.test': { TXT: `v=spf1 ${times(399, 'ip4:1.1.1.1')}` } })
  assert.deepEqual([whole.last.child?.policy.kind, whole.isComplete], ['record', true])
  const larger = await lastOf(five, { 'many.test': { TXT: `v=spf1 ${times(400, 'ip4:1.1.1.1')}` } })
  assert.deepEqual([larger.last.child?.policy.kind, larger.isComplete], ['too_large', false])
})

test('names that were not queried any more make the tree incomplete', async () => {
  const domains = Array.from({ length: 13 }, (_, index) => `m${index}.test`)
  const exchanges = (domain: string) => Array.from({ length: 10 }, (_, index) => `10 x${index}.${domain}`)
  const zone = (length: number): Zone =>
    Object.fromEntries(domains.slice(0, length).map((domain) => [domain, { MX: exchanges(domain) }]))
  const terms = domains.map((domain) => `mx:${domain}`).join(' ')
  const whole = await lastOf(terms, zone(11))
  assert.deepEqual([whole.last.problem, whole.isComplete], [undefined, true])
  const more = await lastOf(terms, zone(13))
  assert.deepEqual([more.last.problem, more.isComplete], [{ kind: 'not_followed' }, false])
})

test('a query that fails makes it incomplete; a loop of aliases is a fact', async () => {
  for (const [terms, zone, isComplete] of [
    ['exists:x.test', { 'x.test': { A: TIMEOUT } }, false],
    ['a:x.test', { 'x.test': { A: '192.0.2.1', AAAA: TIMEOUT } }, false],
    ['mx:x.test', { 'x.test': { MX: TIMEOUT } }, false],
    ['include:x.test', { 'x.test': { TXT: TIMEOUT } }, false],
    ['exists:x.test', { 'x.test': { A: ALIAS_LOOP } }, true],
    ['a:x.test', { 'x.test': { A: ALIAS_LOOP } }, true],
    ['a:x.test', {}, true],
  ] as const) {
    const { last, isComplete: found } = await lastOf(terms, zone)
    assert.equal(found, isComplete, terms)
    if (last.term.kind !== 'include' && 'x.test' in zone) {
      assert.equal(last.problem?.kind, isComplete ? 'alias_loop' : 'unreachable', terms)
    }
  }
})

test('names are compared in any letter case', async () => {
  const { dns } = openZone({
    'example.test': { TXT: 'v=spf1 include:ONE.test' },
    'one.test': { TXT: 'v=spf1 include:Example.TEST' },
  })
  const { root } = await readSpfTree('EXAMPLE.test', dns)
  assert.equal(root.domain, 'example.test')
  assert.equal(root.terms[0]?.child?.terms[0]?.child?.policy.kind, 'loop')
})

test('a record of 8192 characters is read, and a longer one is too large', () => {
  const kindOf = (length: number) => selectPolicy({ kind: 'records', values: ['v=spf1 a'.padEnd(length, ' ')] }).kind
  assert.deepEqual([kindOf(8192), kindOf(8193)], ['record', 'too_large'])
})

test('of one term, the first 500 addresses are read', async () => {
  const addresses = Array.from({ length: 600 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
  const zone: Zone = { 'example.test': { TXT: 'v=spf1 a -all', A: addresses } }
  const { root } = await readSpfTree('example.test', openZone(zone).dns)
  assert.equal(root.terms[0]?.networks.length, 500)
})

test('what a limit of the check left unread stays so; what failed may be read later', () => {
  const failed = (failure?: DnsFailure) =>
    ({ kind: 'unreachable', reason: 'why', ...(failure && { failure }) }) as const
  for (const unread of [
    failed('query_limit'),
    failed('oversize'),
    { kind: 'not_followed' },
    { kind: 'too_large' },
  ] as const)
    assert.equal(isOverLimit(unread), true, JSON.stringify(unread))
  for (const unread of [failed('silent'), failed(), { kind: 'no_record', values: [] }] as const)
    assert.equal(isOverLimit(unread), false, JSON.stringify(unread))
})
