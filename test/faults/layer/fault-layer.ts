/** The fault layer, compiled from fault-layer.c, and how a running process is controlled through it. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE = join(import.meta.dirname, 'fault-layer.c')
const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/envelog-faults')

/** Operations of the process on files below the folder. */
export const OPS = { read: 1, write: 2, sync: 4, create: 8, rename: 16, unlink: 32, truncate: 64 } as const
export type Op = keyof typeof OPS
export const CHANGES: readonly Op[] = ['write', 'sync', 'create', 'rename', 'unlink', 'truncate']

export const ENOSPC = 28
export const EIO = 5
/** Not an error: the process is killed before the operation. */
export const KILL = -1

export interface Fault {
  readonly ops: readonly Op[]
  /** An errno, or KILL. */
  readonly error: number
  /** Fires at the nth operation, counted from now. */
  readonly nth: number
  /** And at every later one. */
  readonly isPermanent?: boolean
  /** Only for paths that contain this. */
  readonly match?: string
}

/** The struct `control` of fault-layer.c. */
const BYTES = 256
const AT = { clock: 0, ignoresSync: 8, syncUs: 12, fault: 16, fired: 36, match: 40, counts: 104 } as const
const MATCH_BYTES = 64

/** Compiles the layer unless this version of it was compiled before. Throws without a compiler. */
export function compileFaultLayer(): string {
  const hash = createHash('sha256').update(readFileSync(SOURCE)).update(process.arch).digest('hex').slice(0, 16)
  const library = join(CACHE, `fault-layer-${hash}.so`)
  if (existsSync(library)) return library
  mkdirSync(CACHE, { recursive: true })
  const draft = `${library}.${process.pid}`
  const args = [
    '-O2',
    '-Wall',
    '-Werror',
    '-U_FORTIFY_SOURCE',
    '-shared',
    '-fPIC',
    '-o',
    draft,
    SOURCE,
    '-ldl',
    '-lpthread',
  ]
  const { status, stderr, error } = spawnSync('gcc', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`the fault layer cannot be compiled: ${error?.message ?? stderr}`)
  renameSync(draft, library)
  return library
}

export class FaultLayer implements Disposable {
  readonly #file: number
  /** For the process. */
  readonly env: Readonly<Record<string, string>>

  /** `folder`: of the control file. `journal`: an empty folder on the same file system as `root`, for power loss. */
  constructor(folder: string, { root, journal }: { readonly root: string; readonly journal?: string }) {
    const control = join(folder, 'control')
    this.#file = openSync(control, 'w+')
    writeSync(this.#file, Buffer.alloc(BYTES), 0, BYTES, 0)
    this.env = {
      LD_PRELOAD: compileFaultLayer(),
      FAULT_ROOT: root,
      FAULT_CONTROL: control,
      ...(journal !== undefined && { FAULT_JOURNAL: journal }),
      // Its writes do not go through the C library.
      UV_USE_IO_URING: '0',
    }
    // A real sync by default.
    this.#write(AT.syncUs, int32(-1))
  }

  /** How far the wall clock of the process is ahead. */
  set clockOffsetMs(milliseconds: number) {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(milliseconds))
    this.#write(AT.clock, bytes)
  }

  /** The time of a simulated sync, which never reaches the disk. */
  set syncMicroseconds(microseconds: number) {
    this.#write(AT.syncUs, int32(microseconds))
  }

  /** A disk that reports syncs as done and does nothing. */
  set ignoresSync(value: boolean) {
    this.#write(AT.ignoresSync, int32(value ? 1 : 0))
  }

  arm({ ops, error, nth, isPermanent = false, match = '' }: Fault): void {
    this.disarm()
    const name = Buffer.alloc(MATCH_BYTES)
    if (name.write(match) >= MATCH_BYTES) throw new RangeError(`too long: ${match}`)
    this.#write(AT.match, name)
    const rest = Buffer.alloc(20)
    rest.writeInt32LE(error, 0)
    rest.writeBigInt64LE(BigInt(nth), 4)
    rest.writeInt32LE(isPermanent ? 1 : 0, 12)
    this.#write(AT.fault + 4, rest)
    // Last: the process may look at any time.
    this.#write(AT.fault, int32(ops.reduce((mask, op) => mask | OPS[op], 0)))
  }

  disarm(): void {
    this.#write(AT.fault, int32(0))
  }

  get isArmed(): boolean {
    return this.#read(AT.fault, 4).readUInt32LE() !== 0
  }

  /** How often the fault that was armed last has struck. */
  get fired(): number {
    return this.#read(AT.fired, 4).readUInt32LE()
  }

  /** How many operations of a kind there were. */
  count(op: Op): number {
    return Number(this.#read(AT.counts + 8 * Math.log2(OPS[op]), 8).readBigUInt64LE())
  }

  #write(at: number, bytes: Uint8Array): void {
    writeSync(this.#file, bytes, 0, bytes.length, at)
  }

  #read(at: number, size: number): Buffer {
    const bytes = Buffer.alloc(size)
    readSync(this.#file, bytes, 0, size, at)
    return bytes
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32LE(value)
  return bytes
}
