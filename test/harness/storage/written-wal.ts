/** A WAL that is written by its specification, without SQLite. Each page is filled with its number. */
import { writeFileSync } from 'node:fs'

interface WrittenFrame {
  readonly page: number
  /** Pages of the database after a commit; 0: none. */
  readonly pages: number
  readonly salt?: number
}

export const WAL_PAGE_BYTES = 512
export const WAL_SALT = 0x11_22_33_44

/** As https://sqlite.org/fileformat2.html#walformat prescribes it. */
export function writeWal(path: string, frames: readonly WrittenFrame[], isBigEndian: boolean): void {
  const sums = new Uint32Array(2)
  const add = (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += 8) {
      const read = (from: number) => (isBigEndian ? bytes.readUInt32BE(from) : bytes.readUInt32LE(from))
      sums[0] = (sums[0] ?? 0) + read(at) + (sums[1] ?? 0)
      sums[1] = (sums[1] ?? 0) + read(at + 4) + (sums[0] ?? 0)
    }
  }
  const words = (...values: readonly number[]) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
    return bytes
  }
  const header = words(
    isBigEndian ? 0x37_7f_06_83 : 0x37_7f_06_82,
    3_007_000,
    WAL_PAGE_BYTES,
    0,
    WAL_SALT,
    WAL_SALT + 1,
  )
  add(header)
  const parts = [header, words(...sums)]
  for (const { page, pages, salt = WAL_SALT } of frames) {
    const content = Buffer.alloc(WAL_PAGE_BYTES, page)
    add(words(page, pages))
    add(content)
    parts.push(words(page, pages, salt, WAL_SALT + 1, ...sums), content)
  }
  writeFileSync(path, Buffer.concat(parts))
}
