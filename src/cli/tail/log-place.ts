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
  const candidates = [...(await listRotated(path)).toReversed()]
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

/** `mail.log.1`, `mail.log.2.gz`, `mail.log-20261115`: oldest first, by the time of their last line. */
async function listRotated(path: string): Promise<readonly string[]> {
  const [folder, name] = [dirname(path), basename(path)]
  const siblings = readdirSync(folder).filter((other) => /^[.-]\w/.test(other.slice(name.length)) && other.startsWith(name))
  const files = siblings.flatMap((other) => {
    const stats = statSync(join(folder, other), { throwIfNoEntry: false })
    return stats?.isFile() && stats.size > 0 ? [{ path: join(folder, other), timeMs: stats.mtimeMs }] : []
  })
  return files.toSorted((a, b) => a.timeMs - b.timeMs || b.path.localeCompare(a.path, 'en', { numeric: true })).map((file) => file.path)
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
