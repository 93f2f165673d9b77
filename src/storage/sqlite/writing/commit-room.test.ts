import assert from 'node:assert/strict'
import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import { requireCommitRoom } from './commit-room.ts'

const MANY = Number.MAX_SAFE_INTEGER

function isRefused(...commits: Parameters<typeof requireCommitRoom>[1]): boolean {
  try {
    requireCommitRoom(tmpdir(), commits)
    return false
  } catch (error) {
    assert(error instanceof AppError && error.code === 'storage_unavailable')
    return true
  }
}

test('commits that may not fit on the disk are refused', () => {
  const { bavail, bsize } = statfsSync(tmpdir())
  const pagesOnDisk = Math.ceil((bavail * bsize) / 4096)
  const half = { rows: MANY, pages: Math.ceil(pagesOnDisk * 0.6), cachePages: MANY }
  assert(!isRefused(half))
  assert(isRefused(half, half))
})

test('a commit writes no more pages than its file has, its rows can touch, or its cache can hold', () => {
  const unbounded = { rows: MANY, pages: MANY, cachePages: MANY }
  assert(isRefused(unbounded))
  for (const bound of [{ rows: 1 }, { pages: 1 }, { cachePages: 1 }]) assert(!isRefused({ ...unbounded, ...bound }))
})
