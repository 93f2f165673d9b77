/** A real Haraka with configuration, queue and spool in its own folder, and our plugin as an operator installs it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../programs/tail-process.ts'
import { type MailDaemon, openMailDaemon } from './mail-daemon.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PROGRAM = join(ROOT, 'node_modules/Haraka/bin/haraka')

export interface Haraka extends MailDaemon {
  readonly port: number
  readonly folder: string
  readonly spool: string
  /** Resolves when it is idle for at least a second: every message in its queue waits for its next attempt. */
  idle(): Promise<void>
}

export interface HarakaOptions {
  readonly folder: string
  readonly port: number
  /** The address of Envelog. */
  readonly url: string
  readonly ingestKey: string
  /** Starts a program; with that of a mail network, it resolves names there. */
  readonly spawn?: (command: string, args: readonly string[]) => ChildProcess
  /** Additional lines of envelog.ini. */
  readonly settings?: readonly string[]
  /** Worker processes in addition to the first; default 0. */
  readonly workers?: number
  /** Additional plugins that come with Haraka. */
  readonly corePlugins?: readonly string[]
  /** Code of additional plugins, by name. */
  readonly plugins?: Readonly<Record<string, string>>
}

export async function openHaraka(options: HarakaOptions): Promise<Haraka> {
  const { folder, port } = options
  const start = options.spawn ?? ((command, args) => spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] }))
  writeConfiguration(options)
  const daemon = await openMailDaemon({
    name: 'Haraka',
    port,
    spawn: () => start(process.execPath, [PROGRAM, '-c', folder]),
  })
  return {
    ...daemon,
    port,
    folder,
    spool: join(folder, 'envelog-spool'),
    idle: () =>
      eventually(async () => {
        // Arrival, next attempt, attempts, and more, joined with underscores.
        const times = readdirSync(join(folder, 'queue')).map((name) => Number(name.split('_')[1]))
        return times.every((time) => time > Date.now() + 1000) ? undefined : 'the queue is at work'
      }),
  }
}

function writeConfiguration({
  folder,
  port,
  url,
  ingestKey,
  settings = [],
  workers = 0,
  corePlugins = [],
  plugins = {},
}: HarakaOptions) {
  for (const name of ['config', 'plugins', 'node_modules']) mkdirSync(join(folder, name), { recursive: true })
  cpSync(join(ROOT, 'integrations/haraka'), join(folder, 'node_modules/haraka-plugin-envelog'), { recursive: true })
  // The only file of those that `haraka -i` creates without which Haraka does not greet clients.
  cpSync(join(ROOT, 'node_modules/Haraka/config/connection.ini'), join(folder, 'config/connection.ini'))
  const keyFile = join(folder, 'envelog.key')
  writeFileSync(keyFile, `${ingestKey}\n`)
  for (const [name, code] of Object.entries(plugins)) writeFileSync(join(folder, 'plugins', `${name}.js`), code)
  const files = {
    plugins: ['relay', ...corePlugins, 'envelog', ...Object.keys(plugins)],
    me: ['mail.operator.test'],
    'smtp.ini': [`listen=127.0.0.1:${port}`, `nodes=${workers}`, 'spool_dir=/tmp'],
    'relay.ini': ['[relay]', 'acl=true'],
    relay_acl_allow: ['127.0.0.1/32'],
    'log.ini': ['[main]', 'level=notice'],
    'outbound.ini': ['temp_fail_intervals=5s*20', 'local_mx_ok=true', 'enable_tls=true', 'connect_timeout=5'],
    'tls.ini': ['[outbound]', 'rejectUnauthorized=false'],
    'envelog.ini': [`url=${url}`, `key_file=${keyFile}`, ...settings],
  }
  for (const [name, lines] of Object.entries(files))
    writeFileSync(join(folder, 'config', name), `${lines.join('\n')}\n`)
}
