import assert from 'node:assert/strict'
import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openCheckpoint } from '../../../storage/sqlite/database/tail-checkpoint.ts'
import { DatedFeed } from './dated-feed.ts'

function openFolder() {
  const folder = openTemporaryFolder()
  const checkpoint = openCheckpoint(join(folder.path, 'place'), 'test')
  const reports: string[] = []
  const pathOf = (name: string) => join(folder.path, name)
  return {
    reports,
    write: (name: string, text: string) => appendFileSync(pathOf(name), text),
    remove: (name: string) => rmSync(pathOf(name)),
    feed: (name = 'acct.csv') => new DatedFeed(pathOf(name), checkpoint, (words) => reports.push(words)),
    /** Everything that is there now, with the position saved after each portion. */
    async take(feed: DatedFeed): Promise<readonly string[]> {
      const lines: string[] = []
      for (let portion = await feed.next(); portion; portion = await feed.next()) {
        lines.push(...portion.lines.map(String))
        checkpoint.commit(portion.changes)
      }
      return lines
    },
    [Symbol.dispose]() {
      checkpoint[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}

describe('files with dates in their names', () => {
  test('are read one after the other, oldest first, and the last one as it grows', async () => {
    using folder = openFolder()
    folder.write('acct-2026-11-15-0001.csv', 'c\n')
    folder.write('acct-2026-11-15-0000.csv', 'b\n')
    folder.write('acct-2026-11-14-0000.csv', 'a\n')
    await using feed = folder.feed()
    assert.deepEqual(await folder.take(feed), ['a', 'b', 'c'])
    folder.write('acct-2026-11-15-0001.csv', 'd\ne')
    assert.deepEqual(await folder.take(feed), ['d'])
    folder.write('acct-2026-11-15-0001.csv', 'f\n')
    folder.write('acct-2026-11-16-0000.csv', 'g\n')
    assert.deepEqual(await folder.take(feed), ['ef', 'g'])
  })

  test('are read from the saved position', async () => {
    using folder = openFolder()
    folder.write('acct-2026-11-15-0000.csv', 'a\nb')
    {
      await using feed = folder.feed()
      assert.deepEqual(await folder.take(feed), ['a'])
    }
    folder.write('acct-2026-11-15-0000.csv', 'b\nc')
    folder.write('acct-2026-11-15-0001.csv', 'd\n')
    await using feed = folder.feed()
    assert.deepEqual(await folder.take(feed), ['bb', 'c', 'd'])
    assert.deepEqual(folder.reports, [])
  })

  test('that are gone are reported, and the next one is read', async () => {
    using folder = openFolder()
    folder.write('acct-2026-11-15-0000.csv', 'a\n')
    {
      await using feed = folder.feed()
      await folder.take(feed)
    }
    folder.remove('acct-2026-11-15-0000.csv')
    folder.write('acct-2026-11-15-0001.csv', 'b\n')
    await using feed = folder.feed()
    assert.deepEqual(await folder.take(feed), ['b'])
    assert.match(
      folder.reports.join(),
      /^acct-2026-11-15-0000\.csv is gone; .* Continuing with acct-2026-11-15-0001\.csv\.$/,
    )
  })

  test('with other names are ignored', async () => {
    using folder = openFolder()
    folder.write('acct-2026-11-15-0000.csv', 'a\n')
    for (const name of [
      'acct-bd-2026-11-15-0000.csv',
      'acct-2026-11-15-0000.csv.gz',
      'acct.csv',
      'other-2026-11-15-0000.csv',
    ])
      folder.write(name, 'x\n')
    await using feed = folder.feed()
    assert.deepEqual(await folder.take(feed), ['a'])
  })

  test('are waited for where there is none yet; a folder that is not there is an error', async () => {
    using folder = openFolder()
    await using feed = folder.feed()
    assert.equal(await feed.next(), undefined)
    folder.write('acct-2026-11-15-0000.csv', 'a\n')
    assert.deepEqual(await folder.take(feed), ['a'])
    await using lost = folder.feed('nowhere/acct.csv')
    await assert.rejects(lost.next(), { code: 'not_found' })
  })
})
