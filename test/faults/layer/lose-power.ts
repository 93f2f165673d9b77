/**
 * Turns a folder as a killed process left it into one that a power loss could have left: changes that were never synced are
 * undone, all of them or a random part. Data is undone by sectors of 512 bytes, each of which gets one of the versions that it had
 * since the last sync; changes of names in a folder are undone from a random one on, as journaling file systems do.
 */
import { linkSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SeededRandom } from '../../../src/lib/seeded-random.ts'
import { readUndoJournal, type UndoRecord } from './undo-journal.ts'

const SECTOR_BYTES = 512

export interface PowerLoss {
  /** Writes and truncations that were not synced. */
  readonly unsynced: number
  /** Files whose content was changed. */
  readonly files: number
  /** Creations, renames and removals that were undone. */
  readonly names: number
}

/** How much of what was not synced is lost; a disk may have written any part of it. */
type Extents = readonly { readonly extent: 'all' | 'some' | 'none'; readonly weight: number }[]
const ANY_EXTENT: Extents = [
  { extent: 'all', weight: 5 },
  { extent: 'some', weight: 4 },
  { extent: 'none', weight: 1 },
]
export const EVERYTHING: Extents = [{ extent: 'all', weight: 1 }]

type Change = Extract<UndoRecord, { readonly kind: 'write' | 'truncate' }>
type NameChange = Exclude<UndoRecord, Change | { readonly kind: 'sync' | 'syncFolder' }>

export function losePower(
  {
    root,
    journal,
    extents = ANY_EXTENT,
  }: { readonly root: string; readonly journal: string; readonly extents?: Extents },
  random: SeededRandom,
): PowerLoss {
  const records = readUndoJournal(join(journal, 'undo'))
  const changes = listUnsyncedChanges(records)
  const paths = findPaths([root, journal])
  let files = 0
  for (const [ino, unsynced] of changes) {
    const path = paths.get(ino)
    // Without a name: it was removed, and its removal is durable.
    if (path === undefined) continue
    files++
    const { extent } = random.pickWeighted(extents)
    if (extent === 'none') continue
    const content = undoChanges(
      readFileSync(path),
      unsynced,
      extent === 'all' ? () => 0 : chooseVersions(unsynced, random),
    )
    writeFileSync(path, content)
  }
  const names = listUnsyncedNames(records, extents, random)
  for (const change of names.toReversed()) undoName(change, journal)
  for (const path of findPaths([root]).values()) if (path.endsWith('-shm')) rmSync(path)
  return { unsynced: [...changes.values()].flat().length, files, names: names.length }
}

/** By inode: the file may have been renamed since. */
function listUnsyncedChanges(records: readonly UndoRecord[]): ReadonlyMap<number, readonly Change[]> {
  const changes = new Map<number, Change[]>()
  for (const record of records) {
    if (record.kind === 'write' || record.kind === 'truncate') {
      const list = changes.get(record.ino) ?? []
      list.push(record)
      changes.set(record.ino, list)
    } else if (record.kind === 'sync') {
      const left = changes.get(record.ino)?.filter(({ seq }) => seq > record.until) ?? []
      changes.set(record.ino, left)
    }
  }
  return new Map([...changes].filter(([, left]) => left.length > 0))
}

/** Returns the number of the last change that a sector keeps; the size of the file is sector -1. */
type VersionOf = (sector: number) => number

function chooseVersions(changes: readonly Change[], random: SeededRandom): VersionOf {
  const chosen = new Map<number, number>()
  const versions = [0, ...changes.map(({ seq }) => seq)]
  return (sector) => {
    const version = chosen.get(sector) ?? random.pick(versions)
    chosen.set(sector, version)
    return version
  }
}

function undoChanges(current: Buffer, changes: readonly Change[], versionOf: VersionOf): Buffer {
  const room = Math.max(current.length, ...changes.map(({ oldSize }) => oldSize))
  const content = Buffer.alloc(room)
  current.copy(content)
  let size = current.length
  for (const change of changes.toReversed()) {
    if (change.seq > versionOf(-1)) size = change.oldSize
    const from = change.kind === 'write' ? change.at : Math.min(change.size, change.oldSize)
    const to = change.kind === 'write' ? change.at + change.length : Math.max(change.size, change.oldSize)
    for (let at = from; at < Math.min(to, room); ) {
      const sector = Math.floor(at / SECTOR_BYTES)
      const end = Math.min((sector + 1) * SECTOR_BYTES, to, room)
      // Bytes that were not there before are zero.
      if (change.seq > versionOf(sector)) {
        content.fill(0, at, end)
        content.set(change.old.subarray(at - from, end - from), at)
      }
      at = end
    }
  }
  return content.subarray(0, size)
}

/** The changes of names that are lost, oldest first: in every folder all from some change on. */
function listUnsyncedNames(
  records: readonly UndoRecord[],
  extents: Extents,
  random: SeededRandom,
): readonly NameChange[] {
  const folders = new Map<string, NameChange[]>()
  for (const record of records) {
    if (record.kind === 'syncFolder') {
      const left = folders.get(record.path)?.filter(({ seq }) => seq > record.until) ?? []
      folders.set(record.path, left)
    } else if (record.kind !== 'sync' && record.kind !== 'write' && record.kind !== 'truncate') {
      if (record.path.endsWith('-shm')) continue
      const list = folders.get(dirname(record.path)) ?? []
      list.push(record)
      folders.set(dirname(record.path), list)
    }
  }
  const lost = [...folders.values()].flatMap((changes) => {
    const { extent } = random.pickWeighted(extents)
    return changes.slice(extent === 'all' ? 0 : extent === 'none' ? changes.length : random.below(changes.length + 1))
  })
  return lost.toSorted((a, b) => a.seq - b.seq)
}

function undoName(change: NameChange, journal: string): void {
  const { path } = change
  if (!('grave' in change)) {
    rmSync(path, { recursive: true, force: true })
    return
  }
  if (change.kind === 'rename' && exists(path)) renameSync(path, change.from)
  if (change.grave > 0 && !exists(path)) linkSync(join(journal, String(change.grave)), path)
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

function findPaths(folders: readonly string[]): ReadonlyMap<number, string> {
  const entries = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  const found = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(found.map((path) => [lstatSync(path).ino, path]))
}
