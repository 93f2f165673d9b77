import assert from 'node:assert/strict'
import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { createSeededRandom } from '../../../lib/seeded-random.ts'
import { openCheckpoint } from '../../../storage/sqlite/database/tail-checkpoint.ts'
import { LineFeed } from './line-feed.ts'

function openFolder() {
  const folder = openTemporaryFolder()
  const path = join(folder.path, 'mail.log')
  writeFileSync(path, '')
  const checkpoint = openCheckpoint(join(folder.path, 'place'), 'test')
  const reports: string[] = []
  let clock = Date.now() / 1000 - 100_000
  let count = 0
  return {
    path,
    checkpoint,
    reports,
    seen: [] as string[],
    written: [] as string[],
    feed: () => new LineFeed(path, checkpoint, (words) => reports.push(words)),
    write(lines: number) {
      for (let n = 0; n < lines; n++) {
        const line = `line ${count} ${'x'.repeat(count % 70)}`
        count += 1
        this.written.push(line)
        appendFileSync(path, `${line}\n`)
      }
    },
    /** mail.log.1 becomes mail.log.2 and so on, as logrotate does it; times are those of the last lines. */
    shift(from = 1) {
      // Listed first: an error for each that does not exist takes a fifth of the time of these tests.
      const names = new Set(readdirSync(folder.path))
      for (let n = 60; n >= from; n--) {
        for (const ending of ['', '.gz']) {
          if (names.has(`mail.log.${n}${ending}`)) renameSync(`${path}.${n}${ending}`, `${path}.${n + 1}${ending}`)
        }
      }
    },
    stamp(file: string) {
      clock += 10
      utimesSync(file, clock, clock)
    },
    [Symbol.dispose]() {
      checkpoint[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}

type Folder = ReturnType<typeof openFolder>

async function drain(folder: Folder, feed: LineFeed, portionsMax = Number.POSITIVE_INFINITY): Promise<void> {
  for (let portions = 0; portions < portionsMax; portions++) {
    const portion = await feed.next()
    if (!portion) return
    folder.seen.push(...portion.lines.map(String))
    folder.checkpoint.commit(portion.changes)
  }
}

function rotateByRename(folder: Folder): void {
  folder.shift()
  renameSync(folder.path, `${folder.path}.1`)
  folder.stamp(`${folder.path}.1`)
  writeFileSync(folder.path, '')
}

function rotateByCopy(folder: Folder): void {
  folder.shift()
  copyFileSync(folder.path, `${folder.path}.1`)
  folder.stamp(`${folder.path}.1`)
  truncateSync(folder.path)
}

function compress(folder: Folder, n: number): void {
  const path = `${folder.path}.${n}`
  try {
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)))
  } catch {
    return
  }
  rmSync(path)
  folder.stamp(`${path}.gz`)
}

