/** Damages the files of days as disks do: a page of a kind, the header, the end, everything. */
import { closeSync, openSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { readRows } from '../../../src/storage/sqlite/repair/cells.ts'
import { DatabasePages } from '../../../src/storage/sqlite/repair/database-pages.ts'
import { recognize } from '../../../src/storage/sqlite/repair/day-rows.ts'

const PAGE = 4096
const INDEX_INNER = 0x02
const INDEX_LEAF = 0x0a
const TABLE_LEAF = 0x0d

export const PAGE_KINDS = ['event leaf', 'event interior', 'message leaf', 'shared texts', 'arrivals', 'index'] as const
export type PageKind = (typeof PAGE_KINDS)[number]

/** The numbers of the pages of a kind. The file must not have a WAL. */
export function findPages(path: string, kind: PageKind): readonly number[] {
  using pages = new DatabasePages(path)
  const free = pages.listFree()
  return Array.from({ length: pages.count }, (_, index) => index + 1).filter((number) => {
    const page = pages.read(number)
    return page !== undefined && !free.has(number) && kindOf(pages, number, page) === kind
  })
}

function kindOf(pages: DatabasePages, number: number, page: Buffer): PageKind | undefined {
  const type = page.readUInt8(number === 1 ? 100 : 0)
  const [row] = readRows(pages, number, page).rows
  if (!row || number === 1) return undefined
  const table = recognize(row)?.table
  if (table === 'event') return type === INDEX_INNER ? 'event interior' : 'event leaf'
  if (table === 'message') return 'message leaf'
  if (table === 'mailing' || table === 'circumstance') return type === TABLE_LEAF ? 'shared texts' : undefined
  if (table === 'arrival_batch') return 'arrivals'
  // Three numbers: events by type or by code.
  return type === INDEX_LEAF && row.values.length === 3 ? 'index' : undefined
}

/** A page in the middle of those of its kind. */
export function damagePage(path: string, kind: PageKind): number {
  const found = findPages(path, kind)
  const number = found[Math.floor(found.length / 2)]
  if (number === undefined) throw new Error(`${path} has no page of the kind ${kind}`)
  overwrite(path, (number - 1) * PAGE, Buffer.alloc(PAGE, 0xa5))
  return number
}

export function overwrite(path: string, at: number, bytes: Uint8Array): void {
  const file = openSync(path, 'r+')
  writeSync(file, bytes, 0, bytes.length, at)
  closeSync(file)
}

/** What can happen to the file as a whole. */
export const FILE_DAMAGES: Readonly<Record<string, (path: string) => void>> = {
  'the header overwritten': (path) => overwrite(path, 0, Buffer.alloc(100)),
  'the schema overwritten': (path) => overwrite(path, 100, Buffer.alloc(PAGE - 100, 0xff)),
  'its second half cut off': (path) => truncateSync(path, Math.floor(statSync(path).size / 2 / PAGE) * PAGE),
  'its end cut off within a page': (path) => truncateSync(path, statSync(path).size - 1000),
  'random bytes': (path) => writeFileSync(path, scramble(readFileSync(path))),
}

/** Random, and the same every time. */
function scramble(bytes: Buffer): Buffer {
  let state = 1
  return bytes.map(() => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state >>> 24
  }) as Buffer
}

/** Flips a byte in the middle of the WAL. Returns false if it is too short for that. */
export function damageWal(path: string): boolean {
  const bytes = readFileSync(`${path}-wal`)
  if (bytes.length < 20 * (PAGE + 24)) return false
  const at = 32 + Math.floor((bytes.length - 32) / (PAGE + 24) / 2) * (PAGE + 24) + 24 + 2000
  bytes[at] = (bytes[at] ?? 0) ^ 0xff
  writeFileSync(`${path}-wal`, bytes)
  return true
}
