/** Parses DNS responses (RFC 1035 section 4, RFC 6891): strict about bounds, ignores unknown record types. */
import type { DnsRecords, DnsRecordType } from '../../domains/dns-resolver.ts'
import { MalformedMessage, WireReader } from './wire-reader.ts'

export interface Message {
  readonly id: number
  readonly isResponse: boolean
  readonly isAuthoritative: boolean
  readonly isTruncated: boolean
  /** Including the upper bits from EDNS, if present. */
  readonly rcode: number
  /** Absent if the server left it out, as some do with errors. The name is in the letter case of the message. */
  readonly question?: { readonly name: string; readonly typeCode: number }
  readonly answers: readonly Resource[]
  readonly authorities: readonly Resource[]
  readonly additionals: readonly Resource[]
  /** RFC 8914: why the server failed. */
  readonly extendedErrors: readonly number[]
}

/** One record of a known type, class IN. Names are in lower case. */
export type Resource = {
  readonly [T in DnsRecordType]: {
    readonly name: string
    readonly type: T
    readonly ttlSeconds: number
    readonly data: DnsRecords[T]
  }
}[DnsRecordType]

export const TYPE_CODES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
} as const satisfies Record<DnsRecordType, number>
export const OPT_CODE = 41
const CLASS_IN = 1
const EXTENDED_ERROR_OPTION = 15

/** RFC 1035 section 4.1.1 and RFC 6891 section 9. */
export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5, BADVERS: 16 } as const

/** Throws MalformedMessage. */
export function parseMessage(bytes: Buffer): Message {
  const reader = new WireReader(bytes)
  const id = reader.readUint16()
  const flags = reader.readUint16()
  const questions = reader.readUint16()
  const counts = { answers: reader.readUint16(), authorities: reader.readUint16(), additionals: reader.readUint16() }
  const question = readQuestion(reader, questions)
  const edns: Edns = { rcodeHigh: 0, extendedErrors: [] }
  const message = {
    id,
    isResponse: (flags & 0x8000) !== 0 && (flags & 0x7800) === 0,
    isAuthoritative: (flags & 0x0400) !== 0,
    isTruncated: (flags & 0x0200) !== 0,
    answers: readResources(reader, counts.answers, edns),
    authorities: readResources(reader, counts.authorities, edns),
    additionals: readResources(reader, counts.additionals, edns),
  }
  const rcode = (edns.rcodeHigh << 4) | (flags & 0xf)
  return { ...message, rcode, extendedErrors: edns.extendedErrors, ...(question && { question }) }
}

/** A message has at most one question (RFC 9619). */
function readQuestion(reader: WireReader, count: number): Message['question'] {
  if (count === 0) return undefined
  if (count > 1) throw new MalformedMessage('several questions')
  const question = { name: reader.readName(), typeCode: reader.readUint16() }
  if (reader.readUint16() !== CLASS_IN) throw new MalformedMessage('a question of another class')
  return question
}

interface Edns {
  rcodeHigh: number
  extendedErrors: number[]
}

/** Memory is not allocated by the counts: a header of twelve bytes can announce 200,000 records. */
function readResources(reader: WireReader, count: number, edns: Edns): readonly Resource[] {
  const resources: Resource[] = []
  for (let index = 0; index < count; index++) {
    const name = reader.readName().toLowerCase()
    const typeCode = reader.readUint16()
    const classCode = reader.readUint16()
    const ttl = reader.readUint32()
    const data = reader.readPart(reader.readUint16())
    if (typeCode === OPT_CODE) readEdns(ttl, data, edns)
    else if (classCode === CLASS_IN) {
      // RFC 2181 section 8: a TTL with the highest bit set counts as zero.
      const resource = readResource(name, typeCode, ttl > 0x7fff_ffff ? 0 : ttl, data)
      if (resource) resources.push(resource)
    }
  }
  return resources
}

/** RFC 6891 section 6.1.3: OPT uses the TTL field for other data. */
function readEdns(ttl: number, options: WireReader, edns: Edns): void {
  edns.rcodeHigh = ttl >>> 24
  while (options.remaining > 0) {
    const code = options.readUint16()
    const value = options.readPart(options.readUint16())
    if (code === EXTENDED_ERROR_OPTION && value.remaining >= 2) edns.extendedErrors.push(value.readUint16())
  }
}

/** How the data of each type is read. */
const READERS: { readonly [T in DnsRecordType]: (data: WireReader) => DnsRecords[T] } = {
  A: (data) => ({ address: data.readBytes(4).join('.') }),
  AAAA: (data) => ({ address: readIpv6(data) }),
  CNAME: readTarget,
  MX: (data) => ({ preference: data.readUint16(), exchange: readLowerName(data) }),
  NS: readTarget,
  PTR: readTarget,
  SOA: readSoa,
  TXT: readText,
}
const TYPES = Object.keys(TYPE_CODES) as readonly DnsRecordType[]

/** Undefined for an unknown type. */
function readResource(name: string, typeCode: number, ttlSeconds: number, data: WireReader): Resource | undefined {
  const type = TYPES.find((candidate) => TYPE_CODES[candidate] === typeCode)
  if (type === undefined) return undefined
  // The reader is that of the type.
  const resource = { name, ttlSeconds, type, data: READERS[type](data) } as Resource
  if (data.remaining > 0) throw new MalformedMessage('a record is longer than its data')
  return resource
}

function readLowerName(data: WireReader): string {
  return data.readName().toLowerCase()
}

function readTarget(data: WireReader): { target: string } {
  return { target: readLowerName(data) }
}

/** RFC 5952 section 4: the canonical text of an address. */
function readIpv6(data: WireReader): string {
  const groups = Array.from({ length: 8 }, () => data.readUint16().toString(16)).join(':')
  return new URL(`http://[${groups}]`).hostname.slice(1, -1)
}

function readSoa(data: WireReader): DnsRecords['SOA'] {
  const primary = readLowerName(data)
  const mailbox = readLowerName(data)
  const serial = data.readUint32()
  data.readBytes(12)
  return { primary, mailbox, serial, minimumSeconds: data.readUint32() }
}

/** Joined before decoding, because a UTF-8 character can be split across two strings. */
function readText(data: WireReader): DnsRecords['TXT'] {
  const strings: Buffer[] = []
  while (data.remaining > 0) strings.push(data.readBytes(data.readUint8()))
  return { text: Buffer.concat(strings).toString(), strings: strings.map((bytes) => bytes.toString()) }
}
