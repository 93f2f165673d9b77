/** Reads a request body into memory, with limits on its size, its decompressed size, and the memory of all requests together. */
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip, type ZstdDecompress, type ZstdOptions, zstdDecompress } from 'node:zlib'
import { AppError } from '../../lib/app-error.ts'
import { Slots } from '../../lib/turns/slots.ts'
import { SERVER_LIMITS } from '../server/server-limits.ts'

const { bodyBytes: BYTES_MAX } = SERVER_LIMITS
/** More than any encoder writes. Limited because each frame costs a call. */
const ZSTD_FRAMES_MAX = 1000

type Decode = (bytes: Buffer) => Promise<Buffer>

const DECODERS = new Map<string, Decode>([
  ['identity', async (bytes) => bytes],
  ['gzip', decodeGzip],
  ['x-gzip', decodeGzip],
  ['zstd', decodeZstd],
])

/** The memory limit that all request bodies share. */
export class BodyMemory {
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number = SERVER_LIMITS.bodyMemoryBytes) {
    this.#bytesMax = bytesMax
  }

  /** Memory that `use` reserves is released when it ends. */
  async lend<T>(use: (reserve: (bytes: number) => void) => Promise<T>): Promise<T> {
    let reserved = 0
    const reserve = (bytes: number) => {
      if (this.#bytes + bytes > this.#bytesMax)
        throw new AppError('overloaded', 'Too many large requests at once; retry later')
      this.#bytes += bytes
      reserved += bytes
    }
    try {
      return await use(reserve)
    } finally {
      this.#bytes -= reserved
    }
  }
}

/** Throws AppError `unsupported_encoding`, `payload_too_large`, `invalid_payload` or `overloaded`. */
export async function readBody(
  payload: Readable,
  contentEncoding: string | undefined,
  reserve: (bytes: number) => void,
): Promise<Buffer> {
  const decode = DECODERS.get(contentEncoding?.trim().toLowerCase() || 'identity')
  if (!decode) {
    payload.resume()
    throw new AppError('unsupported_encoding', 'The Content-Encoding must be gzip, zstd or identity')
  }
  const received = await collect(payload, reserve)
  if (decode === DECODERS.get('identity')) return received
  using _slot = await expansion.take()
  const decoded = await decode(received)
  reserve(decoded.length)
  return decoded
}

/** The size of a decompressed body is known only afterwards: decompressing few at a time limits the memory not yet reserved. */
const expansion = new Slots({ runningMax: 2 })

/** Reads to the end and discards everything. */
export async function discardBody(payload: Readable): Promise<void> {
  let bytes = 0
  await consume(payload, (chunk) => {
    bytes += chunk.length
    if (bytes > SERVER_LIMITS.ignoredBodyBytes) throw tooLarge(SERVER_LIMITS.ignoredBodyBytes)
  })
}

async function collect(payload: Readable, reserve: (bytes: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  await consume(payload, (chunk) => {
    bytes += chunk.length
    if (bytes > BYTES_MAX) throw tooLarge(BYTES_MAX)
    reserve(chunk.length)
    chunks.push(chunk)
  })
  return Buffer.concat(chunks, bytes)
}

/**
 * If `take` throws, the rest is read and discarded, so that the caller receives the response instead of a connection reset; the
 * request timeout limits this. (Async iteration would destroy the connection.)
 */
function consume(payload: Readable, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const brokenOff = () => stop(new AppError('invalid_payload', 'The request body is incomplete'))
    const stop = (error?: Error) => {
      payload.off('data', onData).off('end', stop).off('close', brokenOff)
      payload.resume()
      if (error) reject(error)
      else resolve()
    }
    const onData = (chunk: Buffer) => {
      try {
        take(chunk)
      } catch (error) {
        stop(error as Error)
      }
    }
    // The error listener stays: a late error without a listener would crash the process.
    payload.on('data', onData).once('end', stop).once('close', brokenOff).on('error', brokenOff)
  })
}

const gunzipBuffer = promisify(gunzip) as (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

/** Stops decompressing at the limit: a decompression bomb cannot fill the memory. */
async function decodeGzip(bytes: Buffer): Promise<Buffer> {
  try {
    return await gunzipBuffer(bytes, { maxOutputLength: BYTES_MAX })
  } catch (error) {
    throw undecodable(error, 'gzip')
  }
}

/** A body may contain several frames (RFC 8878 section 3); the decoder stops after each, so it is restarted for the next. */
async function decodeZstd(bytes: Buffer): Promise<Buffer> {
  const frames: Buffer[] = []
  let expanded = 0
  let at = 0
  do {
    if (frames.length === ZSTD_FRAMES_MAX) throw new AppError('invalid_payload', 'The body has too many zstd frames')
    const frame = await decodeZstdFrame(bytes.subarray(at), BYTES_MAX - expanded)
    frames.push(frame.content)
    expanded += frame.content.length
    if (expanded > BYTES_MAX) throw tooLarge(BYTES_MAX)
    at += frame.length
  } while (at < bytes.length)
  return frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames, expanded)
}

interface ZstdFrame {
  readonly content: Buffer
  /** Compressed length in bytes. */
  readonly length: number
}

async function decodeZstdFrame(bytes: Buffer, maxOutputLength: number): Promise<ZstdFrame> {
  try {
    const { buffer, engine } = await zstdDecompressInfo(bytes, {
      maxOutputLength: Math.max(1, maxOutputLength),
      info: true,
    })
    if (engine.bytesWritten === 0) throw new Error('nothing was decoded')
    return { content: buffer, length: engine.bytesWritten }
  } catch (error) {
    throw undecodable(error, 'zstd')
  }
}

type DecompressInfo = { readonly buffer: Buffer; readonly engine: ZstdDecompress }

const zstdDecompressInfo = promisify(zstdDecompress) as unknown as (
  bytes: Buffer,
  options: ZstdOptions,
) => Promise<DecompressInfo>

function undecodable(error: unknown, encoding: string): AppError {
  if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(BYTES_MAX)
  return new AppError('invalid_payload', `The body cannot be decoded as ${encoding}`, { cause: error })
}

function tooLarge(bytes: number): AppError {
  return new AppError('payload_too_large', `The request body is larger than ${bytes} bytes`)
}
