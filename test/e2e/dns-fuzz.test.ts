/** A million malformed packets, each of which must be parsed or refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Answer, encode } from 'dns-packet'
import { findRecordSet } from '../../src/dns/answers/record-values.ts'
import { askServer } from '../../src/dns/exchange/ask-server.ts'
import { parseEndpoint } from '../../src/dns/exchange/endpoint.ts'
import { parseMessage } from '../../src/dns/wire/message.ts'
import { MalformedMessage } from '../../src/dns/wire/wire-reader.ts'
import { openDnsServer, type Zone } from '../harness/dns/dns-server.ts'

const PACKETS = 1_000_000
const SEED = 0x5eed
const MEBIBYTE = 1024 * 1024

// Most packets are refused, and the stack traces are not needed.
Error.stackTraceLimit = 0
setFlagsFromString('--expose_gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Marsaglia's xorshift: the same packets every time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

const common = { name: 's1._domainkey.example.com', ttl: 300 }
const SOA: Answer = { ...common, type: 'SOA', data: { mname: 'ns1.example.com', rname: 'h.example.com', serial: 1 } }
const OPT: Answer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: 1232,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
}
const questions = [{ name: common.name, type: 'TXT' as const }]
const VALID = [
  encode({
    type: 'response',
    id: 1,
    questions,
    answers: [{ ...common, type: 'TXT', data: ['v=DKIM1; p=', 'x'.repeat(250)] }],
  }),
  encode({ type: 'response', id: 2, flags: 3, questions, authorities: [SOA], additionals: [OPT] }),
  encode({
    type: 'response',
    id: 3,
    questions,
    answers: [
      { ...common, type: 'CNAME', data: 'a.example.net' },
      { ...common, type: 'MX', data: { preference: 1, exchange: 'mx.example.com' } },
      { ...common, type: 'A', data: '192.0.2.1' },
      { ...common, type: 'AAAA', data: '2001:db8::1' },
      { ...common, type: 'NS', data: 'ns1.example.com' },
      { ...common, type: 'PTR', data: 'host.example.com' },
    ],
  }),
]

/** Noise of any length; or a valid message with bytes changed, truncated or turned into pointers. */
function createPacket(random: (below: number) => number): Buffer {
  const valid = VALID[random(VALID.length)]
  if (!valid || random(8) === 0) return Buffer.from(Array.from({ length: random(120) }, () => random(256)))
  const bytes = Buffer.from(valid)
  for (let changes = random(6); changes > 0; changes--) {
    const offset = random(bytes.length - 1)
    if (random(3) === 0) bytes.writeUInt16BE(0xc000 | random(bytes.length), offset)
    else bytes[offset] = random(256)
  }
  return random(4) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes
}

test('a million random and mutated packets: each is parsed or refused, and none leaks memory', () => {
  const random = createRandom(SEED)
  const heaps: number[] = []
  let read = 0
  let refused = 0
  for (let count = 0; count < PACKETS; count++) {
    if (count % (PACKETS / 10) === 0) heaps.push(measureHeap())
    try {
      parseMessage(createPacket(random))
      read++
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error
      refused++
    }
  }
  heaps.push(measureHeap())
  assert.ok(
    read > PACKETS / 10 && refused > PACKETS / 10,
    `the packets are too alike: ${read} read, ${refused} refused`,
  )
  // The first measurements include one-time costs of the compiler and the string caches.
  const growth = (heaps.at(-1) ?? 0) - (heaps[2] ?? 0)
  assert.ok(growth < 4 * MEBIBYTE, `the heap grew by ${growth} bytes: ${heaps.join(', ')}`)
  assert.ok(process.memoryUsage.rss() < 400 * MEBIBYTE)
})

test('thirty thousand of them over sockets before the correct answers: all thousand correct answers are found', async () => {
  const random = createRandom(SEED)
  /** Half of them with the id of the query, so that they must be parsed. */
  const disguise = (packet: Buffer, id: number) => {
    if (packet.length >= 2 && random(2) === 0) packet.writeUInt16BE(id)
    return packet
  }
  const zone: Zone = {
    'fuzz.test': (query) => {
      const id = query.id ?? 0
      const noise = Array.from({ length: 30 }, () => disguise(createPacket(random), id))
      const answers: Answer[] = [{ name: 'fuzz.test', type: 'TXT', data: ['right'] }]
      return [...noise, encode({ type: 'response', id, questions: query.questions ?? [], answers })]
    },
  }
  await using server = await openDnsServer(zone)
  const endpoint = parseEndpoint(server.address)
  const question = { name: 'fuzz.test', type: 'TXT', isRecursive: false } as const
  let right = 0
  for (let round = 0; round < 1000; round++) {
    const reply = await askServer(endpoint, question, 10_000, new AbortController().signal)
    if (reply.kind === 'message' && findRecordSet(reply.message.answers, 'fuzz.test', 'TXT')?.values[0] === 'right')
      right++
  }
  assert.equal(right, 1000)
})

function measureHeap(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
