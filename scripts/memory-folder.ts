/** Where the system keeps files in memory. Tests of the storage spend much of their time waiting for a disk, and what they write is thrown away. */
import { statfsSync } from 'node:fs'

const MEMORY = '/dev/shm'

/** Undefined if it is missing or has not that much room: a container often has only 64 MB. */
export function findMemoryFolder(bytesMin: number): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return Math.min(bavail * bsize, process.availableMemory()) >= bytesMin ? MEMORY : undefined
  } catch {
    return undefined
  }
}
