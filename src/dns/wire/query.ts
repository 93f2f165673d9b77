/** Creates queries, and matches received packets with them. */
import { randomBytes } from 'node:crypto'
import type { DnsRecordType } from '../../domains/dns-resolver.ts'
import { type Message, OPT_CODE, parseMessage, RCODE, TYPE_CODES } from './message.ts'
import { MalformedMessage } from './wire-reader.ts'

export interface Question {
  /** As returned by readAskedName, or a parent of such a name. */
  readonly name: string
  readonly type: DnsRecordType
  /** For resolvers; a zone's own server is queried without recursion. */
  readonly isRecursive: boolean
}

export interface Query {
  readonly id: number
  /** Letters in random case. A forger who cannot see the query must guess them, the id and our port. */
  readonly name: string
  readonly typeCode: number
  readonly bytes: Buffer
}

/** Fits into an unfragmented datagram on nearly every path (RFC 9715 section 3). */
const UDP_PAYLOAD_BYTES = 1232

/**
 * Limits on what a server makes us read and keep; the largest sets of TXT records in use need less than half of it.
 */
const MESSAGE_BYTES_MAX = 32_768
const RECORDS_MAX = 500
const HEADER_BYTES = 12

/** `withEdns: false` for servers that answer EDNS (RFC 6891) with an error. */
export function createQuery(question: Question, withEdns: boolean): Query {
  const id = randomBytes(2).readUInt16BE()
  const name = randomizeCase(question.name)
  const typeCode = TYPE_CODES[question.type]
  const header = [id, question.isRecursive ? 0x0100 : 0, 1, 0, 0, withEdns ? 1 : 0]
  const parts = [uint16(...header), encodeName(name), uint16(typeCode, 1)]
  if (withEdns) parts.push(Buffer.of(0), uint16(OPT_CODE, UDP_PAYLOAD_BYTES, 0, 0, 0))
  return { id, name, typeCode, bytes: Buffer.concat(parts) }
}

export type Received =
  /** `isSameCase`: the server repeated the random letter case of the question. */
  | { readonly kind: 'message'; readonly message: Message; readonly isSameCase: boolean }
  /** Does not match the query: forged, late or confused. */
  | { readonly kind: 'foreign' }
  /** Has the id of the query, but cannot be parsed. */
  | { readonly kind: 'unreadable' }
  /** Has the id of the query, and more bytes or records than are read. */
  | { readonly kind: 'oversize' }

export function readReceived(bytes: Buffer, query: Query): Received {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== query.id) return { kind: 'foreign' }
  if (bytes.length < HEADER_BYTES) return { kind: 'unreadable' }
  if (bytes.length > MESSAGE_BYTES_MAX || countRecords(bytes) > RECORDS_MAX) return { kind: 'oversize' }
  const message = findMessage(bytes)
  if (!message) return { kind: 'unreadable' }
  if (!message.isResponse) return { kind: 'foreign' }
  const { question, rcode } = message
  if (!question) {
    // Some servers reject a query with a bare header, which is not a statement about any name.
    const isStatement = rcode === RCODE.NOERROR || rcode === RCODE.NXDOMAIN
    return isStatement ? { kind: 'unreadable' } : { kind: 'message', message, isSameCase: true }
  }
  const isSame = question.typeCode === query.typeCode && question.name.toLowerCase() === query.name.toLowerCase()
  return isSame ? { kind: 'message', message, isSameCase: question.name === query.name } : { kind: 'foreign' }
}

/** As announced by the header: answers, authorities and additionals. */
function countRecords(bytes: Buffer): number {
  return [6, 8, 10].reduce((count, at) => count + bytes.readUInt16BE(at), 0)
}

function findMessage(bytes: Buffer): Message | undefined {
  try {
    return parseMessage(bytes)
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined
    throw error
  }
}

function randomizeCase(name: string): string {
  const random = randomBytes(name.length)
  return Array.from(name, (letter, index) => ((random[index] ?? 0) & 1 ? letter.toUpperCase() : letter)).join('')
}

function encodeName(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.of(0),
  ])
}

/** In network byte order. */
export function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2)
  return bytes
}
