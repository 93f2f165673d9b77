/** A disk of a few megabytes that can be filled to its last byte. Needs root on Linux. */
import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTemporaryFolder } from './temporary-folder.ts'

export interface SmallDisk extends Disposable {
  readonly path: string
  /** Leaves so much room, give or take a page. */
  fill(leaveBytes?: number): void
  /** Takes away what `fill` has written. */
  clear(): void
}

/** Undefined where this user may not mount anything. */
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
      // What was free a moment ago may be taken by the time it is written.
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
