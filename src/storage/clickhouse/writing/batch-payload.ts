/** What a batch inserts, as the bytes that are kept until it is applied. */
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import type { TableName } from '../server/clickhouse.ts'
import type { EncodedEvents } from './encoded-events.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** More than a batch may have: what claims to be larger is damaged. */
const BYTES_MAX = 256 * 1024 * 1024
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }
const HEADER_LENGTH_BYTES = 4

export interface BatchContent {
  /** Without their numbers. */
  readonly events: EncodedEvents
  /** Bytes of the inserts into the other tables; none of them is empty. */
  readonly counts: readonly (readonly [Exclude<TableName, 'event'>, Uint8Array])[]
}

/** Names and lengths of the parts, in order. */
type Header = readonly (readonly [string, number])[]

export function packContent({ events, counts }: BatchContent): Promise<Uint8Array> {
  const { lengths } = events
  const parts: readonly (readonly [string, Uint8Array])[] = [
    ['lengths', new Uint8Array(lengths.buffer, lengths.byteOffset, lengths.byteLength)],
    ['event', events.bytes],
    ...counts,
  ]
  const header = Buffer.from(JSON.stringify(parts.map(([name, bytes]) => [name, bytes.length])))
  const headerLength = Buffer.alloc(HEADER_LENGTH_BYTES)
  headerLength.writeUInt32LE(header.length)
  return compress(Buffer.concat([headerLength, header, ...parts.map(([, bytes]) => bytes)]), LEVEL)
}

export async function unpackContent(payload: Uint8Array): Promise<BatchContent> {
  const bytes = await decompress(payload, { maxOutputLength: BYTES_MAX })
  let at = HEADER_LENGTH_BYTES + bytes.readUInt32LE()
  const header = JSON.parse(bytes.toString('utf8', HEADER_LENGTH_BYTES, at)) as Header
  const parts = header.map(([name, length]) => {
    at += length
    return [name, bytes.subarray(at - length, at)] as const
  })
  const [[, lengths] = [], [, events] = [], ...counts] = parts
  if (!lengths || !events) throw new Error('a batch has no events')
  // A copy: numbers of four bytes must begin at a multiple of four.
  const own = new Uint32Array(Uint8Array.from(lengths).buffer)
  return { events: { bytes: events, lengths: own }, counts: counts as BatchContent['counts'] }
}
