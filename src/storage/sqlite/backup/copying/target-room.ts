/** Room for a backup: asked for before it begins, and watched while it is written. */
import { statfsSync, statSync } from 'node:fs'
import { AppError } from '../../../../lib/app-error.ts'

/** Left free on the disk of the data: a backup must not be what fills it. */
const RESERVE_BYTES = 128 * 1024 * 1024

export class TargetRoom {
  readonly #folder: string
  readonly #reserveBytes: number

  constructor(folder: string, dataDir: string) {
    this.#folder = folder
    this.#reserveBytes = statSync(folder).dev === statSync(dataDir).dev ? RESERVE_BYTES : 0
  }

  /** Throws AppError `storage_unavailable` if these bytes do not fit. */
  require(bytes: number): void {
    const { bavail, bsize } = statfsSync(this.#folder)
    const free = bavail * bsize
    if (free >= bytes + this.#reserveBytes) return
    const reserve =
      this.#reserveBytes > 0
        ? ` ${toMegabytes(this.#reserveBytes)} of that stay free for the server, whose data is on the same disk.`
        : ''
    throw new AppError(
      'storage_unavailable',
      `The disk of ${this.#folder} is full: the backup needs ${toMegabytes(bytes)} more, and ${toMegabytes(free)} are free.${reserve}`,
    )
  }
}

function toMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000).toLocaleString('en-US')} MB`
}
