/** The pages of a database file as they are on the disk, those in the WAL included. https://sqlite.org/fileformat2.html */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isPageSize, readWal } from './wal-frames.ts'

const MAGIC = 'SQLite format 3\0'
/** That of every file that we create; for a file whose header is damaged. */
const USUAL_PAGE_BYTES = 4096

export class DatabasePages implements Disposable {
  readonly #file: number
  readonly #bytes: number
  readonly #pageBytes: number
  /** Bytes of a page that have content. */
  readonly usableBytes: number
  /** The newest version of each page that is in the WAL. */
  readonly #inWal = new Map<number, Buffer>()
  /** Versions in the WAL that are damaged; a part of them may be readable. */
  readonly suspects: readonly { readonly number: number; readonly content: Buffer }[]
  /** The last page, whether or not the file has it. */
  readonly count: number

  constructor(path: string) {
    this.#file = openSync(path, 'r')
    this.#bytes = fstatSync(this.#file).size
    const header = Buffer.alloc(100)
    readSync(this.#file, header, 0, header.length, 0)
    const isIntact = header.toString('latin1', 0, MAGIC.length) === MAGIC
    const stated = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
    this.#pageBytes = isIntact && isPageSize(stated) ? stated : USUAL_PAGE_BYTES
    const reserved = isIntact ? header.readUInt8(20) : 0
    this.usableBytes = this.#pageBytes - (reserved < 32 ? reserved : 0)
    const frames = readWal(`${path}-wal`).filter(({ content }) => content.length === this.#pageBytes)
    for (const { page, content, isIntact: isWhole } of frames) if (isWhole) this.#inWal.set(page, content)
    this.suspects = frames.filter((frame) => !frame.isIntact).map(({ page, content }) => ({ number: page, content }))
    this.count = Math.max(Math.ceil(this.#bytes / this.#pageBytes), ...this.#inWal.keys())
  }

  /** Undefined beyond the end. What is missing of the last page of a file that was cut short is zeros. */
  read(number: number): Buffer | undefined {
    const newest = this.#inWal.get(number)
    if (newest) return newest
    const at = (number - 1) * this.#pageBytes
    if (number < 1 || at >= this.#bytes) return undefined
    const page = Buffer.alloc(this.#pageBytes)
    try {
      readSync(this.#file, page, 0, page.length, at)
    } catch (error) {
      // A bad sector: this page is lost, the others are not.
      if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error
      return undefined
    }
    return page
  }

  /** Pages that are not in use: what they contain was deleted. A list that is damaged ends early. */
  listFree(): ReadonlySet<number> {
    const free = new Set<number>()
    let trunk = this.read(1)?.readUInt32BE(32) ?? 0
    while (trunk > 0 && trunk <= this.count && !free.has(trunk)) {
      free.add(trunk)
      const page = this.read(trunk)
      if (!page) break
      const leaves = Math.min(page.readUInt32BE(4), this.usableBytes / 4 - 2)
      for (let index = 0; index < leaves; index++) free.add(page.readUInt32BE(8 + index * 4))
      trunk = page.readUInt32BE(0)
    }
    return free
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
