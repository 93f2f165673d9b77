/** A ZooKeeper from the system's packages, on a port of loopback. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { MemberProcess, requirePackage } from './member-process.ts'

const LIBRARY = '/usr/share/java/zookeeper.jar'
const TICK_MS = 500
/** Servers choose a shorter one. */
const LONGEST_SESSION_MS = 120_000
const ANSWER_TIMEOUT_MS = 1000

export function makeZooKeeper(folder: string, port: number): MemberProcess {
  requirePackage('zookeeper', LIBRARY)
  mkdirSync(join(folder, 'data'), { recursive: true })
  const settings = [
    `tickTime=${TICK_MS}`,
    `maxSessionTimeout=${LONGEST_SESSION_MS}`,
    `dataDir=${join(folder, 'data')}`,
    'clientPortAddress=127.0.0.1',
    `clientPort=${port}`,
    'maxClientCnxns=0',
    'admin.enableServer=false',
    '4lw.commands.whitelist=srvr',
  ]
  const file = join(folder, 'zoo.cfg')
  writeFileSync(file, `${settings.join('\n')}\n`)
  const java = [
    'java',
    '-Xmx192m',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-Dzookeeper.forceSync=no',
    '-Dzookeeper.digest.enabled=false',
    '-Dzookeeper.nio.numWorkerThreads=0',
  ]
  const main = ['-cp', LIBRARY, 'org.apache.zookeeper.server.ZooKeeperServerMain', file]
  return new MemberProcess({
    name: 'zookeeper',
    command: [...java, ...main],
    output: join(folder, 'output'),
    isReady: () => isServing(port),
  })
}

/** It accepts connections, and answers `ruok`, before it serves: a ClickHouse of Debian's version that is turned away crashes. */
function isServing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write('srvr'))
    socket.once('data', (answer: Buffer) => {
      resolve(answer.toString().startsWith('Zookeeper version'))
      socket.destroy()
    })
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy())
  })
}
