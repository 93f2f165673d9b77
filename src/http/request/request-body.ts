/** Reads a request body into memory, with limits on its size, its decompressed size, and the memory of all requests together. */
import type { Readable } from 'node:stream'
import { AppError } from '../../lib/app-error.ts'
import { GrowingBuffer } from '../../lib/growing-buffer.ts'
import { SERVER_LIMITS } from '../server/server-limits.ts'
import { type Expansion, expandBody, isExpandable } from './expand-body.ts'

/** The headers that matter here. */
export interface BodyHeaders {
  readonly 'content-encoding'?: string | undefined
  readonly 'content-length'?: string | undefined
}

/** For known callers only. Throws AppError `unsupported_encoding`, `payload_too_large`, `invalid_payload` or `overloaded`. */
export async function readBody(payload: Readable, headers: BodyHeaders, expansion: Expansion): Promise<Buffer> {
  const encoding = encodingOf(headers)
  const reserve = (bytes: number) => expansion.loan.reserve(bytes)
  if (encoding === IDENTITY) return collect(payload, headers, SERVER_LIMITS.bodyBytes, reserve)
  if (!isExpandable(encoding)) {
    payload.resume()
    throw new AppError('unsupported_encoding', 'The Content-Encoding must be gzip, zstd or identity')
  }
  const received = await collect(payload, headers, SERVER_LIMITS.bodyBytes, reserve)
  return expandBody(received, encoding, expansion)
}

/** Never decompresses. Throws AppError `unsupported_encoding`, `payload_too_large` or `invalid_payload`. */
export async function readSmallBody(payload: Readable, headers: BodyHeaders, bytesMax: number): Promise<Buffer> {
  if (encodingOf(headers) !== IDENTITY) {
    payload.resume()
    throw new AppError('unsupported_encoding', 'Compressed bodies are accepted under /ingest only')
  }
  return collect(payload, headers, bytesMax, () => undefined)
}

const IDENTITY = 'identity'

function encodingOf(headers: BodyHeaders): string {
  return headers['content-encoding']?.trim().toLowerCase() || IDENTITY
}

/** Reads to the end and discards everything. */
export async function discardBody(payload: Readable): Promise<void> {
  let bytes = 0
  await consume(payload, (chunk) => {
    bytes += chunk.length
    if (bytes > SERVER_LIMITS.ignoredBodyBytes) throw tooLarge(SERVER_LIMITS.ignoredBodyBytes)
  })
}

async function collect(
  payload: Readable,
  headers: BodyHeaders,
  bytesMax: number,
  reserve: (bytes: number) => void,
): Promise<Buffer> {
  const expectedBytes = Number(headers['content-length'] ?? 0)
  if (expectedBytes > bytesMax) {
    payload.resume()
    throw tooLarge(bytesMax)
  }
  const collected = new GrowingBuffer(expectedBytes)
  let bytes = 0
  await consume(payload, (chunk) => {
    bytes += chunk.length
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    reserve(chunk.length)
    collected.add(chunk)
  })
  return collected.bytes
}

/**
 * If `take` throws, the rest is read and discarded, so that the caller receives the response instead of a connection reset; the
 * request timeout limits this. (Async iteration would destroy the connection.)
 */
function consume(payload: Readable, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const brokenOff = () => stop(new AppError('invalid_payload', 'The request body is incomplete'))
    const stop = (error?: Error) => {
      // Without a listener for data, the rest is read all the same. A late error without one would crash the process. This one does
      // not keep the body in memory.
      payload.off('data', onData).off('end', stop).off('close', brokenOff).off('error', brokenOff).on('error', ignore)
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
    payload.on('data', onData).once('end', stop).once('close', brokenOff).on('error', brokenOff)
  })
}

function ignore(): void {}

function tooLarge(bytes: number): AppError {
  return new AppError('payload_too_large', `The request body is larger than ${bytes} bytes`)
}
