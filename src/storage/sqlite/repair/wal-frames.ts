/**
 * The frames of a WAL, read without SQLite: it ignores everything after the first frame that is damaged, although every commit
 * was on the disk. https://sqlite.org/fileformat2.html#walformat
 */
import { readFileSync } from 'node:fs'

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The lowest bit says in which order of bytes the checksums are computed. */
const MAGIC = 0x37_7f_06_82

export interface WalFrame {
  readonly page: number
  readonly content: Buffer
  /** Whether the checksum is right, given that of the frame before. */
  readonly isIntact: boolean
  readonly isCommit: boolean
}

type Checksum = readonly [number, number]

/** Every frame up to the last commit, in order; what follows was never acknowledged. Empty without a WAL. */
export function readWal(path: string): readonly WalFrame[] {
  const bytes = readIfThere(path)
  if (bytes.length < HEADER_BYTES) return []
  const header = bytes.subarray(0, HEADER_BYTES)
  const isBigEndian = (header.readUInt32BE(0) & 1) === 1
  const pageSize = header.readUInt32BE(8)
  const frameBytes = FRAME_HEADER_BYTES + pageSize
  if ((header.readUInt32BE(0) & ~1) >>> 0 !== MAGIC || !isPageSize(pageSize)) return []
  // A damaged header has the wrong salts; the first frame has them as well.
  const isHeaderIntact = isEqual(checksum(header.subarray(0, 24), isBigEndian), checksumAt(header, 24))
  const salts = (isHeaderIntact ? header : bytes).subarray(isHeaderIntact ? 16 : HEADER_BYTES + 8).subarray(0, 8)
  const frames: WalFrame[] = []
  let commits = 0
  let before = checksumAt(header, 24)
  for (let at = HEADER_BYTES; at + frameBytes <= bytes.length; at += frameBytes) {
    const frame = bytes.subarray(at, at + frameBytes)
    const stored = checksumAt(frame, 16)
    // Frames from before the WAL was last started over have other salts.
    if (frame.subarray(8, 16).equals(salts)) {
      const content = frame.subarray(FRAME_HEADER_BYTES)
      const expected = checksum(content, isBigEndian, checksum(frame.subarray(0, 8), isBigEndian, before))
      const isCommit = frame.readUInt32BE(4) > 0
      frames.push({ page: frame.readUInt32BE(0), content, isIntact: isEqual(expected, stored), isCommit })
      if (isCommit) commits = frames.length
    }
    before = stored
  }
  return frames.slice(0, commits)
}

/**
 * Whether SQLite would silently drop commits that were acknowledged: a frame is damaged, and at least one whole commit follows
 * the one that it belongs to. The last commit may be torn by a power cut; it was not acknowledged then.
 */
export function hasLostCommits(frames: readonly WalFrame[]): boolean {
  let isDamaged = false
  let hasEnded = false
  for (const { isIntact, isCommit } of frames) {
    if (hasEnded && isCommit && isIntact) return true
    if (!isIntact) isDamaged = true
    if (isDamaged && isCommit) hasEnded = true
  }
  return false
}

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}

export function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0
}

function checksum(bytes: Buffer, isBigEndian: boolean, [a, b]: Checksum = [0, 0]): Checksum {
  let first = a
  let second = b
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + second) >>> 0
    second = (second + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + first) >>> 0
  }
  return [first, second]
}

function checksumAt(bytes: Buffer, at: number): Checksum {
  return [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)]
}

function isEqual([a, b]: Checksum, [c, d]: Checksum): boolean {
  return a === c && b === d
}
