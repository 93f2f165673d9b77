import assert from 'node:assert/strict'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../test/harness/temporary-folder.ts'
import { openJournal } from './journal.ts'

test('lines are returned in order, to the process that wrote them and to the next one', async () => {
  using folder = openTemporaryFolder()
  const journal = await openJournal(folder.path)
  await Promise.all([journal.append('a'), journal.append('b')])
  const [first = 0] = await journal.seal()
  await journal.append('c')
  assert.deepEqual(await journal.readSealed(first), ['a', 'b'])
  // Not closed: as after a crash.
  const next = await openJournal(folder.path)
  await next.append('d')
  const segments = await next.seal()
  assert.deepEqual(await Promise.all(segments.map((segment) => next.readSealed(segment))), [['a', 'b'], ['c'], ['d']])
})

test('the open segment is not among the sealed ones', async () => {
  using folder = openTemporaryFolder()
  const journal = await openJournal(folder.path)
  assert.deepEqual(await journal.seal(), [])
  await journal.append('a')
  const sealing = journal.seal()
  const later = journal.append('b')
  assert.equal((await sealing).length, 1)
  await later
})

test('a settled segment stays settled if the process ends before the sealed one is removed', async () => {
  using folder = openTemporaryFolder()
  const journal = await openJournal(folder.path)
  await journal.append('a')
  const [segment = 0] = await journal.seal()
  await journal.settle(segment, ['A'])
  writeFileSync(join(folder.path, `${String(segment).padStart(12, '0')}.open`), 'a\n')
  writeFileSync(join(folder.path, `${String(segment + 1).padStart(12, '0')}.settled.new`), 'half')
  const next = await openJournal(folder.path)
  assert.deepEqual(await next.seal(), [])
  assert.deepEqual(await next.listSettled(), [segment])
  assert.deepEqual(await next.readSettled(segment), ['A'])
  await next.removeSettled(segment)
  assert.deepEqual(await next.listSettled(), [])
})

test('a partial line is not returned', async () => {
  using folder = openTemporaryFolder()
  const journal = await openJournal(folder.path)
  await journal.append('a')
  appendFileSync(join(folder.path, readdirSync(folder.path)[0] ?? ''), '{"half')
  const next = await openJournal(folder.path)
  const [segment = 0] = await next.seal()
  assert.deepEqual(await next.readSealed(segment), ['a'])
})

test('a failed write is reported, and later lines are written', async () => {
  using folder = openTemporaryFolder()
  const journal = await openJournal(folder.path)
  // The name of the next segment is taken by something else.
  writeFileSync(join(folder.path, `${'1'.padStart(12, '0')}.open`), '')
  await assert.rejects(journal.append('a'), /EEXIST/)
  await journal.append('b')
  await journal.close()
})

test('a journal that is not consumed is full at its limit, settled or not, after a restart too', async () => {
  using folder = openTemporaryFolder()
  const journal = await openJournal(folder.path, 10)
  await journal.append('12345')
  const [segment = 0] = await journal.seal()
  await journal.settle(segment, ['12345'])
  await assert.rejects(journal.append('67890'), /full/)
  const next = await openJournal(folder.path, 10)
  await assert.rejects(next.append('67890'), /full/)
  await next.removeSettled(segment)
  await next.append('67890')
})

test('removed lines are gone from open, sealed and settled segments, and the others stay in order', async () => {
  using folder = openTemporaryFolder()
  const journal = await openJournal(folder.path, 1000)
  for (const line of ['a1', 'x1']) await journal.append(line)
  const [first = 0] = await journal.seal()
  await journal.settle(first, ['x1', 'a1'])
  await Promise.all(['a2', 'x2', 'a3'].map((line) => journal.append(line)))
  await journal.seal()
  await journal.append('x3')
  writeFileSync(join(folder.path, '000000000009.settled.new'), 'x left by a crash')
  assert.equal(await journal.removeLines((line) => line.startsWith('x')), 3)
  assert.deepEqual(await journal.readSettled(first), ['a1'])
  const segments = await journal.seal()
  assert.deepEqual((await Promise.all(segments.map((segment) => journal.readSealed(segment)))).flat(), ['a2', 'a3'])
  const names = readdirSync(folder.path)
  assert.ok(names.every((name) => !readFileSync(join(folder.path, name), 'utf8').includes('x')))
  // Their bytes are free again.
  await journal.append('y'.repeat(900))
})
