/**
 * How far a source was read, and the state that goes with it: a small map on disk. Every commit appends one line to a journal,
 * so that its cost depends on what changed; a line that a crash has cut short is ignored.
 */
import {
  closeSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { lockFile } from '../../../storage/sqlite/database/data-folder-lock.ts'

/** Values are JSON; undefined removes the key. */
export type Change = readonly [key: string, value: unknown]

export interface Checkpoint extends Disposable {
  get(key: string): unknown
  /** Everything whose key starts with the prefix. */
  list(prefix: string): readonly Change[]
  /** On the disk when it returns. */
  commit(changes: readonly Change[]): void
}

/** The journal is rewritten when it has this many bytes, and several times as many as its content needs. */
const REWRITE_BYTES = 1_000_000
const REWRITE_RATIO = 4

/** Throws AppError `conflict` for the checkpoint of another source, and while another process has it. */
export function openCheckpoint(path: string, source: string): Checkpoint {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const lock = lockFile(`${path}.lock`, `Another process follows the same source (checkpoint ${path}). Stop it first.`)
  try {
    return new JournalCheckpoint(path, source, lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

class JournalCheckpoint implements Checkpoint {
  readonly #path: string
  readonly #source: string
  readonly #lock: { release(): void }
  readonly #values = new Map<string, unknown>()
  #file: number
  #bytes = 0
  #rewriteAtBytes = REWRITE_BYTES

  constructor(path: string, source: string, lock: { release(): void }) {
    this.#path = path
    this.#source = source
    this.#lock = lock
    const wholeBytes = this.#load()
    if (wholeBytes === 0) {
      this.#file = this.#write()
      return
    }
    this.#file = openSync(path, 'a', 0o600)
    this.#bytes = wholeBytes
    ftruncateSync(this.#file, wholeBytes)
  }

  get(key: string): unknown {
    return this.#values.get(key)
  }

  list(prefix: string): readonly Change[] {
    return [...this.#values].filter(([key]) => key.startsWith(prefix))
  }

  commit(changes: readonly Change[]): void {
    if (changes.length === 0) return
    const line = Buffer.from(`${JSON.stringify(changes)}\n`)
    try {
      writeWhole(this.#file, line)
      fdatasyncSync(this.#file)
    } catch (error) {
      // Half a line must not precede the next one.
      ftruncateSync(this.#file, this.#bytes)
      throw new AppError('storage_unavailable', `The checkpoint ${this.#path} cannot be written`, { cause: error })
    }
    this.#apply(changes)
    this.#bytes += line.length
    if (this.#bytes >= this.#rewriteAtBytes) this.#rewrite()
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
    this.#lock.release()
  }

  /** Bytes of complete lines in the journal; 0 if there is none. */
  #load(): number {
    const text = readText(this.#path)
    const wholeText = text.slice(0, text.lastIndexOf('\n') + 1)
    const [header, ...lines] = wholeText.split('\n')
    if (header === undefined || header === '') return 0
    try {
      requireSource(JSON.parse(header), this.#source)
      for (const line of lines) if (line !== '') this.#apply(JSON.parse(line) as readonly Change[])
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      throw new AppError(
        'conflict',
        `The checkpoint ${this.#path} cannot be used: ${problem}. Move it away to start again.`,
      )
    }
    return Buffer.byteLength(wholeText)
  }

  #apply(changes: readonly Change[]): void {
    for (const [key, value] of changes) {
      // JSON has no undefined: it is read back as null, or is missing.
      if (value === undefined || value === null) this.#values.delete(key)
      else this.#values.set(key, value)
    }
  }

  #rewrite(): void {
    closeSync(this.#file)
    this.#file = this.#write()
  }

  /** Renamed into place when complete. */
  #write(): number {
    const lines = [
      JSON.stringify({ checkpoint: this.#source }),
      ...chunked([...this.#values], 1000).map((part) => JSON.stringify(part)),
    ]
    const text = Buffer.from(`${lines.join('\n')}\n`)
    const draft = `${this.#path}.new`
    const file = openSync(draft, 'w', 0o600)
    writeWhole(file, text)
    fsyncSync(file)
    renameSync(draft, this.#path)
    syncFolder(dirname(this.#path))
    this.#bytes = text.length
    this.#rewriteAtBytes = Math.max(REWRITE_BYTES, this.#bytes * REWRITE_RATIO)
    return file
  }
}

function requireSource(header: unknown, source: string): void {
  const found = typeof header === 'object' && header !== null && 'checkpoint' in header ? header.checkpoint : undefined
  if (found !== source) throw new Error(`it belongs to ${JSON.stringify(found)}, not to ${JSON.stringify(source)}`)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

/** A disk that fills up accepts only a part. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}

function chunked<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const parts: T[][] = []
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size))
  return parts
}
