/** The space that the data folder has left, and the size of its write-ahead logs. */
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskUse } from '../../storage.ts'

const WAL = '-wal'
/** A handful of files is being written. Others are left over from a process that was killed, until their day is written again. */
const WALS_MAX = 100

export async function readDiskUse(dataDir: string): Promise<DiskUse> {
  const { bavail, blocks, bsize } = await statfs(dataDir)
  const events = join(dataDir, 'events')
  const paths = [dataDir, events].map(async (folder) => {
    const names = (await readdir(folder)).filter((name) => name.endsWith(WAL))
    return names
      .toSorted()
      .slice(-WALS_MAX)
      .map((name) => join(folder, name))
  })
  const sizes = (await Promise.all(paths)).flat().map(sizeOf)
  const walBytes = (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize, walBytes }
}

/** 0 for a file that was removed meanwhile. */
async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
