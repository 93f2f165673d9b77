/** A file or stdin as a stream of decompressed chunks. Compression is detected by content, not by name. */
import { createReadStream, statSync } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { AppError } from '../../lib/app-error.ts'
import { whyUnreadable } from './why-unreadable.ts'
import { isZstd, ZstdDecoder } from './zstd-decoder.ts'

const STDIN = '-'

const CHUNK_BYTES = 256 * 1024
const MAGIC_BYTES = 4

export interface Source {
  readonly name: string
  readonly chunks: AsyncGenerator<Buffer>
}

/** Throws AppError for a path that cannot be read. Called for all files before the first is imported. */
export function requireReadable(path: string): { sizeBytes: number } {
  if (path === STDIN) return { sizeBytes: 0 }
  try {
    const stat = statSync(path)
    if (stat.isDirectory()) throw new AppError('not_found', `${path} is a folder: name the files in it.`)
    return { sizeBytes: stat.size }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('not_found', `${path} cannot be read: ${whyUnreadable(error, 'file')}`)
  }
}

/** `onRead` gets the number of bytes read from disk, before decompression. */
export async function openSource(path: string, onRead: (bytes: number) => void): Promise<Source> {
  const raw = path === STDIN ? process.stdin : createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const read = counted(raw, onRead)
  const { head, rest } = await takeHead(read)
  const name = path === STDIN ? 'stdin' : path
  if (isGzip(head)) return { name, chunks: decodeGzip(rest) }
  if (isZstd(head)) return { name, chunks: decodeZstd(rest) }
  const [, ending] = COMPRESSED_NAME.exec(path) ?? []
  if (ending === undefined) return { name, chunks: rest }
  // Closes the file.
  await read.return(undefined)
  throw new AppError('invalid_payload', `${path} ends in .${ending} but its content is not compressed that way.`)
}

async function* decodeGzip(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // The reader of the decoder gets the errors; the callback only prevents them from being thrown here as well.
  yield* pipeline(Readable.from(chunks), createGunzip({ chunkSize: CHUNK_BYTES }), () => undefined)
}

/** Passes on empty chunks. The output of other chunks is never empty. */
export async function* decodeZstd(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new ZstdDecoder()
  try {
    for await (const chunk of chunks) {
      const decoded = chunk.length === 0 ? chunk : await decoder.decode(chunk)
      if (decoded.length > 0 || chunk.length === 0) yield decoded
    }
    await decoder.finish()
  } finally {
    decoder.close()
  }
}

async function* counted(raw: AsyncIterable<Buffer>, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of raw) {
    onRead(chunk.length)
    yield chunk
  }
}

/** The first bytes, and the whole stream including them. */
async function takeHead(chunks: AsyncGenerator<Buffer>): Promise<{ head: Buffer; rest: AsyncGenerator<Buffer> }> {
  let head = Buffer.alloc(0)
  while (head.length < MAGIC_BYTES) {
    const { value, done } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  async function* rest() {
    try {
      yield head
      yield* chunks
    } finally {
      // Closes the file also for a reader that needed no more than the head.
      await chunks.return(undefined)
    }
  }
  return { head, rest: rest() }
}

/** RFC 1952 section 2.3.1 */
function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b
}

/** Without compressed content, usually a broken download. */
const COMPRESSED_NAME = /\.(gz|zst)$/i
