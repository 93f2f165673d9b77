import assert from 'node:assert/strict'
import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { MANIFEST_FILE, readManifest, writeManifest } from './backup-manifest.ts'

function fileOf(path: string) {
  return { path, bytes: 5, sha256: 'a'.repeat(64), modified: '1' }
}

const WHOLE = {
  installation: 'i',
  startedAt: '2026-03-01T00:00:00Z',
  finishedAt: '2026-03-01T00:01:00Z',
  secret: { id: 's', isIncluded: false },
  files: ['control.db', 'master.key', 'events/2026-01-15.db', 'tracking/1.open', 'tail/x', 'aside/a.b-c'].map(fileOf),
  problems: [],
}

/** What reading says about a manifest with these contents. */
function reasonOf(content: unknown): string {
  using folder = openTemporaryFolder()
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(join(folder.path, MANIFEST_FILE), text)
  try {
    readManifest(folder.path)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    assert.equal(code, 'conflict')
    return message
  }
  return 'read'
}

test('a manifest is read as it was written, for its owner only, and not written over', () => {
  using folder = openTemporaryFolder()
  writeManifest(folder.path, WHOLE)
  assert.deepEqual(readManifest(folder.path), { format: 1, ...WHOLE })
  assert.equal(statSync(join(folder.path, MANIFEST_FILE)).mode & 0o777, 0o600)
  assert.throws(() => writeManifest(folder.path, WHOLE), { code: 'EEXIST' })
  const { secret: _, ...without } = WHOLE
  assert.equal(reasonOf({ format: 1, ...without }), 'read')
})

test('a folder without one is no complete backup, and one of a newer version is said to be that', () => {
  using folder = openTemporaryFolder()
  assert.throws(() => readManifest(folder.path), { code: 'conflict', message: /is not a complete backup/ })
  assert.match(reasonOf({ ...WHOLE, format: 2 }), /newer version.*format 2, this version knows 1/)
})

test('one that is damaged or not ours is refused', () => {
  const [control, ...others] = WHOLE.files
  const withFile = (file: unknown) => ({ files: [...WHOLE.files, file] })
  const changes: readonly object[] = [
    { format: 0 },
    { format: '2' },
    { format: undefined },
    { files: undefined },
    { files: {} },
    { problems: undefined },
    { problems: 'none' },
    { secret: {} },
    { secret: null },
    { secret: { id: 5 } },
    { startedAt: undefined },
    { finishedAt: 5 },
    { installation: null },
    { files: others },
    { files: [] },
    { files: [control, control] },
    withFile(null),
    withFile({ ...control, path: '../control.db' }),
    withFile({ ...control, path: 'events/../x.db' }),
    withFile({ ...control, path: undefined }),
    withFile({ ...fileOf('tail/y'), bytes: -1 }),
    withFile({ ...fileOf('tail/y'), bytes: 1.5 }),
    withFile({ ...fileOf('tail/y'), bytes: undefined }),
    withFile({ ...fileOf('tail/y'), sha256: 'a'.repeat(63) }),
    withFile({ ...fileOf('tail/y'), sha256: undefined }),
    withFile({ ...fileOf('tail/y'), sha256: 'A'.repeat(64) }),
  ]
  for (const change of changes) {
    const reason = reasonOf({ format: 1, ...WHOLE, ...change })
    assert.match(reason, /damaged: fields are missing or invalid/, JSON.stringify(change))
  }
  for (const text of ['null', '[]', '5']) assert.match(reasonOf(text), /fields are missing or invalid/, text)
  assert.match(reasonOf('{'), /is damaged: .*JSON/)
  assert.equal(reasonOf({ format: 1, ...WHOLE, ...withFile({ ...fileOf('tail/y'), bytes: 0 }) }), 'read')
})

test('one that is far too large is not read', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, MANIFEST_FILE)
  writeFileSync(path, '')
  truncateSync(path, 64 * 1024 * 1024 + 1)
  assert.throws(() => readManifest(folder.path), { message: /is damaged: it has 67108865 bytes/ })
})
