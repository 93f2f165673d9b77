/** Reads a file to its end in chunks, with its SHA-256, and copies it on the way. */
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'

const CHUNK_BYTES = 1024 * 1024
/** Written data is flushed at this interval: the flush of a whole large file would hold up those of the server on the same disk. */
export const FLUSH_BYTES = 32 * 1024 * 1024

export interface Hashed {
  readonly bytes: number
  readonly sha256: string
}

export type OnBytes = (bytes: number) => void

export function hashFile(path: string, onBytes: OnBytes = () => undefined): Hashed {
  return readThrough(path, (chunk) => onBytes(chunk.length))
}

/** The copy is for its owner only, and durable when this returns. Throws if `to` exists. */
export function copyHashed(from: string, to: string, onBytes: OnBytes = () => undefined): Hashed {
  const target = openSync(to, 'wx', 0o600)
  try {
    let unflushed = 0
    const hashed = readThrough(from, (chunk) => {
      for (let at = 0; at < chunk.length; ) at += writeSync(target, chunk, at)
      unflushed += chunk.length
      if (unflushed >= FLUSH_BYTES) {
        fsyncSync(target)
        unflushed = 0
      }
      onBytes(chunk.length)
    })
    fsyncSync(target)
    return hashed
  } finally {
    closeSync(target)
  }
}

export function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

function readThrough(path: string, onChunk: (chunk: Buffer) => void): Hashed {
  const source = openSync(path, 'r')
  try {
    const hash = createHash('sha256')
    const buffer = Buffer.alloc(CHUNK_BYTES)
    let bytes = 0
    for (;;) {
      const length = readSync(source, buffer)
      if (length === 0) return { bytes, sha256: hash.digest('hex') }
      const chunk = buffer.subarray(0, length)
      hash.update(chunk)
      onChunk(chunk)
      bytes += length
    }
  } finally {
    closeSync(source)
  }
}
