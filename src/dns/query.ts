/** A question on its way to a server, and which of the packets that come back answer it. */
import { randomBytes, randomInt } from 'node:crypto'
import type { DnsRecordType } from '../domains/dns-resolver.ts'
import { type Message, OPT_CODE, parseMessage, RCODE, TYPE_CODES } from './message.ts'
import { MalformedMessage } from './wire-reader.ts'

export interface Question {
  /** As readAskedName returns it, or a part of such a name. */
  readonly name: string
  readonly type: DnsRecordType
  /** Asks a resolver to find out; a zone's own server is asked what it knows itself. */
  readonly isRecursive: boolean
}

export interface Query {
  readonly id: number
  /** Letters in random case. A forger who cannot see the question must guess it with the id and our port. */
  readonly name: string
  readonly typeCode: number
  readonly bytes: Buffer
}

/** What nearly every path carries without cutting a datagram into fragments, which may get lost (RFC 9715 section 3). */
const UDP_PAYLOAD_BYTES = 1232

/** `withEdns: false` for servers from before RFC 6891, which answer it with an error. */
export function createQuery(question: Question, withEdns: boolean): Query {
  const id = randomInt(0x1_0000)
  const name = randomizeCase(question.name)
  const typeCode = TYPE_CODES[question.type]
  const header = [id, question.isRecursive ? 0x0100 : 0, 1, 0, 0, withEdns ? 1 : 0]
  const parts = [uint16(...header), encodeName(name), uint16(typeCode, 1)]
  if (withEdns) parts.push(Buffer.of(0), uint16(OPT_CODE, UDP_PAYLOAD_BYTES, 0, 0, 0))
  return { id, name, typeCode, bytes: Buffer.concat(parts) }
}

export type Received =
  | { readonly kind: 'message'; readonly message: Message; readonly isSameCase: boolean }
  /** Not for this question: forged, late or confused. */
  | { readonly kind: 'foreign' }
  /** For this question by its id, but no message. */
  | { readonly kind: 'unreadable' }

export function readReceived(bytes: Buffer, query: Query): Received {
  if (bytes.length < 2 || bytes.readUInt16BE(0) !== query.id) return { kind: 'foreign' }
  const message = findMessage(bytes)
  if (!message) return { kind: 'unreadable' }
  if (!message.isResponse) return { kind: 'foreign' }
  const { question, rcode } = message
  if (!question) {
    // Some servers answer with nothing but a header what they did not read; that says nothing about any name.
    const isStatement = rcode === RCODE.NOERROR || rcode === RCODE.NXDOMAIN
    return isStatement ? { kind: 'unreadable' } : { kind: 'message', message, isSameCase: true }
  }
  const isSame = question.typeCode === query.typeCode && question.name.toLowerCase() === query.name.toLowerCase()
  return isSame ? { kind: 'message', message, isSameCase: question.name === query.name } : { kind: 'foreign' }
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
  const labels = name === '' ? [] : name.split('.')
  return Buffer.concat([
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.of(0),
  ])
}

function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2)
  return bytes
}
