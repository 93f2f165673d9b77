/**
 * Compresses JSON responses for clients that accept it: a page of a thousand events becomes a tenth of its size. Threads of the
 * pool do the work, and only a few responses at a time; the others are sent as they are. See decision 0060.
 */
import { promisify } from 'node:util'
import { gzip, zstdCompress } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { originOf } from '../access/same-origin.ts'
import { acceptedCodings, type ContentCoding, chooseCoding } from './static-file.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False: the response contains a secret, which its compressed length could give away. */
    isCompressible?: boolean
  }
}

/** Below, the headers and the work cost more than the bytes saved. */
const MIN_CHARACTERS = 1024
/** Above, a response and its copy would take too much memory. No endpoint comes near. */
const MAX_CHARACTERS = 16 * 1024 * 1024
/** The pool of threads is shared with files and name resolution. */
const AT_ONCE = 8

/** Zstandard is preferred: as small as gzip in a fraction of the time. */
const COMPRESSORS: ReadonlyMap<ContentCoding, (text: string) => Promise<Buffer>> = new Map([
  ['zstd', (text) => promisify(zstdCompress)(text)],
  ['gzip', (text) => promisify(gzip)(text)],
])

/** For all routes of the scope. Streams are left as they are. */
export function compressAnswers(scope: FastifyInstance): void {
  let running = 0
  scope.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || !isCompressible(request, reply, payload)) return payload
    reply.header('vary', 'Accept-Encoding')
    const coding = chooseCoding({ encoded: COMPRESSORS }, acceptedCodings(request))
    const compress = coding && COMPRESSORS.get(coding)
    if (!compress || running >= AT_ONCE) return payload
    running++
    try {
      const compressed = await compress(payload)
      reply.header('content-encoding', coding).removeHeader('content-length')
      return compressed
    } finally {
      running--
    }
  })
}

/**
 * Not for another site's page, which could mix text of its own with that of the response and learn from the length (BREACH). A
 * HEAD request gets the headers of the GET request, length included.
 */
function isCompressible(request: FastifyRequest, reply: FastifyReply, payload: string): boolean {
  const { method, headers, routeOptions } = request
  return (
    (method === 'GET' || method === 'HEAD') &&
    routeOptions.config.isCompressible !== false &&
    payload.length >= MIN_CHARACTERS &&
    payload.length <= MAX_CHARACTERS &&
    String(reply.getHeader('content-type')).startsWith('application/json') &&
    reply.getHeader('content-encoding') === undefined &&
    originOf(headers) !== 'other'
  )
}
