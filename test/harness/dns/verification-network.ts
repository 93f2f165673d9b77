/** The simulated network of the verification cases: name servers at documentation addresses, and a resolver. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode } from 'dns-packet'
import { createDns } from '../../../src/dns/dns.ts'
import type { Dns } from '../../../src/domains/dns-resolver.ts'
import { type NsdZones, openNsdZones } from './nsd-zones.ts'
import { CASE_SERVERS, OPERATOR_ZONE, type VerificationCase } from './verification-case.ts'

/** The server addresses that zone files of cases can use. */
const ADDRESSES = {
  ns1: '203.0.113.1',
  ns2: '203.0.113.2',
  ns3: '203.0.113.3',
  silent: '203.0.113.50',
  lame: '203.0.113.51',
}

export interface VerificationNetwork extends AsyncDisposable {
  readonly dns: Dns
  /** With the addresses of the zone files instead of those on loopback. */
  translate(text: string): string
}

const SOA = '@ 3600 SOA ns1 hostmaster 1 3600 600 86400 1800'
const COMMON_ZONES: readonly (readonly [string, string])[] = [
  ['test', `$TTL 300\n${SOA}\n@ NS ns1\nns1 A ${ADDRESSES.ns1}\n`],
  ['operator.test', `$TTL 300\n${SOA}\n@ NS ns1\nns1 A ${ADDRESSES.ns1}\n${OPERATOR_ZONE}\n`],
]

export async function openVerificationNetwork(cases: readonly VerificationCase[]): Promise<VerificationNetwork> {
  await using opened = new AsyncDisposableStack()
  const [ns1, ns2, ns3, behind] = await Promise.all(
    CASE_SERVERS.map(async (server) => {
      const zones = cases.flatMap(({ apex, zones: own }) => {
        const text = own.get(server)
        return text === undefined ? [] : [[apex, text] as const]
      })
      return opened.use(await openNsdZones(Object.fromEntries([...COMMON_ZONES, ...zones])))
    }),
  )
  // Answers REFUSED for all other zones.
  const lame = opened.use(await openNsdZones(Object.fromEntries(COMMON_ZONES.slice(1))))
  const silent = await bindSocket()
  opened.defer(() => closeSocket(silent))
  const resolver = opened.use(await openForwarder(behind, cases))
  const silentAddress = `127.0.0.1:${silent.address().port}`
  const detours = new Map([
    [ADDRESSES.ns1, addressOf(ns1)],
    [ADDRESSES.ns2, addressOf(ns2)],
    [ADDRESSES.ns3, addressOf(ns3)],
    [ADDRESSES.silent, silentAddress],
    [ADDRESSES.lame, lame.address],
  ])
  const shown = [...detours].map(([address, endpoint]) => [endpoint, address] as const)
  const kept = opened.move()
  return {
    dns: createDns({ servers: [resolver.address], detours }),
    translate: (text) =>
      [...shown, [resolver.address, '198.51.100.53'] as const].reduce(
        (changed, [endpoint, address]) => changed.replaceAll(endpoint, address),
        text,
      ),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function addressOf(server: NsdZones | undefined): string {
  if (!server) throw new Error('a name server is missing')
  return server.address
}

/** Forwards queries to a server that has the answers, except for those that fail in a case. */
async function openForwarder(server: NsdZones | undefined, cases: readonly VerificationCase[]) {
  const [, port] = addressOf(server).split(':')
  const socket = await bindSocket()
  socket.on('message', (message, asker) => {
    const query = decode(message)
    const [question] = query.questions ?? []
    const name = `.${question?.name.toLowerCase()}`
    const fault = cases.find(({ apex }) => name.endsWith(`.${apex}`))?.resolverFaults.get(question?.type ?? '')
    if (fault === 'silent') return
    if (fault === 'servfail') {
      const answer = encode({ type: 'response', id: query.id ?? 0, flags: 2, questions: query.questions ?? [] })
      socket.send(answer, asker.port, asker.address)
      return
    }
    const onward = createSocket('udp4')
    onward.once('message', (answer) => {
      onward.close()
      socket.send(answer, asker.port, asker.address)
    })
    onward.send(message, Number(port), '127.0.0.1')
  })
  return { address: `127.0.0.1:${socket.address().port}`, [Symbol.asyncDispose]: () => closeSocket(socket) }
}

async function bindSocket(): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}

async function closeSocket(socket: Socket): Promise<void> {
  socket.close()
  await once(socket, 'close')
}
