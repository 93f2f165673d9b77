/** A DNS server on loopback, UDP and TCP, with a zone given as a literal and faults on request. */

import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, type DecodedPacket, decode, encode, type Packet, type Question } from 'dns-packet'

/** The records of a name. An apex has `soa`; a name with `ns` and without `soa` is delegated to them. */
export interface NamedRecords {
  /** The strings of each record. */
  readonly txt?: readonly (readonly (string | Buffer)[])[]
  readonly cname?: string
  readonly a?: readonly string[]
  readonly aaaa?: readonly string[]
  readonly mx?: readonly { readonly preference: number; readonly exchange: string }[]
  readonly ns?: readonly string[]
  readonly ptr?: readonly string[]
  readonly soa?: { readonly minimum: number; readonly ttl: number }
  /** TTL of all records but the SOA; default 60. */
  readonly ttl?: number
}

/** The messages to send, unchanged; an empty list means no answer. */
export type RawAnswer = (query: DecodedPacket, transport: Transport) => readonly Buffer[]

export type Transport = 'udp' | 'tcp'

export type ZoneEntry =
  /** Answers that do not fit into a datagram are truncated, as they must be. */
  | NamedRecords
  /** The name exists without any record. */
  | 'no_data'
  | 'servfail'
  | 'refused'
  /** Never answers. */
  | 'silent'
  | RawAnswer

/** By name in lower case, without a trailing dot. May be changed while the server runs; other names do not exist. */
export type Zone = Record<string, ZoneEntry>

export interface DnsServerOptions {
  /** An address of loopback. */
  readonly host?: string
  /** Default: a free port. */
  readonly port?: number
  /** `slow`: a few bytes at a time. `half`: closes the connection in the middle. `silent`: accepts the connection and sends nothing. */
  readonly tcp?: 'answers' | 'refused' | 'slow' | 'half' | 'silent'
  /** False: not authoritative, like the cached answers of a resolver. */
  readonly isAuthoritative?: boolean
  /** False: an answer of more than 512 bytes is truncated, even if the client accepts more. */
  readonly knowsEdns?: boolean
}

