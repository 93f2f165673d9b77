/** A DNS server of our own on loopback, UDP and TCP, with a zone that is a literal and faults on request. */

import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { type Answer, decode, encode, type Packet, type Question } from 'dns-packet'

export type ZoneEntry =
  /** The strings of each TXT record. Answers that do not fit into a datagram are truncated, as they must be. */
  | { readonly txt: readonly (readonly string[])[] }
  | { readonly cname: string }
  /** The name exists without any record. */
  | 'no_data'
  | 'servfail'
  | 'refused'
  /** Never answers. */
  | 'silent'

/** By name in lower case, without a trailing dot. May be changed while the server runs; other names do not exist. */
export type Zone = Record<string, ZoneEntry>

export interface DnsServer {
  /** `127.0.0.1:port`, as resolvers and ENVELOG_DNS_SERVERS want it. */
  readonly address: string
  /** What was asked so far, oldest first. */
  readonly queries: readonly { readonly name: string; readonly transport: 'udp' | 'tcp' }[]
  /** Resolves when the next question arrives. */
  nextQuery(): Promise<void>
  close(): Promise<void>
}

const UDP_PAYLOAD_MAX = 512
/** Flag bits and codes of RFC 1035 section 4.1.1. */
const AUTHORITATIVE = 1 << 10
const TRUNCATED = 1 << 9
const SERVFAIL = 2
const NXDOMAIN = 3
const REFUSED = 5

export async function openDnsServer(zone: Zone): Promise<DnsServer> {
  const { udp, tcp, port } = await bindBoth()
  const queries: { name: string; transport: 'udp' | 'tcp' }[] = []
  const connections = new Set<Socket>()
  let announce = Promise.withResolvers<void>()

  const answer = (message: Buffer, transport: 'udp' | 'tcp'): Buffer | undefined => {
    const query = decode(message)
    const [question] = query.questions ?? []
    if (!question) return undefined
    queries.push({ name: question.name.toLowerCase(), transport })
    announce.resolve()
    announce = Promise.withResolvers()
    return reply(zone, query, question, transport)
  }

  udp.on('message', (message, peer) => {
    const bytes = answer(message, 'udp')
    if (bytes) udp.send(bytes, peer.port, peer.address)
  })
  tcp.on('connection', (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
    socket.on('error', () => socket.destroy())
    readFrames(socket, (message) => {
      const bytes = answer(message, 'tcp')
      if (bytes) socket.write(frame(bytes))
    })
  })

  return {
    address: `127.0.0.1:${port}`,
    queries,
    nextQuery: () => announce.promise,
    async close() {
      for (const socket of connections) socket.destroy()
      udp.close()
      tcp.close()
      await Promise.all([once(udp, 'close'), once(tcp, 'close')])
    },
  }
}

function reply(zone: Zone, query: Packet, question: Question, transport: 'udp' | 'tcp'): Buffer | undefined {
  const entry = zone[question.name.toLowerCase()]
  const respond = (flags: number, answers: Answer[] = []): Buffer =>
    encode({ type: 'response', id: query.id ?? 0, flags: AUTHORITATIVE | flags, questions: [question], answers })
  if (entry === undefined) return respond(NXDOMAIN)
  if (entry === 'silent') return undefined
  if (entry === 'no_data') return respond(0)
  if (entry === 'servfail') return respond(SERVFAIL)
  if (entry === 'refused') return respond(REFUSED)
  const bytes = respond(0, answersOf(zone, question.name, entry))
  return transport === 'udp' && bytes.length > payloadMax(query) ? respond(TRUNCATED) : bytes
}

/** A CNAME is answered together with what it points to, where that is in the zone. */
function answersOf(zone: Zone, name: string, entry: ZoneEntry): Answer[] {
  if (typeof entry === 'string') return []
  if ('txt' in entry) return entry.txt.map((strings) => ({ type: 'TXT', name, ttl: 60, data: [...strings] }))
  const target = zone[entry.cname]
  const alias: Answer = { type: 'CNAME', name, ttl: 60, data: entry.cname }
  return target === undefined ? [alias] : [alias, ...answersOf(zone, entry.cname, target)]
}

/** What the asker can take: RFC 6891 section 6.2.3, else the 512 bytes of RFC 1035. */
function payloadMax(query: Packet): number {
  for (const record of query.additionals ?? []) {
    if (record.type === 'OPT') return Math.max(record.udpPayloadSize, UDP_PAYLOAD_MAX)
  }
  return UDP_PAYLOAD_MAX
}

/** One free port for both transports: the system picks it for UDP, and TCP may find it taken. */
async function bindBoth(): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const udp = createSocket('udp4')
    udp.bind(0, '127.0.0.1')
    await once(udp, 'listening')
    const { port } = udp.address()
    const tcp = createServer()
    tcp.listen(port, '127.0.0.1')
    try {
      await once(tcp, 'listening')
      return { udp, tcp, port }
    } catch (error) {
      udp.close()
      if (attempt === 10) throw error
    }
  }
}

/** RFC 1035 section 4.2.2: each message behind its length in two bytes, cut wherever the network likes. */
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

function frame(message: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}
