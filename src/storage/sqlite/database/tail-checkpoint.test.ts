import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openCheckpoint } from './tail-checkpoint.ts'

function openFolder() {
  const folder = openTemporaryFolder()
  const path = join(folder.path, 'deep', 'place')
  return {
    path,
    open: (source = 'test') => openCheckpoint(path, source),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('committed values are there after reopening, and removed ones are not', () => {
  using folder = openFolder()
  {
    using checkpoint = folder.open()
    checkpoint.commit([
      ['a', { n: 1 }],
      ['b', 'x'],
      ['c:1', 1],
    ])
    checkpoint.commit([
      ['b', undefined],
      ['c:2', 2],
    ])
    checkpoint.commit([])
  }
  using again = folder.open()
  assert.deepEqual(again.get('a'), { n: 1 })
  assert.equal(again.get('b'), undefined)
  assert.deepEqual(again.list('c:'), [
    ['c:1', 1],
    ['c:2', 2],
  ])
})

test('a commit that a crash cut short never happened, the ones before it did, and the next one is whole', () => {
  using folder = openFolder()
  const copy = `${folder.path}.copy`
  using checkpoint = folder.open()
  for (let n = 1; n <= 3; n++) {
    checkpoint.commit([
      ['a', n],
      ['b', n],
    ])
  }
  const wal = readFileSync(`${folder.path}-wal`)
  const seen = new Set<unknown>()
  for (let bytes = wal.length; bytes > 0; bytes -= 500) {
    copyFileSync(folder.path, copy)
    writeFileSync(`${copy}-wal`, wal.subarray(0, bytes))
    {
      using torn = openCheckpoint(copy, 'test')
      assert.equal(torn.get('a'), torn.get('b'))
      seen.add(torn.get('a'))
      torn.commit([['c', bytes]])
    }
    using again = openCheckpoint(copy, 'test')
    assert.equal(again.get('c'), bytes)
    assert.ok(seen.has(again.get('a')))
  }
  assert.deepEqual([...seen], [3, 2, 1, undefined])
})

test('only its owner can read it', () => {
  using folder = openFolder()
  using _checkpoint = folder.open()
  for (const path of [folder.path, `${folder.path}-wal`]) assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('the file stays small however often it is written', () => {
  using folder = openFolder()
  {
    using checkpoint = folder.open()
    const text = 'x'.repeat(10_000)
    for (let n = 0; n < 500; n++) checkpoint.commit([[`k${n % 10}`, `${n} ${text}`]])
  }
  assert.ok(statSync(folder.path).size < 2_000_000)
  using again = folder.open()
  assert.match(String(again.get('k9')), /^499 x/)
})

test('a file that belongs to another source, or is not a checkpoint, is refused', () => {
  using folder = openFolder()
  folder.open('kumomta')[Symbol.dispose]()
  assert.throws(() => folder.open('postfix'), /belongs to "kumomta", not to "postfix"/)
  writeFileSync(folder.path, 'something else\n')
  assert.throws(() => folder.open(), /cannot be used: .+ Move it away to start again\.$/)
})

test('a file of an earlier version is taken over, without a line that a crash cut short', () => {
  using folder = openFolder()
  folder.open()[Symbol.dispose]()
  const lines = [
    '{"checkpoint":"test"}',
    '[["a",{"n":1}],["b","é"]]',
    '[["b",null],["c",1]]',
    '[["c"],["d",2]]',
    '[["a"',
  ]
  for (const end of ['\n[["a",', '\n']) {
    writeFileSync(folder.path, lines.slice(0, -1).join('\n') + end)
    // Left by an attempt that was interrupted.
    writeFileSync(`${folder.path}.new`, 'half')
    {
      using checkpoint = folder.open()
      assert.deepEqual(checkpoint.list(''), [
        ['a', { n: 1 }],
        ['d', 2],
      ])
      checkpoint.commit([['a', 4]])
    }
    using again = folder.open()
    assert.equal(again.get('a'), 4)
    assert.equal(statSync(folder.path).mode & 0o777, 0o600)
  }
  writeFileSync(folder.path, `${lines.join('\n')}\n`)
  assert.throws(() => folder.open(), { code: 'conflict', message: /cannot be used/ })
  writeFileSync(folder.path, '{"checkpoint":"postfix"}\n')
  assert.throws(() => folder.open(), { code: 'conflict', message: /belongs to "postfix", not to "test"/ })
})

test('a failing disk is not reported as a damaged checkpoint', () => {
  using folder = openFolder()
  folder.open()[Symbol.dispose]()
  mkdirSync(`${folder.path}-wal`)
  assert.throws(() => folder.open(), { code: 'storage_unavailable', message: /cannot be opened: [^.]+$/ })
})

test('two processes cannot have it at once', () => {
  using folder = openFolder()
  {
    using _checkpoint = folder.open()
    assert.throws(() => folder.open(), { code: 'conflict', message: /Another process follows the same source/ })
  }
  folder.open()[Symbol.dispose]()
})