describe('a log is followed', () => {
  test('line by line, whole lines only', async () => {
    using folder = openFolder()
    await using feed = folder.feed()
    folder.write(3)
    appendFileSync(folder.path, 'half a')
    await drain(folder, feed)
    assert.deepEqual(folder.seen, folder.written)
    appendFileSync(folder.path, ' line\n\n\r\nnext\r\n')
    await drain(folder, feed)
    assert.deepEqual(folder.seen.slice(3), ['half a line', 'next'])
  })

  test('over a renaming, with what was still written to the old file', async () => {
    using folder = openFolder()
    await using feed = folder.feed()
    folder.write(5)
    await drain(folder, feed)
    renameSync(folder.path, `${folder.path}.1`)
    await drain(folder, feed)
    appendFileSync(`${folder.path}.1`, 'late\n')
    writeFileSync(folder.path, '')
    await drain(folder, feed)
    appendFileSync(`${folder.path}.1`, 'later')
    writeFileSync(folder.path, 'new\n')
    await drain(folder, feed)
    assert.deepEqual(folder.seen.slice(5), ['late', 'later', 'new'])
  })

  test('over a copy and truncation, with what was copied before it was read', async () => {
    using folder = openFolder()
    await using feed = folder.feed()
    folder.write(50)
    await drain(folder, feed)
    folder.write(20)
    rotateByCopy(folder)
    folder.write(3)
    await drain(folder, feed)
    // Longer than before, so that only its beginning shows that it is another file.
    folder.write(10)
    rotateByCopy(folder)
    folder.write(400)
    await drain(folder, feed)
    assert.deepEqual(folder.seen, folder.written)
    assert.deepEqual(folder.reports, [])
  })

  test('after a stop, through rotated and compressed files', async () => {
    using folder = openFolder()
    folder.write(100)
    {
      await using feed = folder.feed()
      await drain(folder, feed)
    }
    for (let n = 0; n < 4; n++) {
      folder.write(100)
      rotateByRename(folder)
      compress(folder, 2)
    }
    folder.write(7)
    await using feed = folder.feed()
    await drain(folder, feed)
    assert.deepEqual(folder.seen, folder.written)
  })

  test('after a stop during which the position was rotated away: all that is left, and it is reported', async () => {
    using folder = openFolder()
    folder.write(10)
    {
      await using feed = folder.feed()
      await drain(folder, feed)
    }
    rotateByRename(folder)
    folder.write(10)
    rotateByRename(folder)
    folder.write(10)
    rmSync(`${folder.path}.2`)
    await using feed = folder.feed()
    await drain(folder, feed)
    assert.deepEqual(folder.seen, folder.written)
    assert.match(folder.reports.join(), /saved position was not found/)
  })

  test('through any sequence of writing, rotating, stopping and dying: every line, in order, once', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      using folder = openFolder()
      const random = createSeededRandom(seed)
      const by = seed % 2 === 0 ? rotateByRename : rotateByCopy
      let feed = folder.feed()
      folder.write(1)
      await drain(folder, feed)
      for (let step = 0; step < 60; step++) {
        switch (random.between(0, 6)) {
          case 0:
            by(folder)
            break
          case 1:
            compress(folder, 2)
            break
          case 2:
            await feed[Symbol.asyncDispose]()
            feed = folder.feed()
            break
          case 3:
            // Read and never committed: the process died here.
            await feed.next()
            await feed[Symbol.asyncDispose]()
            feed = folder.feed()
            break
          case 4:
            await drain(folder, feed, 2)
            break
          default:
            folder.write(random.between(1, 60))
        }
      }
      folder.write(1)
      await drain(folder, feed)
      await feed[Symbol.asyncDispose]()
      assert.deepEqual(folder.seen, folder.written, `seed ${seed}`)
    }
  })

  test('a missing log is an error, and one that disappears is waited for', async () => {
    using folder = openFolder()
    await using feed = folder.feed()
    folder.write(1)
    await drain(folder, feed)
    rmSync(folder.path)
    await drain(folder, feed)
    folder.write(1)
    await drain(folder, feed)
    assert.deepEqual(folder.seen, folder.written)
    folder.checkpoint.commit([['place', undefined]])
    const missing = new LineFeed(`${folder.path}.missing`, folder.checkpoint, () => undefined)
    await assert.rejects(missing.next(), { code: 'not_found' })
  })

  test('a damaged rotated file is reported and does not block the next ones', async () => {
    using folder = openFolder()
    folder.write(200)
    {
      await using feed = folder.feed()
      await drain(folder, feed)
    }
    folder.write(2000)
    rotateByRename(folder)
    const bytes = gzipSync(readFileSync(`${folder.path}.1`))
    rmSync(`${folder.path}.1`)
    writeFileSync(`${folder.path}.1.gz`, bytes.subarray(0, bytes.length - 500))
    folder.stamp(`${folder.path}.1.gz`)
    folder.write(1)
    await using feed = folder.feed()
    await drain(folder, feed)
    assert.equal(folder.seen.at(-1), folder.written.at(-1))
    assert.match(folder.reports.join(), /is damaged/)
  })
})
