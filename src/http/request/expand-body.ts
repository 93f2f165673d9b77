/** Decompresses request bodies: few at a time, keys in turn, each within a limit that is reserved beforehand. */
import { promisify } from 'node:util'
import { gunzip, type ZstdDecompress, type ZstdOptions, zstdDecompress } from 'node:zlib'
import { AppError } from '../../lib/app-error.ts'
import { FairSlots } from '../../lib/turns/fair-slots.ts'
import { SERVER_LIMITS } from '../server/server-limits.ts'
import type { Loan } from './body-memory.ts'

/** More than any encoder writes. Limited because each frame costs a call, even an empty one of nine bytes. */
const ZSTD_FRAMES_MAX = 1000
const ZSTD_FRAMES_FREE = 64
const ZSTD_FRAME_BYTES = 128
/** Each chunk is a round trip to another thread; with the 16 KiB of the default, these cost more than the decompression. */
const CHUNK_BYTES = 64 * 1024

/** Throws AppError `payload_too_large` above `bytesMax`, `invalid_payload` if the bytes cannot be decoded. */
type Decode = (bytes: Buffer, bytesMax: number) => Promise<Buffer>

const DECODERS = new Map<string, Decode>([
  ['gzip', decodeGzip],
  ['x-gzip', decodeGzip],
  ['zstd', decodeZstd],
])

/** Whose body is expanded, and its memory. */
export interface Expansion {
  readonly keyId: string
  readonly loan: Loan
}

/** Of all requests together: decompression shares its threads with the disk. */
const expanding = new FairSlots({
  runningMax: SERVER_LIMITS.expandedAtOnce,
  waitingMaxPerKey: SERVER_LIMITS.waitingToExpandPerKey,
})

export function isExpandable(encoding: string): boolean {
  return DECODERS.has(encoding)
}

/** Throws AppError `payload_too_large`, `invalid_payload` or `overloaded`. */
export async function expandBody(bytes: Buffer, encoding: string, { keyId, loan }: Expansion): Promise<Buffer> {
  using slot = await expanding.take(keyId)
  if (!slot) throw new AppError('overloaded', 'Too many compressed requests with this key at once; retry later')
  const bytesMax = expandedBytesMax(bytes.length)
  loan.reserve(bytesMax)
  const expanded = await DECODERS.get(encoding)?.(bytes, bytesMax)
  if (!expanded) throw new Error(`nothing expands ${encoding}`)
  loan.release(bytesMax - expanded.length)
  return expanded
}

/** A few hundred bytes can expand to 16 MiB. Bodies of events compress to a tenth; copies of a single event, to a 200th with gzip. */
function expandedBytesMax(sentBytes: number): number {
  const { bodyBytes, expandedBytesFree, expansionRatio } = SERVER_LIMITS
  return Math.min(bodyBytes, expandedBytesFree + expansionRatio * sentBytes)
}

const gunzipBuffer = promisify(gunzip) as (
  bytes: Buffer,
  options: { maxOutputLength: number; chunkSize: number },
) => Promise<Buffer>

async function decodeGzip(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  try {
    return await gunzipBuffer(bytes, { maxOutputLength: bytesMax, chunkSize: CHUNK_BYTES })
  } catch (error) {
    throw undecodable(error, 'gzip', bytesMax)
  }
}

/** A body may contain several frames (RFC 8878 section 3); the decoder stops after each, so it is restarted for the next. */
async function decodeZstd(bytes: Buffer, bytesMax: number): Promise<Buffer> {
  const frames: Buffer[] = []
  let expanded = 0
  let at = 0
  const framesMax = Math.min(ZSTD_FRAMES_MAX, ZSTD_FRAMES_FREE + Math.floor(bytes.length / ZSTD_FRAME_BYTES))
  do {
    if (frames.length === framesMax) throw new AppError('invalid_payload', 'The body has too many zstd frames')
    const frame = await decodeZstdFrame(bytes.subarray(at), bytesMax - expanded, bytesMax)
    frames.push(frame.content)
    expanded += frame.content.length
    if (expanded > bytesMax) throw expandsTooFar(bytesMax)
    at += frame.length
  } while (at < bytes.length)
  const [first, ...others] = frames
  return first && others.length === 0 ? first : Buffer.concat(frames, expanded)
}

interface ZstdFrame {
  readonly content: Buffer
  /** Compressed length in bytes. */
  readonly length: number
}

async function decodeZstdFrame(bytes: Buffer, room: number, bytesMax: number): Promise<ZstdFrame> {
  try {
    const { buffer, engine } = await zstdDecompressInfo(bytes, {
      maxOutputLength: Math.max(1, room),
      chunkSize: CHUNK_BYTES,
      info: true,
    })
    // Otherwise the loop over the frames would never end.
    if (engine.bytesWritten === 0) throw new Error('nothing was decoded')
    return { content: buffer, length: engine.bytesWritten }
  } catch (error) {
    throw undecodable(error, 'zstd', bytesMax)
  }
}

type DecompressInfo = { readonly buffer: Buffer; readonly engine: ZstdDecompress }

const zstdDecompressInfo = promisify(zstdDecompress) as unknown as (
  bytes: Buffer,
  options: ZstdOptions,
) => Promise<DecompressInfo>

function undecodable(error: unknown, encoding: string, bytesMax: number): AppError {
  if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return expandsTooFar(bytesMax)
  return new AppError('invalid_payload', `The body cannot be decoded as ${encoding}`, { cause: error })
}

function expandsTooFar(bytesMax: number): AppError {
  const message =
    bytesMax === SERVER_LIMITS.bodyBytes
      ? `The request body is larger than ${bytesMax} bytes`
      : `The request body expands too far: to more than ${bytesMax} bytes, the limit for its size as sent`
  return new AppError('payload_too_large', message)
}
