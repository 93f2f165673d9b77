import assert from 'node:assert/strict'
import { appendFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { CONTROL_FILE } from '../control/control-file.ts'
import { Database } from '../database/database.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { DayManifest, isSameFile, readFileState } from './day-manifest.ts'

const DAY = '2026-03-01'
const VERSION = 7

/** A day that has not been checked yet, and its file. */
function openScene() {
  const folder = openTemporaryFolder()
  openControlDatabase(folder.path).close()
  const control = new Database(join(folder.path, CONTROL_FILE), { busyTimeoutMs: 1 })
  const manifest = new DayManifest(control)
  const path = join(folder.path, 'day.db')
  writeFileSync(path, 'the content')
  manifest.add(DAY)
  return {
    folder: folder.path,
    manifest,
    path,
    grow: (arrival: number) => manifest.learn([commitOf(arrival)]),
    stored: () => ({ ...manifest.list().get(DAY) }),
    state: () => {
      const { size, mtimeMs, ino } = statSync(path)
      return { schemaVersion: VERSION, bytes: size, modifiedMs: mtimeMs, inode: ino }
    },
    [Symbol.dispose]() {
      control.close()
      folder[Symbol.dispose]()
    },
  }
}

function commitOf(arrival: number): DayCommit {
  const nothing = { counts: [], codes: [], messageIds: [] }
  return { day: DAY, arrivalBefore: 0, arrival, ...nothing, committedAtMs: 0, storedAtMs: 0 }
}

const UNCHECKED = { day: DAY, schemaVersion: 0, bytes: 0, modifiedMs: 0, inode: 0 }

test('a new day has no events and is not checked; it is known until it is removed', () => {
  using scene = openScene()
  const { manifest } = scene
  assert.deepEqual(scene.stored(), { ...UNCHECKED, events: 0 })
  assert.deepEqual([manifest.has(DAY), manifest.has('2026-03-02')], [true, false])
  manifest.remove(DAY)
  assert.equal(manifest.has(DAY), false)
})

test('what a day has grown by is written with the next flush, and never less than before', () => {
  using scene = openScene()
  scene.grow(5)
  assert.equal(scene.stored().events, 0)
  scene.manifest.flush()
  assert.deepEqual(scene.stored(), { ...UNCHECKED, events: 5 })
  scene.grow(4)
  scene.manifest.flush()
  assert.equal(scene.stored().events, 5)
})

test('without growth nothing is written', () => {
  using scene = openScene()
  scene.manifest.open(DAY, scene.path, VERSION)
  scene.grow(5)
  scene.manifest.flush()
  scene.manifest.set({ ...UNCHECKED, events: 1 })
  using other = new Database(join(scene.folder, CONTROL_FILE))
  other.transaction(() => scene.manifest.flush())
  assert.deepEqual(scene.stored(), { ...UNCHECKED, events: 1 })
})

test('the file that is written need not be checked again, if all commits are in it', () => {
  using scene = openScene()
  const { manifest, path } = scene
  manifest.open(DAY, path, VERSION)
  appendFileSync(path, 'more')
  writeFileSync(`${path}-wal`, 'c')
  scene.grow(5)
  manifest.flush()
  assert.deepEqual(scene.stored(), { ...UNCHECKED, events: 5 })
  writeFileSync(`${path}-wal`, '')
  scene.grow(6)
  manifest.flush()
  assert.deepEqual(scene.stored(), { day: DAY, events: 6, ...scene.state() })
})

test('another file in its place, or none, has to be checked', () => {
  using scene = openScene()
  const { manifest, path } = scene
  manifest.open(DAY, path, VERSION)
  writeFileSync(`${path}.other`, 'the content')
  renameSync(`${path}.other`, path)
  scene.grow(5)
  manifest.flush()
  assert.deepEqual(scene.stored(), { ...UNCHECKED, events: 5 })
  rmSync(path)
  scene.grow(6)
  manifest.flush()
  assert.deepEqual(scene.stored(), { ...UNCHECKED, events: 6 })
  assert.equal(readFileState(path, VERSION), undefined)
  manifest.open(DAY, path, VERSION)
  scene.grow(7)
  manifest.flush()
  assert.deepEqual(scene.stored(), { ...UNCHECKED, events: 7 })
})

test('a file is the same if nothing about it differs', () => {
  using scene = openScene()
  const state = scene.state()
  assert.ok(isSameFile(state, { ...state }))
  for (const key of ['schemaVersion', 'bytes', 'modifiedMs', 'inode'] as const) {
    assert.ok(!isSameFile(state, { ...state, [key]: state[key] + 1 }), key)
  }
})
