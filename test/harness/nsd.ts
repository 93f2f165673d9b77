/** Debian's authoritative name server on loopback, with zones that are texts. */
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openTemporaryFolder } from './temporary-folder.ts'

const PROGRAM = '/usr/sbin/nsd'
const START_TRIES = 200

export interface Nsd extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly address: string
}

/** By apex, without a trailing dot; each a whole zone file. Rejects with nsd's own words for a zone that it cannot read. */
export async function openNsd(zones: ReadonlyMap<string, string>): Promise<Nsd> {
  const folder = openTemporaryFolder()
  const port = await findFreePort()
  const configuration = join(folder.path, 'nsd.conf')
  mkdirSync(join(folder.path, 'zones'))
  for (const [apex, text] of zones) writeFileSync(join(folder.path, 'zones', apex), text)
  writeFileSync(configuration, configure(folder.path, port, [...zones.keys()]))
  const child = spawn(PROGRAM, ['-d', '-c', configuration], { stdio: ['ignore', 'ignore', 'pipe'] })
  const words: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => words.push(chunk))
  const ended = once(child, 'exit')
  const close = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    folder[Symbol.dispose]()
  }
  const [first = ''] = zones.keys()
  const isUp = await waitUntilUp(`127.0.0.1:${port}`, first, () => child.exitCode === null)
  const said = Buffer.concat(words).toString()
  // A zone that it cannot read is no reason for it not to start.
  if (!isUp || /error:/.test(said)) {
    await close()
    throw new Error(`nsd: ${said}`)
  }
  return { address: `127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

function configure(path: string, port: number, apexes: readonly string[]): string {
  const server = [
    'server:',
    `  ip-address: 127.0.0.1@${port}`,
    '  server-count: 1',
    '  username: ""',
    '  chroot: ""',
    '  database: ""',
    '  verbosity: 0',
    `  zonesdir: "${path}/zones"`,
    `  pidfile: "${path}/nsd.pid"`,
    `  xfrdfile: "${path}/xfrd.state"`,
    `  xfrdir: "${path}"`,
    `  zonelistfile: "${path}/zone.list"`,
    'remote-control:',
    '  control-enable: no',
  ]
  const zones = apexes.flatMap((apex) => ['zone:', `  name: "${apex}"`, `  zonefile: "${apex}"`])
  return `${[...server, ...zones].join('\n')}\n`
}

async function waitUntilUp(address: string, apex: string, isAlive: () => boolean): Promise<boolean> {
  for (let attempt = 0; attempt < START_TRIES && isAlive(); attempt++) {
    const resolver = new Resolver({ timeout: 200, tries: 1 })
    resolver.setServers([address])
    try {
      await resolver.resolveSoa(apex)
      return true
    } catch {
      await delay(10)
    }
  }
  return false
}

/** Free a moment ago: nsd takes a port and cannot be asked to pick one. */
async function findFreePort(): Promise<number> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  return port
}
