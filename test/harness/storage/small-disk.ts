/** A disk of a few megabytes that can be filled to its last byte. Needs root on Linux. */
import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTemporaryFolder } from '../temporary-folder.ts'

export interface SmallDisk extends Disposable {
  readonly path: string
  /** Leaves about this many bytes free, within a page. */
  fill(leaveBytes?: number): void
  /** Deletes what `fill` has written. */
  clear(): void
}

/** Undefined if this user may not mount file systems. */
export function openSmallDisk(bytes: number): SmallDisk | undefined {
  const folder = openTemporaryFolder()
  const { path } = folder
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'envelog-test', path]).status !== 0) {
    folder[Symbol.dispose]()
    return undefined
  }
  const filling = join(path, 'filling')
  const free = () => {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  }
  return {
    path,
    fill(leaveBytes = 0) {
      // Space that was free a moment ago may be used by now.
      for (let tries = 0; free() > leaveBytes; tries++) {
        if (tries > 100) throw new Error('the disk does not get full')
        try {
          writeFileSync(filling, Buffer.alloc(free() - leaveBytes), { flag: 'a' })
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
    },
    clear: () => rmSync(filling, { force: true }),
    [Symbol.dispose]() {
      spawnSync('umount', ['-l', path])
      folder[Symbol.dispose]()
    },
  }
}
