import assert from 'node:assert/strict'
import { statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../../test/harness/temporary-folder.ts'
import { fileStateOf } from './file-state.ts'

test('a file has the same state until it changes, and none while it may still change unnoticed', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'a.db')
  writeFileSync(path, 'content')
  utimesSync(path, 1000, 1000)
  const laterMs = 1_000_000 + 2000
  const state = fileStateOf(path, laterMs)
  assert.ok(state)
  assert.equal(fileStateOf(path, laterMs), state)
  assert.equal(fileStateOf(path, laterMs - 1), undefined, 'it was just written')

  writeFileSync(`${path}-wal`, 'commits')
  assert.equal(fileStateOf(path, laterMs), undefined)
  writeFileSync(`${path}-wal`, '')
  assert.equal(fileStateOf(path, laterMs), state)

  writeFileSync(path, 'changed')
  utimesSync(path, 1000, 1000)
  assert.equal(statSync(path).size, 'content'.length)
  assert.notEqual(fileStateOf(path, laterMs), state, 'the time of the last change of attributes cannot be set')
})
