/** The rows in a page of a b-tree. https://sqlite.org/fileformat2.html#b_tree_pages */
import type { SqlValue } from '../database/database.ts'
import type { DatabasePages } from './database-pages.ts'
import { decodeRecord, readVarint } from './record.ts'

/** Tables without a rowid are stored like indexes, and have rows in inner pages as well. */
const TABLE_LEAF = 0x0d
const INDEX_LEAF = 0x0a
const INDEX_INNER = 0x02
const TABLE_INNER = 0x05

/** The header of the file is at the beginning of its first page. */
const FILE_HEADER_BYTES = 100

export interface Row {
  /** Undefined for those of indexes and tables without one. */
  readonly rowid: number | undefined
  readonly values: readonly SqlValue[]
}

export interface PageRows {
  readonly rows: readonly Row[]
  /** Cells that cannot be decoded. */
  readonly unreadable: number
  /** False if the page is none of a b-tree: it may be damaged, unused, or the rest of a long row. */
  readonly isTree: boolean
}

const NOTHING: PageRows = { rows: [], unreadable: 0, isTree: false }

export function readRows(pages: DatabasePages, number: number, page: Buffer): PageRows {
  const start = number === 1 ? FILE_HEADER_BYTES : 0
  const type = page.readUInt8(start)
  if (type === TABLE_INNER) return { ...NOTHING, isTree: true }
  if (type !== TABLE_LEAF && type !== INDEX_LEAF && type !== INDEX_INNER) return NOTHING
  const cells = page.readUInt16BE(start + 3)
  const pointers = start + (type === INDEX_INNER ? 12 : 8)
  if (pointers + cells * 2 > pages.usableBytes) return NOTHING
  const rows: Row[] = []
  let unreadable = 0
  for (let index = 0; index < cells; index++) {
    try {
      rows.push(readCell(pages, page, page.readUInt16BE(pointers + index * 2), type))
    } catch (error) {
      if (!(error instanceof RangeError || error instanceof TypeError)) throw error
      unreadable++
    }
  }
  return { rows, unreadable, isTree: true }
}

function readCell(pages: DatabasePages, page: Buffer, at: number, type: number): Row {
  const length = readVarint(page, at + (type === INDEX_INNER ? 4 : 0))
  if (type !== TABLE_LEAF) return { rowid: undefined, values: decodeRecord(readPayload(pages, page, length, type)) }
  const rowid = readVarint(page, length.end)
  const payload = readPayload(pages, page, { value: length.value, end: rowid.end }, type)
  return { rowid: rowid.value, values: decodeRecord(payload) }
}

interface Extent {
  readonly value: number
  readonly end: number
}

/** The beginning of a long row is in the page, the rest in a chain of others. */
function readPayload(pages: DatabasePages, page: Buffer, { value: length, end: at }: Extent, type: number): Buffer {
  const { usableBytes: usable } = pages
  if (length > pages.count * usable) throw new RangeError('the row is longer than the file')
  const local = localBytes(length, usable, type)
  const parts = [page.subarray(at, at + local)]
  let link = page.subarray(at + local)
  for (let missing = length - local; missing > 0; missing -= usable - 4) {
    // Without it the record is too short.
    const overflow = pages.read(link.readUInt32BE(0)) ?? Buffer.alloc(0)
    parts.push(overflow.subarray(4, 4 + Math.min(missing, usable - 4)))
    link = overflow
  }
  return Buffer.concat(parts)
}

function localBytes(length: number, usable: number, type: number): number {
  const most = type === TABLE_LEAF ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  // A short row, with any remainder, is all of it.
  const fitting = least + ((length - least) % (usable - 4))
  return fitting <= most ? fitting : least
}
