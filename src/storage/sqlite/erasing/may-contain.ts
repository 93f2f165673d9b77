/** Searches the bytes of a file for an address, whatever the letter case: for files that SQLite may not be able to read. */
import { closeSync, openSync, readSync } from 'node:fs'
import { foldCase } from '../../../lib/text/case-folding.ts'

const CHUNK_BYTES = 2 ** 20
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/

/** An address that is split between two pages, because its row is longer than one page, is not found. */
export function mayContain(path: string, address: string): boolean {
  const isAscii = ASCII.test(address)
  const wanted = foldCase(address)
  const overlap = Buffer.byteLength(address) * 4
  const chunk = Buffer.alloc(CHUNK_BYTES + overlap)
  const file = openSync(path, 'r')
  try {
    for (let at = 0; ; at += CHUNK_BYTES) {
      const bytes = readSync(file, chunk, 0, chunk.length, at)
      const text = chunk.toString(isAscii ? 'latin1' : 'utf8', 0, bytes)
      if ((isAscii ? text.toLowerCase() : foldCase(text)).includes(wanted)) return true
      if (bytes < chunk.length) return false
    }
  } finally {
    closeSync(file)
  }
}
