/** The journal of the fault layer: every change below the folder with what it replaced, and every sync. */
import { readFileSync } from 'node:fs'

/** `seq` is the order of all changes; a sync covers those up to `until`. */
export type UndoRecord =
  | ({
      readonly kind: 'write'
      readonly seq: number
      readonly ino: number
      readonly at: number
      readonly length: number
    } & Replaced)
  | ({ readonly kind: 'truncate'; readonly seq: number; readonly ino: number; readonly size: number } & Replaced)
  | { readonly kind: 'create' | 'mkdir'; readonly seq: number; readonly ino: number; readonly path: string }
  /** `grave`: the link to the file that lost its name, in the journal's folder. */
  | {
      readonly kind: 'rename'
      readonly seq: number
      readonly ino: number
      readonly from: string
      readonly path: string
      readonly grave: number
    }
  | {
      readonly kind: 'unlink'
      readonly seq: number
      readonly ino: number
      readonly path: string
      readonly grave: number
    }
  | { readonly kind: 'sync'; readonly ino: number; readonly until: number }
  | { readonly kind: 'syncFolder'; readonly path: string; readonly until: number }

interface Replaced {
  readonly oldSize: number
  /** The bytes from `at` or `size` on, as far as there were any. */
  readonly old: Uint8Array
}

/** The struct `record` of fault-layer.c. */
const HEADER_BYTES = 48

/** A record that the kill cut short belongs to a change that was not made. */
export function readUndoJournal(path: string): readonly UndoRecord[] {
  const bytes = readFileSync(path)
  const records: UndoRecord[] = []
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const end = at + HEADER_BYTES + bytes.readUInt32LE(at + 4)
    if (end > bytes.length) break
    records.push(parseRecord(bytes.subarray(at, end)))
    at = end
  }
  return records
}

function parseRecord(bytes: Buffer): UndoRecord {
  const number = (field: number) => Number(bytes.readBigInt64LE(8 + 8 * field))
  const [seq, ino, a, b, c] = [number(0), number(1), number(2), number(3), number(4)]
  const payload = bytes.subarray(HEADER_BYTES)
  const kind = String.fromCharCode(bytes.readUInt32LE(0))
  switch (kind) {
    case 'W':
      return { kind: 'write', seq, ino, at: a, length: c, oldSize: b, old: payload }
    case 'T':
      return { kind: 'truncate', seq, ino, size: a, oldSize: b, old: payload }
    case 'C':
      return { kind: 'create', seq, ino, path: payload.toString() }
    case 'M':
      return { kind: 'mkdir', seq, ino, path: payload.toString() }
    case 'R': {
      const [from = '', path = ''] = payload.toString().split('\0')
      return { kind: 'rename', seq, ino, from, path, grave: a }
    }
    case 'U':
      return { kind: 'unlink', seq, ino, path: payload.toString(), grave: a }
    case 'S':
      return { kind: 'sync', ino, until: a }
    case 'D':
      return { kind: 'syncFolder', path: payload.toString(), until: a }
    default:
      throw new Error(`a record of unknown kind: ${kind}`)
  }
}
