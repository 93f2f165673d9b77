import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openCheckpoint } from './checkpoint.ts'

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

test('a commit that a crash cut short never happened, and the next one is whole', () => {
  using folder = openFolder()
  {
    using checkpoint = folder.open()
    checkpoint.commit([['a', 1]])
  }
  const whole = readFileSync(folder.path, 'utf8')
  for (const torn of ['[["a",2]', '[["a",2]]', '[', '\u00e9']) {
    writeFileSync(folder.path, whole)
    appendFileSync(folder.path, torn)
    {
      using checkpoint = folder.open()
      assert.equal(checkpoint.get('a'), 1)
      checkpoint.commit([['b', torn]])
    }
    using again = folder.open()
    assert.deepEqual([again.get('a'), again.get('b')], [1, torn])
  }
})

test('a crash before the first line was complete leaves a checkpoint that starts from the beginning', () => {
  using folder = openFolder()
  folder.open()[Symbol.dispose]()
  writeFileSync(folder.path, '{"checkp')
  using checkpoint = folder.open()
  checkpoint.commit([['a', 1]])
  assert.match(readFileSync(folder.path, 'utf8'), /^\{"checkpoint":"test"\}\n\[\["a",1\]\]\n$/)
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

test('two processes cannot have it at once', () => {
  using folder = openFolder()
  {
    using _checkpoint = folder.open()
    assert.throws(() => folder.open(), { code: 'conflict', message: /Another process follows the same source/ })
  }
  folder.open()[Symbol.dispose]()
})
