import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogDomain } from '../../../../events/log/log-query.ts'
import { type AskedDomains, FollowedDomains } from './followed-domains.ts'

const [ONE, TWO, THREE] = [1, 2, 3].map((number): LogDomain => ({ number, name: `d${number}.test` }))

function openDomains() {
  const changed: string[] = []
  const lookUps: AskedDomains[] = []
  const known = { domains: [ONE, TWO] as readonly (LogDomain | undefined)[] }
  const followed = new FollowedDomains<string>(
    async (asked) => {
      lookUps.push(asked)
      return known.domains.filter((domain) => domain !== undefined)
    },
    (stream) => changed.push(stream),
  )
  const following = (...numbers: readonly number[]) => [...followed.listStreams(new Set(numbers))].sort()
  const refresh = async () => {
    for await (const { error } of followed.refresh()) throw error
  }
  return { followed, known, changed, lookUps, following, refresh }
}

const ALL: AskedDomains = { tenantId: 't', names: undefined }
const NAMED: AskedDomains = { tenantId: 't', names: ['d1.test'] }

test('streams with the same parameters share a look-up; others do not', async () => {
  const { followed, lookUps, refresh } = openDomains()
  followed.add('a', ALL)
  followed.add('b', ALL)
  followed.add('c', NAMED)
  followed.add('d', { ...ALL, tenantId: 'u' })
  await refresh()
  assert.deepEqual(lookUps, [ALL, NAMED, { ...ALL, tenantId: 'u' }])
  assert.deepEqual([...followed.streams], ['a', 'b', 'c', 'd'])
})

test('an arrival concerns the streams of its domain, as of the last look-up', async () => {
  const { followed, known, following, refresh, changed } = openDomains()
  followed.add('a', ALL)
  assert.deepEqual(following(1), [])
  assert.deepEqual(await followed.lookUp('a'), [ONE, TWO])
  assert.deepEqual([following(1), following(2), following(3), following(1, 2)], [['a'], ['a'], [], ['a', 'a']])
  known.domains = [TWO, THREE]
  await refresh()
  assert.deepEqual([following(1), following(2), following(3)], [[], ['a'], ['a']])
  assert.deepEqual(changed, ['a', 'a'])
})

test('a look-up that finds the same domains changes nothing, and returns the same list', async () => {
  const { followed, known, changed, refresh } = openDomains()
  followed.add('a', ALL)
  followed.add('b', ALL)
  const before = await followed.lookUp('a')
  known.domains = [ONE && { ...ONE }, TWO]
  await refresh()
  assert.equal(await followed.lookUp('b'), before)
  assert.deepEqual(changed, ['a', 'b'])
  for (const domains of [[ONE], [ONE, TWO, THREE], [TWO, ONE], [ONE, TWO && { ...TWO, name: 'renamed.test' }]]) {
    known.domains = domains
    changed.length = 0
    await refresh()
    assert.deepEqual(changed, ['a', 'b'])
  }
})

test('what the last stream of an entry followed is forgotten with it, also if it ends during a look-up', async () => {
  const { followed, lookUps, following, refresh } = openDomains()
  followed.add('a', ALL)
  followed.add('b', ALL)
  await refresh()
  followed.delete('a')
  followed.delete('a')
  assert.deepEqual(following(1), ['b'])
  followed.delete('b')
  assert.deepEqual(following(1), [])
  lookUps.length = 0
  await refresh()
  assert.deepEqual(lookUps, [])
  assert.deepEqual(await followed.lookUp('a'), [])
  followed.add('c', ALL)
  const looking = followed.lookUp('c')
  followed.delete('c')
  await looking
  assert.deepEqual(following(1), [])
})

test('a look-up that fails names its streams, and the others are looked up', async () => {
  const followed = new FollowedDomains<string>(
    async ({ names }) => {
      if (names) throw new Error('not found')
      return ONE ? [ONE] : []
    },
    () => undefined,
  )
  followed.add('a', NAMED)
  followed.add('b', NAMED)
  followed.add('c', ALL)
  const failed: unknown[] = []
  for await (const { streams, error } of followed.refresh()) failed.push([streams, String(error)])
  assert.deepEqual(failed, [[['a', 'b'], 'Error: not found']])
  assert.deepEqual([...followed.listStreams(new Set([1]))], ['c'])
})
