/**
 * A file that is the same for everybody: in memory once, compressed once, and sent from that memory, so that readers that do not
 * read cost nothing.
 */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pacedStream } from './paced-stream.ts'

/** In order of preference. */
const CODINGS = ['br', 'zstd', 'gzip'] as const

export type ContentCoding = (typeof CODINGS)[number]

export interface StaticFile {
  readonly contentType: string
  readonly identity: Buffer
  readonly encoded: ReadonlyMap<ContentCoding, Buffer>
}

/** Larger ones are sent in slices, at the pace of the reader. */
const SHORT_BYTES = 64 * 1024
/** Of an Accept-Encoding header; those of browsers are shorter. */
const ACCEPTED_CHARACTERS = 256
/** Of an If-None-Match header; browsers send one tag. */
const KNOWN_CHARACTERS = 256
/** The highest one takes seconds for a megabyte. */
const BROTLI_QUALITY = 5

/** For content that is not compressed by a build. */
export async function compressFile(contentType: string, content: string): Promise<StaticFile> {
  const identity = Buffer.from(content)
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
  const br = await promisify(brotliCompress)(identity, { params })
  const gz = await promisify(gzip)(identity)
  return {
    contentType,
    identity,
    encoded: new Map([
      ['br', br],
      ['gzip', gz],
    ]),
  }
}

export function sendFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  const etag = etagOf(file)
  reply.header('vary', 'Accept-Encoding').header('etag', etag)
  // A stream, because to HEAD the framework would otherwise say that the content has 0 bytes.
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send(Readable.from([]))
  const coding = chooseCoding(file, acceptedCodings(request))
  const bytes = (coding !== undefined && file.encoded.get(coding)) || file.identity
  reply.type(file.contentType)
  if (coding !== undefined) reply.header('content-encoding', coding)
  if (bytes.length <= SHORT_BYTES) return reply.send(bytes)
  return reply.header('content-length', bytes.length).send(pacedStream(only(bytes)))
}

/** Of the content, computed when the file is first sent. */
const etags = new WeakMap<StaticFile, string>()

/** Weak, because it is the same for every coding (RFC 9110 section 8.8.3.3). */
function etagOf(file: StaticFile): string {
  let etag = etags.get(file)
  if (etag === undefined) {
    etag = `W/"${createHash('sha256').update(file.identity).digest('base64url').slice(0, 22)}"`
    etags.set(file, etag)
  }
  return etag
}

/** RFC 9110 section 13.1.2: compared without regard to weakness. */
function isKnown(known: string | undefined, etag: string): boolean {
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return (known ?? '')
    .slice(0, KNOWN_CHARACTERS)
    .split(',')
    .some((tag) => tag.trim() === '*' || opaque(tag) === opaque(etag))
}

async function* only(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** Of the request; several headers are one list (RFC 9110 section 5.3). */
export function acceptedCodings({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const accepted = headers['accept-encoding']
  return Array.isArray(accepted) ? accepted.join(',') : accepted
}

/** The coding to answer with; undefined for none. RFC 9110 section 12.5.3, but of the weights only q=0 is respected. */
export function chooseCoding(
  { encoded }: { readonly encoded: { has(coding: ContentCoding): boolean } },
  acceptEncoding: string | undefined,
): ContentCoding | undefined {
  const accepted = (acceptEncoding ?? '').slice(0, ACCEPTED_CHARACTERS).toLowerCase().split(',').map(parseCoding)
  const isAccepted = (coding: string) => {
    const named = accepted.find(({ name }) => name === coding) ?? accepted.find(({ name }) => name === '*')
    return named !== undefined && named.weight > 0
  }
  return CODINGS.find((coding) => encoded.has(coding) && isAccepted(coding))
}

function parseCoding(text: string): { readonly name: string; readonly weight: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return { name, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
}
