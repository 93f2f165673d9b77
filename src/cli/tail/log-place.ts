/** A place in a log that is rotated: how far, and how the file begins, by which it is found again under any name. */
import { hash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { openSource } from '../import/open-source.ts'

export interface Place {
  readonly takenBytes: number
  /** Of the first bytes that were taken. */
  readonly headHash: string
  readonly headBytes: number
}

/** A file to be read, from a number of bytes on that count after decompression. */
export interface LogPart {
  readonly path: string
  readonly startBytes: number
}

/** Log lines begin with the time, so this many bytes are never the same twice. */
export const HEAD_BYTES = 1024

export function makePlace(head: Buffer, takenBytes: number): Place {
  const headBytes = Math.min(HEAD_BYTES, takenBytes)
  return { takenBytes, headBytes, headHash: hash('sha256', head.subarray(0, headBytes)) }
}

/**
 * What is to be read after the place, oldest first; the log itself is last. Undefined when the place is nowhere: then
 * all that is there came after it, or the log was emptied.
 */
export async function findPartsAfter(path: string, place: Place): Promise<readonly LogPart[] | undefined> {
  const candidates = (await listRotated(path)).toReversed()
  if (await isAt(path, place)) return [{ path, startBytes: place.takenBytes }]
  for (const [index, candidate] of candidates.entries()) {
    if (!(await isAt(candidate, place))) continue
    const later = candidates.slice(0, index).toReversed()
    const parts = [{ path: candidate, startBytes: place.takenBytes }]
    return [...parts, ...[...later, path].map((other) => ({ path: other, startBytes: 0 }))]
  }
  return undefined
}

/** Everything that is there, oldest first. */
export async function listParts(path: string): Promise<readonly LogPart[]> {
  return [...(await listRotated(path)), path].map((part) => ({ path: part, startBytes: 0 }))
}

interface RotatedFile {
  readonly path: string
  /** What follows the name of the log. */
  readonly ending: string
  readonly timeMs: number
}

/** `mail.log.1`, `mail.log.2.gz`, `mail.log-20261115`: oldest first. Those without a line have no place and are left out. */
async function listRotated(path: string): Promise<readonly string[]> {
  const [folder, name] = [dirname(path), basename(path)]
  const names = readdirSync(folder).filter(
    (other) => other.startsWith(name) && /^[.-]\w/.test(other.slice(name.length)),
  )
  const files = names.flatMap((other): RotatedFile[] => {
    const stats = statSync(join(folder, other), { throwIfNoEntry: false })
    if (!stats?.isFile() || stats.size === 0) return []
    return [{ path: join(folder, other), ending: other.slice(name.length), timeMs: stats.mtimeMs }]
  })
  const rank = [byNumber, byDate].find((candidate) => files.every((file) => candidate(file) !== undefined)) ?? byTime
  const sorted = files.toSorted((a, b) => (rank(a) ?? 0) - (rank(b) ?? 0) || byTime(a) - byTime(b))
  const isFilled = await Promise.all(
    sorted.map(async ({ path: file }) => !isCompressed(file) || (await readHead(file)).length > 0),
  )
  return sorted.filter((_, index) => isFilled[index]).map((file) => file.path)
}

/** The higher, the older. */
function byNumber({ ending }: RotatedFile): number | undefined {
  const [, digits] = /^\.(\d{1,4})(?:\.\w+)?$/.exec(ending) ?? []
  return digits === undefined ? undefined : -Number(digits)
}

/** `-20261115`, `-20261115-04`, `.2026-11-15`, `-1794714492`. */
function byDate({ ending }: RotatedFile): number | undefined {
  const [, digits] = /^[.-](\d[\d_.-]{6,}\d)(?:\.\w+)?$/.exec(ending) ?? []
  return digits === undefined ? undefined : Number(digits.replaceAll(/\D/g, '').padEnd(14, '0').slice(0, 14))
}

/** Of the last line, unless somebody copied the files. */
function byTime({ timeMs }: RotatedFile): number {
  return timeMs
}

async function isAt(path: string, place: Place): Promise<boolean> {
  const head = await readHead(path)
  return head.length >= place.headBytes && makePlace(head, place.headBytes).headHash === place.headHash
}

/** Decompressed; empty for what cannot be read. */
async function readHead(path: string): Promise<Buffer> {
  try {
    if (!isCompressed(path)) return readPlainHead(path)
    const parts: Buffer[] = []
    let bytes = 0
    for await (const chunk of (await openSource(path, () => undefined)).chunks) {
      parts.push(chunk)
      bytes += chunk.length
      if (bytes >= HEAD_BYTES) break
    }
    return Buffer.concat(parts)
  } catch {
    return Buffer.alloc(0)
  }
}

export function readPlainHead(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    return readHeadOf(file)
  } finally {
    closeSync(file)
  }
}

export function readHeadOf(file: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0))
}

export function isCompressed(path: string): boolean {
  return /\.(?:gz|zst)$/i.test(path)
}
