/** Finds a position among the files of a rotated log. */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isCompressed, type LogPart, makePosition, openLogFile, type Position } from './log-file.ts'

/**
 * The files after the position, oldest first; the log itself comes last. Undefined if no file holds the position: then all files
 * are newer, or the log was truncated.
 */
export async function findPartsAfter(path: string, position: Position): Promise<readonly LogPart[] | undefined> {
  const candidates = (await listRotated(path)).toReversed()
  if (await isAt(path, position)) return [{ path, startBytes: position.takenBytes }]
  for (const [index, candidate] of candidates.entries()) {
    if (!(await isAt(candidate, position))) continue
    const later = candidates.slice(0, index).toReversed()
    const parts = [{ path: candidate, startBytes: position.takenBytes }]
    return [...parts, ...[...later, path].map((other) => ({ path: other, startBytes: 0 }))]
  }
  return undefined
}

/** All files, oldest first. */
export async function listParts(path: string): Promise<readonly LogPart[]> {
  return [...(await listRotated(path)), path].map((part) => ({ path: part, startBytes: 0 }))
}

interface RotatedFile {
  readonly path: string
  /** The rest of its name after that of the log. */
  readonly ending: string
  readonly timeMs: number
}

/** `mail.log.1`, `mail.log.2.gz`, `mail.log-20261115`: oldest first. Empty files are skipped. */
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

/** Higher numbers are older. */
function byNumber({ ending }: RotatedFile): number | undefined {
  const [, digits] = /^\.(\d{1,4})(?:\.\w+)?$/.exec(ending) ?? []
  return digits === undefined ? undefined : -Number(digits)
}

/** `-20261115`, `-20261115-04`, `.2026-11-15`, `-1794714492`. */
function byDate({ ending }: RotatedFile): number | undefined {
  const [, digits] = /^[.-](\d[\d_.-]{6,}\d)(?:\.\w+)?$/.exec(ending) ?? []
  return digits === undefined ? undefined : Number(digits.replaceAll(/\D/g, '').padEnd(14, '0').slice(0, 14))
}

/** The time of the last line, unless the files were copied. */
function byTime({ timeMs }: RotatedFile): number {
  return timeMs
}

async function isAt(path: string, position: Position): Promise<boolean> {
  const head = await readHead(path)
  return head.length >= position.headBytes && makePosition(head, position.headBytes).headHash === position.headHash
}

/** Decompressed; empty if the file cannot be read. */
async function readHead(path: string): Promise<Buffer> {
  try {
    await using file = await openLogFile({ path, startBytes: 0 })
    return await file.readHead()
  } catch {
    return Buffer.alloc(0)
  }
}
