import assert from 'node:assert/strict'
import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { openSource } from './open-source.ts'

const FILES = '/proc/self/fd'

test('a file that is not read to its end is closed', { skip: !existsSync(FILES) }, async () => {
  using folder = openTemporaryFolder()
  const text = Buffer.from('line\n'.repeat(1000))
  const contents = { plain: text, 'packed.gz': gzipSync(text), 'packed.zst': zstdCompressSync(text) }
  for (const [name, content] of Object.entries(contents)) {
    const path = join(folder.path, name)
    writeFileSync(path, content)
    for await (const chunk of (await openSource(path, () => undefined)).chunks) {
      assert.ok(chunk.length > 0)
      break
    }
  }
  await untilClosed(folder.path)
})

test('a file with a wrong name is refused, and closed', { skip: !existsSync(FILES) }, async () => {
  using folder = openTemporaryFolder()
  for (const name of ['plain.gz', 'plain.zst']) {
    const path = join(folder.path, name)
    writeFileSync(path, 'line\n'.repeat(100_000))
    await assert.rejects(
      openSource(path, () => undefined),
      /but its content is not compressed that way/,
    )
  }
  await untilClosed(folder.path)
})

/** Streams close their files a moment later. */
async function untilClosed(folder: string): Promise<void> {
  for (let tries = 0; tries < 100 && listOpen(folder).length > 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  assert.deepEqual(listOpen(folder), [])
}

function listOpen(folder: string): readonly string[] {
  return readdirSync(FILES).flatMap((file) => {
    const link = join(FILES, file)
    const path = existsSync(link) ? readlinkSync(link) : ''
    return path.startsWith(folder) ? [path] : []
  })
}
