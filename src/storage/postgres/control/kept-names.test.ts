import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { KeptNames } from './kept-names.ts'

const AGE_MS = 100

/** Values are `name@version`, so that it shows when they were read. `asked`: names whose versions were read; `read`: whose values were. */
function setUp(sizeMax = 100) {
  const state = {
    nowMs: 0,
    version: 1,
    asked: [] as (readonly string[])[],
    read: [] as (readonly string[])[],
    absent: new Set(['unknown']),
  }
  const find = async <Value>(names: readonly string[], value: (name: string, version: number) => Value) => {
    const { version } = state
    await new Promise((resolve) => setImmediate(resolve))
    return new Map(names.filter((name) => !state.absent.has(name)).map((name) => [name, value(name, version)]))
  }
  const kept = new KeptNames({
    ageMaxMs: AGE_MS,
    sizeMax,
    clock: () => state.nowMs,
    readAll: (names) => {
      state.read.push(names)
      return find(names, (name, version) => ({ value: `${name}@${version}`, version: String(version) }))
    },
    readVersions: (names) => {
      state.asked.push(names)
      return find(names, (_, version) => String(version))
    },
  })
  return { kept, state }
}

describe('names that are kept in memory', () => {
  test('names in use are compared in one statement when the first has expired, and read again if they have changed', async () => {
    const { kept, state } = setUp()
    for (const name of ['a', 'b', 'c']) assert.equal(await kept.find(name), `${name}@1`)
    assert.deepEqual(state.read.splice(0), [['a'], ['b'], ['c']])
    const askAll = () => Promise.all(['b', 'a', 'c'].map((name) => kept.find(name)))
    state.nowMs = AGE_MS
    assert.deepEqual(await askAll(), ['b@1', 'a@1', 'c@1'])
    assert.deepEqual(state, { ...state, asked: [['b', 'a', 'c']], read: [] })
    state.version = 2
    state.nowMs = AGE_MS * 2 - 1
    assert.deepEqual(await askAll(), ['b@1', 'a@1', 'c@1'])
    state.nowMs = AGE_MS * 2
    assert.deepEqual(await askAll(), ['b@2', 'a@2', 'c@2'])
    assert.deepEqual(state.read, [['b', 'a', 'c']])
  })

  test('a name that nobody asks for is read no more', async () => {
    const { kept, state } = setUp()
    for (const name of ['a', 'b']) await kept.find(name)
    for (let age = 1; age <= 31; age++) {
      state.nowMs = age * AGE_MS
      await kept.find('a')
    }
    assert.deepEqual(
      state.asked.map((names) => names.length),
      [...Array.from({ length: 29 }, () => 2), 1, 1],
    )
  })

  test('after a write nothing older is returned, also not by a read that was under way', async () => {
    const { kept, state } = setUp()
    await Promise.all([kept.find('a'), kept.find('b')])
    const before = kept.find('c')
    state.version = 2
    kept.forget()
    assert.deepEqual(await Promise.all(['c', 'a', 'b'].map((name) => kept.find(name))), ['c@2', 'a@2', 'b@2'])
    assert.equal(await before, 'c@1')
    assert.equal(await kept.find('c'), 'c@2')
    // The names are still known: both were read together.
    assert.deepEqual(state.asked.at(-1), ['a', 'b'])
  })

  test('names that do not exist are not kept, and evict nothing', async () => {
    const { kept, state } = setUp(1)
    await kept.find('a')
    for (let time = 0; time < 2; time++) assert.equal(await kept.find('unknown'), undefined)
    state.read.length = 0
    assert.equal(await kept.find('a'), 'a@1')
    assert.deepEqual([...state.read, ...state.asked], [])
    state.absent.add('a')
    state.nowMs = AGE_MS
    assert.equal(await kept.find('a'), undefined)
  })

  test('one name more than there is room for drops some that were read the longest ago, and no others', async () => {
    const { kept, state } = setUp(200)
    const names = Array.from({ length: 200 }, (_, index) => `n${index}`)
    for (const name of names) {
      await kept.find(name)
      state.nowMs = AGE_MS / 2
    }
    state.nowMs = AGE_MS
    // In use, and the only one that has expired: it is read again, and no longer the oldest.
    await kept.find('n0')
    assert.deepEqual(state.asked.splice(0), [['n0']])
    state.read.length = 0
    for (const name of ['more', ...names.slice(3), 'n0']) assert.equal(await kept.find(name), `${name}@1`)
    assert.deepEqual([...state.read, ...state.asked], [['more']])
    await kept.find('n1')
    assert.deepEqual(state.read, [['more'], ['n1']])
  })

  test('a statement has a limited number of names, and a failure is not kept', async () => {
    const names = Array.from({ length: 1200 }, (_, index) => `n${index}`)
    let isBroken = false
    const sizes: number[] = []
    let nowMs = 0
    const kept = new KeptNames({
      ageMaxMs: AGE_MS,
      sizeMax: 10_000,
      clock: () => nowMs,
      readAll: async (asked) => new Map(asked.map((name) => [name, { value: name, version: '1' }])),
      readVersions: async (asked) => {
        sizes.push(asked.length)
        if (isBroken) throw new Error('broken')
        return new Map(asked.map((name) => [name, '1']))
      },
    })
    for (const name of names) await kept.find(name)
    nowMs = AGE_MS
    isBroken = true
    await assert.rejects(kept.find('n7'), /broken/)
    isBroken = false
    await Promise.all(names.map((name) => kept.find(name)))
    assert.deepEqual(sizes, [500, 500, 500, 200])
  })
})
