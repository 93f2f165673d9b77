import assert from 'node:assert/strict'
import { appendFileSync, chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { type Checkpoint, openCheckpoint } from '../../../storage/sqlite/database/tail-checkpoint.ts'
import { SegmentFeed } from './segment-feed.ts'

/** Enough different lines for many blocks of a frame. */
function makeLines(from: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index
    return JSON.stringify({ n, text: `${n * 7919} ${(n * 104_729).toString(36)} ${'é'.repeat(n % 50)}` })
  })
}

const compress = (lines: readonly string[]) => zstdCompressSync(`${lines.join('\n')}\n`)

function openFolder() {
  const folder = openTemporaryFolder()
  const segments = join(folder.path, '.')
  const checkpoint = openCheckpoint(join(folder.path, '.place'), 'test')
  const reports: string[] = []
  return {
    checkpoint,
    reports,
    path: (name: string) => join(segments, name),
    feed: () => new SegmentFeed(segments, checkpoint, (words) => reports.push(words)),
    [Symbol.dispose]() {
      checkpoint[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}

/** Everything that is there now, each portion committed, unless the process is to die before. */
async function drain(feed: SegmentFeed, checkpoint: Checkpoint, portionsMax = Number.POSITIVE_INFINITY) {
  const lines: string[] = []
  for (let portions = 0; portions < portionsMax; portions++) {
    const portion = await feed.next()
    if (!portion) break
    lines.push(...portion.lines.map(String))
    checkpoint.commit(portion.changes)
  }
  return lines
}

test('finished segments are read in the order of their names, once', async () => {
  using folder = openFolder()
  const [a, b] = [makeLines(0, 3000), makeLines(3000, 2000)]
  writeFileSync(folder.path('20261115-000002.5'), compress(b), { mode: 0o444 })
  writeFileSync(folder.path('20261115-000001.5'), compress(a), { mode: 0o444 })
  writeFileSync(folder.path('.hidden'), compress(b), { mode: 0o444 })
  await using feed = folder.feed()
  assert.deepEqual(await drain(feed, folder.checkpoint), [...a, ...b])
  assert.deepEqual(await drain(feed, folder.checkpoint), [])
  await using later = folder.feed()
  assert.deepEqual(await drain(later, folder.checkpoint), [])
})

test('a growing segment returns the content of its blocks so far, cut anywhere, and the rest when it is finished', async () => {
  using folder = openFolder()
  const lines = makeLines(0, 20_000)
  const bytes = compress(lines)
  const path = folder.path('growing')
  writeFileSync(path, '')
  const seen: string[] = []
  await using feed = folder.feed()
  for (let at = 0; at < bytes.length; at += 33_333) {
    appendFileSync(path, bytes.subarray(at, at + 33_333))
    seen.push(...(await drain(feed, folder.checkpoint)))
  }
  assert.ok(seen.length > 10_000)
  chmodSync(path, 0o444)
  seen.push(...(await drain(feed, folder.checkpoint)))
  assert.deepEqual(seen, lines)
})

test('after any number of crashes no line is missing, and only uncommitted lines are read again', async () => {
  using folder = openFolder()
  const lines = makeLines(0, 30_000)
  const bytes = compress(lines)
  const path = folder.path('growing')
  writeFileSync(path, '')
  const seen: string[] = []
  for (let at = 0; at < bytes.length; at += 50_001) {
    appendFileSync(path, bytes.subarray(at, at + 50_001))
    await using feed = folder.feed()
    seen.push(...(await drain(feed, folder.checkpoint, 2)))
    // Read and never committed: the process died here.
    await feed.next()
  }
  await using feed = folder.feed()
  seen.push(...(await drain(feed, folder.checkpoint)))
  assert.deepEqual(seen, lines)
})

test('several segments that grow at once are all followed', async () => {
  using folder = openFolder()
  await using feed = folder.feed()
  const seen: string[] = []
  const wanted: string[] = []
  for (let round = 0; round < 5; round++) {
    for (const name of ['a', 'b']) {
      const lines = makeLines(round * 100, 3).map((line) => `${name} ${line}`)
      appendFileSync(folder.path(name), compress(lines))
      wanted.push(...lines)
    }
    seen.push(...(await drain(feed, folder.checkpoint)))
  }
  assert.deepEqual(seen, wanted)
})

test('a segment that a crash of its writer left unfinished is read to its end', async () => {
  using folder = openFolder()
  const bytes = compress(makeLines(0, 20_000))
  writeFileSync(folder.path('1'), bytes.subarray(0, bytes.length - 1000), { mode: 0o444 })
  const rest = makeLines(50_000, 10)
  writeFileSync(folder.path('2'), compress(rest), { mode: 0o444 })
  await using feed = folder.feed()
  const seen = await drain(feed, folder.checkpoint)
  assert.deepEqual(seen.slice(-10), rest)
  assert.deepEqual(await drain(feed, folder.checkpoint), [])
})

test('the last line counts without its line end, once the segment is finished', async () => {
  using folder = openFolder()
  writeFileSync(folder.path('1'), zstdCompressSync('a\nb'))
  await using feed = folder.feed()
  assert.deepEqual(await drain(feed, folder.checkpoint), ['a'])
  chmodSync(folder.path('1'), 0o444)
  assert.deepEqual(await drain(feed, folder.checkpoint), ['b'])
})

test('a file that is not zstd is reported and skipped, and does not block the next ones', async () => {
  using folder = openFolder()
  writeFileSync(folder.path('1'), 'plain text\n')
  writeFileSync(folder.path('2'), '')
  writeFileSync(folder.path('3'), zstdCompressSync('x\n'), { mode: 0o444 })
  await using feed = folder.feed()
  assert.deepEqual(await drain(feed, folder.checkpoint), ['x'])
  assert.match(folder.reports.join(), /1 is not zstd, or damaged/)
  assert.equal(folder.reports.length, 1)
})

test('segments that were removed are forgotten', async () => {
  using folder = openFolder()
  for (const name of ['1', '2']) writeFileSync(folder.path(name), zstdCompressSync(`${name}\n`), { mode: 0o444 })
  await using feed = folder.feed()
  await drain(feed, folder.checkpoint)
  assert.equal(folder.checkpoint.list('').length, 2)
  rmSync(folder.path('1'))
  await drain(feed, folder.checkpoint)
  assert.equal(folder.checkpoint.list('').length, 1)
})

test('a missing folder is an error', async () => {
  using folder = openFolder()
  const feed = new SegmentFeed(folder.path('missing'), folder.checkpoint, () => undefined)
  await assert.rejects(feed.next(), {
    code: 'not_found',
    message: /missing cannot be read: there is no such folder\.$/,
  })
})