export interface DnsServer {
  /** `127.0.0.1:port`, the format of ENVELOG_DNS_SERVERS. */
  readonly address: string
  /** The queries so far, oldest first. */
  readonly queries: readonly { readonly name: string; readonly type: string; readonly transport: Transport }[]
  /** Resolves when the next query arrives. */
  nextQuery(): Promise<void>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const UDP_PAYLOAD_MAX = 512
/** Flag bits and codes of RFC 1035 section 4.1.1. */
const AUTHORITATIVE = 1 << 10
const TRUNCATED = 1 << 9
const FORMERR = 1
const SERVFAIL = 2
const NXDOMAIN = 3
const REFUSED = 5

export async function openDnsServer(zone: Zone, options: DnsServerOptions = {}): Promise<DnsServer> {
  const { udp, tcp, port, host } = await bindBoth(options)
  const queries: { name: string; type: string; transport: Transport }[] = []
  const connections = new Set<Socket>()
  let announce = Promise.withResolvers<void>()

  const answer = (message: Buffer, transport: Transport): readonly Buffer[] => {
    const query = decode(message)
    const [question] = query.questions ?? []
    if (!question) return []
    queries.push({ name: question.name.toLowerCase(), type: question.type, transport })
    announce.resolve()
    announce = Promise.withResolvers()
    return reply(zone, query, question, transport, options)
  }

  udp.on('message', (message, peer) => {
    for (const bytes of answer(message, 'udp')) udp.send(bytes, peer.port, peer.address)
  })
  tcp.on('connection', (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    socket.on('error', () => socket.destroy())
    readFrames(socket, (message) => {
      for (const bytes of answer(message, 'tcp')) void writeFrame(socket, bytes, options.tcp)
    })
  })

  const close = async (): Promise<void> => {
    for (const socket of connections) socket.destroy()
    const closed = [once(udp, 'close'), ...(tcp.listening ? [once(tcp, 'close')] : [])]
    udp.close()
    tcp.close()
    await Promise.all(closed)
  }
  return {
    address: host === '::1' ? `[::1]:${port}` : `${host}:${port}`,
    queries,
    nextQuery: () => announce.promise,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function reply(
  zone: Zone,
  query: DecodedPacket,
  question: Question,
  transport: Transport,
  { isAuthoritative = true, knowsEdns = true }: DnsServerOptions,
): readonly Buffer[] {
  const name = question.name.toLowerCase()
  const entry = zone[name]
  if (typeof entry === 'function') return entry(query, transport)
  if (entry === 'silent') return []
  const respond = (flags: number, records: Partial<Packet> = {}): Buffer =>
    encode({ type: 'response', id: query.id ?? 0, flags, questions: [question], ...records })
  if (entry === 'servfail') return [respond(SERVFAIL)]
  if (entry === 'refused') return [respond(REFUSED)]
  if (!knowsEdns && (query.additionals ?? []).length > 0) return [respond(FORMERR)]
  const { flags, ...records } = look(zone, name, question.type)
  const shown = isAuthoritative ? flags : flags & ~AUTHORITATIVE
  const bytes = respond(shown, records)
  return [transport === 'udp' && bytes.length > payloadMax(query) ? respond(shown | TRUNCATED) : bytes]
}

interface Found {
  readonly flags: number
  readonly answers?: Answer[]
  readonly authorities?: Answer[]
  readonly additionals?: Answer[]
}

function look(zone: Zone, name: string, type: string): Found {
  const cut = findAncestor(zone, name, ({ ns, soa }) => ns !== undefined && soa === undefined)
  if (cut !== undefined) return refer(zone, cut)
  const entry = zone[name]
  const absent = { authorities: soaOf(zone, name) }
  if (entry === undefined) {
    const isInner = Object.keys(zone).some((other) => other.endsWith(`.${name}`))
    return { flags: AUTHORITATIVE | (isInner ? 0 : NXDOMAIN), ...absent }
  }
  if (typeof entry !== 'object') return { flags: AUTHORITATIVE, ...absent }
  const { cname } = entry
  if (cname !== undefined && type !== 'CNAME') {
    // Together with the records of its target, if that is in the zone and not a loop.
    const alias: Answer = { type: 'CNAME', name, ttl: entry.ttl ?? 60, data: cname }
    const target = zone[cname]
    if (typeof target !== 'object' || target.cname !== undefined) return { flags: AUTHORITATIVE, answers: [alias] }
    const { answers = [], ...rest } = look(zone, cname, type)
    return { ...rest, answers: [alias, ...answers] }
  }
  const answers = recordsOf(name, entry, type)
  return answers.length > 0 ? { flags: AUTHORITATIVE, answers } : { flags: AUTHORITATIVE, ...absent }
}

function refer(zone: Zone, cut: string): Found {
  const entry = zone[cut]
  const servers = typeof entry === 'object' ? (entry.ns ?? []) : []
  const glue = servers.flatMap((server) => {
    const at = zone[server]
    return typeof at === 'object' ? [...recordsOf(server, at, 'A'), ...recordsOf(server, at, 'AAAA')] : []
  })
  return { flags: 0, authorities: servers.map((data) => ({ type: 'NS', name: cut, ttl: 60, data })), additionals: glue }
}

function recordsOf(name: string, entry: NamedRecords, type: string): Answer[] {
  const common = { name, ttl: entry.ttl ?? 60 }
  switch (type) {
    case 'TXT':
      return (entry.txt ?? []).map((strings) => ({ ...common, type, data: [...strings] }))
    case 'CNAME':
      return entry.cname === undefined ? [] : [{ ...common, type, data: entry.cname }]
    case 'A':
      return (entry.a ?? []).map((data) => ({ ...common, type, data }))
    case 'AAAA':
      return (entry.aaaa ?? []).map((data) => ({ ...common, type, data }))
    case 'NS':
      return (entry.ns ?? []).map((data) => ({ ...common, type, data }))
    case 'PTR':
      return (entry.ptr ?? []).map((data) => ({ ...common, type, data }))
    case 'MX':
      return (entry.mx ?? []).map((data) => ({ ...common, type, data }))
    case 'SOA':
      return entry.soa ? [toSoa(name, entry.soa)] : []
    default:
      return []
  }
}

function soaOf(zone: Zone, name: string): Answer[] {
  const apex = findAncestor(zone, name, ({ soa }) => soa !== undefined)
  const entry = apex === undefined ? undefined : zone[apex]
  return apex !== undefined && typeof entry === 'object' && entry.soa ? [toSoa(apex, entry.soa)] : []
}

function toSoa(name: string, { minimum, ttl }: { readonly minimum: number; readonly ttl: number }): Answer {
  return { type: 'SOA', name, ttl, data: { mname: `ns1.${name}`, rname: `hostmaster.${name}`, serial: 1, minimum } }
}

/** The name itself, or its nearest ancestor. */
function findAncestor(zone: Zone, name: string, matches: (entry: NamedRecords) => boolean): string | undefined {
  for (let at = name; at !== ''; at = at.slice(`${at}.`.indexOf('.') + 1)) {
    const entry = zone[at]
    if (typeof entry === 'object' && matches(entry)) return at
  }
  return undefined
}

/** The size that the client accepts: RFC 6891 section 6.2.3, or the 512 bytes of RFC 1035. */
function payloadMax(query: Packet): number {
  for (const record of query.additionals ?? []) {
    if (record.type === 'OPT') return Math.max(record.udpPayloadSize, UDP_PAYLOAD_MAX)
  }
  return UDP_PAYLOAD_MAX
}

/** One free port for both transports: the system picks it for UDP, and TCP may find it taken. */
async function bindBoth({ host = '127.0.0.1', port: wanted = 0, tcp: behaviour }: DnsServerOptions) {
  for (let attempt = 1; ; attempt++) {
    const udp: UdpSocket = createSocket(host === '::1' ? 'udp6' : 'udp4')
    udp.bind(wanted, host)
    await once(udp, 'listening')
    const { port } = udp.address()
    const tcp: Server = createServer()
    if (behaviour === 'refused') return { udp, tcp, port, host }
    tcp.listen(port, host)
    try {
      await once(tcp, 'listening')
      return { udp, tcp, port, host }
    } catch (error) {
      udp.close()
      if (attempt === 10) throw error
    }
  }
}

/** RFC 1035 section 4.2.2: each message follows its length in two bytes; chunks may end anywhere. */
function readFrames(socket: Socket, onMessage: (message: Buffer) => void): void {
  let pending = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0)
      onMessage(pending.subarray(2, end))
      pending = pending.subarray(end)
    }
  })
}

async function writeFrame(socket: Socket, message: Buffer, behaviour: DnsServerOptions['tcp']): Promise<void> {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  const bytes = Buffer.concat([length, message])
  if (behaviour === 'silent') return
  if (behaviour === 'half') {
    socket.end(bytes.subarray(0, bytes.length >> 1))
    return
  }
  if (behaviour !== 'slow') {
    socket.write(bytes)
    return
  }
  for (let offset = 0; offset < bytes.length && !socket.destroyed; offset += 50) {
    socket.write(bytes.subarray(offset, offset + 50))
    await delay(10)
  }
}
