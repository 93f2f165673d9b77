/**
 * A small Internet of mail on loopback, for real mail servers to send through: domains with MX records, and a host for
 * each of them. Needs root, for the ports of DNS and SMTP and for its own resolv.conf.
 *
 *     plain.example    accepts without TLS          down.example    does not listen
 *     tls.example      offers TLS                   hello.example   421 instead of a greeting
 *     nowhere.example  does not exist               broken.example  its name servers fail
 */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DnsServer, openDnsServer, type Zone } from '../dns/dns-server.ts'
import { openSmtpSink, type SinkRecord, type SmtpSink } from './smtp-sink.ts'

export interface MailNetwork extends AsyncDisposable {
  /** The results of the hosts so far. */
  readonly records: readonly SinkRecord[]
  /** Starts a program that resolves names here. */
  spawn(command: string, args: readonly string[], options?: NetworkSpawnOptions): ReturnType<typeof spawn>
}

export interface NetworkSpawnOptions {
  /** Files that replace those of the system for the program, by path. */
  readonly files?: Readonly<Record<string, string>>
  /** `killAlone` ends all processes that the program started, even detached ones. */
  readonly isAlone?: boolean
}

/** Ends a program that was started alone, with SIGKILL. */
export function killAlone({ pid, exitCode, signalCode }: ReturnType<typeof spawn>): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  // When the first process of a namespace ends, all others end too; it is the only child of the process that made the namespace.
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  for (const child of children.split(' ')) if (child !== '') process.kill(Number(child), 'SIGKILL')
}

/** Networks opened by this process. */
let count = 0

/** Several networks can exist at once: each has its own part of 127.0.0.0/8, derived from the process id and `count`. */
function takeAddresses(): (host: number) => string {
  const first = (count++ % 12) * 20
  return (host) => `127.${64 + ((process.pid >> 8) & 63)}.${process.pid & 255}.${first + host}`
}

export async function openMailNetwork(folder: string): Promise<MailNetwork> {
  const address = takeAddresses()
  const mx = (name: string) => ({ soa: SOA, mx: [{ preference: 10, exchange: `mx.${name}` }] })
  const hosts = ['plain.example', 'tls.example', 'down.example', 'hello.example']
  const zone: Zone = { 'broken.example': 'servfail' }
  for (const [index, name] of hosts.entries()) {
    zone[name] = mx(name)
    zone[`mx.${name}`] = { a: [address(10 + index)] }
  }
  const resolvConf = join(folder, 'resolv.conf')
  writeFileSync(resolvConf, `nameserver ${address(2)}\n`)
  const dns: DnsServer = await openDnsServer(zone, { host: address(2), port: 53, isAuthoritative: false })
  const sinks: readonly SmtpSink[] = await Promise.all([
    openSmtpSink({ host: address(10), port: 25 }),
    openSmtpSink({ host: address(11), port: 25, offersTls: true }),
    openSmtpSink({ host: address(13), port: 25, greeting: '421 4.3.2 not now, try later' }),
  ])
  return {
    get records() {
      return sinks.flatMap((sink) => sink.records)
    },
    spawn(command, args, { files = {}, isAlone = false } = {}) {
      const mounts = Object.entries({ '/etc/resolv.conf': resolvConf, ...files })
      const script = [...mounts.map(([path, file]) => `mount --bind '${file}' '${path}'`), 'exec "$0" "$@"'].join(
        ' && ',
      )
      const alone = isAlone ? ['--pid', '--fork'] : []
      return spawn('unshare', ['--mount', ...alone, 'sh', '-c', script, command, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    },
    async [Symbol.asyncDispose]() {
      await dns.close()
      for (const sink of sinks) await sink[Symbol.asyncDispose]()
    },
  }
}

const SOA = { minimum: 1, ttl: 1 }
