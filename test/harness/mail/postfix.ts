/** A real Postfix with configuration, queue and log in its own folder; the programs are those of the system's package. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '../free-port.ts'
import { openMailDaemon } from './mail-daemon.ts'
import type { MailServer } from './mail-log-scene.ts'
import type { MailNetwork } from './mail-network.ts'

export interface PostfixOptions {
  readonly folder: string
  readonly network: MailNetwork
  readonly port: number
  readonly settings?: Readonly<Record<string, string>>
  /** Where it also accepts mail, without its content filter: the filter returns messages there. */
  readonly filteredPort?: number
  /** Default: in the folder. */
  readonly logFile?: string
}

export interface Postfix extends MailServer {
  /** Submits a message as a program on the same machine does; the sender is the name of the user. */
  sendmail(recipient: string, message: string): void
  /** Continues with a new log file after the old one was renamed. */
  reload(): void
}

const HEADER_CHECKS = '/^Subject:/ INFO\n/^From:/ INFO\n/^X-Envelog-Id:/ INFO\n'

export async function openPostfix(options: PostfixOptions): Promise<Postfix> {
  const { folder, network, port, settings = {}, filteredPort, logFile = join(folder, 'mail.log') } = options
  const config = join(folder, 'config')
  // Its processes run as another user.
  chmodSync(folder, 0o755)
  for (const name of ['config', 'queue', 'data']) mkdirSync(join(folder, name), { mode: 0o755 })
  const postfixUser = Number(spawnSync('id', ['-u', 'postfix'], { encoding: 'utf8' }).stdout)
  chownSync(join(folder, 'data'), postfixUser, 0)
  for (const name of ['postfix-files', 'dynamicmaps.cf']) {
    if (existsSync(`/etc/postfix/${name}`)) cpSync(`/etc/postfix/${name}`, join(config, name))
  }
  writeFileSync(join(config, 'header_checks'), HEADER_CHECKS)
  writeFileSync(join(config, 'main.cf'), mainConfig(folder, logFile, settings))
  writeFileSync(join(config, 'master.cf'), masterConfig(port, filteredPort))
  const daemon = await openMailDaemon({
    name: 'Postfix',
    port,
    spawn: () => network.spawn('postfix', ['-c', config, 'start-fg']),
    killAll(master) {
      if (master.exitCode === null) killGroup(join(folder, 'queue/pid/master.pid'))
      master.kill('SIGKILL')
    },
  })
  return {
    ...daemon,
    port,
    logFile,
    // Renamed and compressed, as Postfix does it.
    rotateLog: () => requireSuccess(spawnSync('postfix', ['-c', config, 'logrotate'])),
    reload: () => requireSuccess(spawnSync('postfix', ['-c', config, 'reload'])),
    sendmail(recipient, input) {
      requireSuccess(spawnSync('/usr/sbin/sendmail', ['-C', config, '-i', recipient], { input }))
    },
  }
}

/** The first hands all mail over to the second, which sends it. They have one log. */
export async function openPostfixPair(options: PostfixOptions): Promise<MailServer> {
  const { folder, network, port, settings = {} } = options
  const logFile = join(folder, 'mail.log')
  const [first, second] = ['in', 'out'].map((name) => join(folder, name)) as [string, string]
  for (const path of [first, second]) mkdirSync(path)
  chmodSync(folder, 0o755)
  const both = { network, logFile }
  const named = (name: string) => ({ ...settings, syslog_name: `postfix-${name}`, maillog_file_prefixes: folder })
  const secondPort = await findFreePort()
  const out = await openPostfix({ ...both, folder: second, port: secondPort, settings: named('out') })
  try {
    const content_filter = `smtp:[127.0.0.1]:${secondPort}`
    const into = await openPostfix({ ...both, folder: first, port, settings: { ...named('in'), content_filter } })
    return {
      port,
      logFile,
      output: () => into.output() + out.output(),
      async start() {
        await out.start()
        await into.start()
      },
      async kill() {
        await into.kill()
        await out.kill()
      },
      rotateLog() {
        renameSync(logFile, `${logFile}.1`)
        into.reload()
        out.reload()
      },
      async [Symbol.asyncDispose]() {
        await into[Symbol.asyncDispose]()
        await out[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await out[Symbol.asyncDispose]()
    throw error
  }
}

function requireSuccess({ status, stderr }: SpawnSyncReturns<Buffer>): void {
  if (status !== 0) throw new Error(stderr.toString())
}

/** The master leads the process group of everything that it started. */
function killGroup(pidFile: string): void {
  // If Postfix was ended before it wrote its own file, the id is of an earlier run: then there is nothing to kill.
  if (existsSync(pidFile)) spawnSync('kill', ['-KILL', '--', `-${readFileSync(pidFile, 'utf8').trim()}`])
}

function mainConfig(folder: string, logFile: string, settings: Readonly<Record<string, string>>): string {
  const all = {
    compatibility_level: '3.6',
    queue_directory: join(folder, 'queue'),
    data_directory: join(folder, 'data'),
    daemon_directory: '/usr/lib/postfix/sbin',
    command_directory: '/usr/sbin',
    maillog_file: logFile,
    maillog_file_prefixes: folder,
    myhostname: 'mail.operator.test',
    mydestination: '',
    mynetworks: '127.0.0.0/8',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    alias_maps: '',
    alias_database: '',
    header_checks: `regexp:${join(folder, 'config/header_checks')}`,
    nested_header_checks: '',
    enable_long_queue_ids: 'yes',
    smtp_tls_security_level: 'may',
    smtp_tls_loglevel: '1',
    minimal_backoff_time: '2s',
    maximal_backoff_time: '3s',
    queue_run_delay: '2s',
    smtp_connect_timeout: '3s',
    // Otherwise a host that does not answer delays all mail for it.
    smtp_destination_concurrency_failed_cohort_limit: '100',
    default_destination_concurrency_failed_cohort_limit: '100',
    ...settings,
  }
  return Object.entries(all)
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('')
}

/** Service name, private or not, process limit, program: Postfix's defaults, without chroot. */
const SERVICES = `
  pickup n 1 pickup
  qmgr n 1 qmgr
  cleanup n 0 cleanup
  showq n - showq
  flush n 0 flush
  tlsmgr - 1 tlsmgr
  rewrite - - trivial-rewrite
  bounce - 0 bounce
  defer - 0 bounce
  trace - 0 bounce
  verify - 1 verify
  proxymap - - proxymap
  proxywrite - 1 proxymap
  smtp - - smtp
  relay - - smtp
  error - - error
  retry - - error
  discard - - discard
  local - - local
  virtual - - virtual
  lmtp - - lmtp
  anvil - 1 anvil
  scache - 1 scache`

function masterConfig(port: number, filteredPort?: number): string {
  const services = SERVICES.trim()
    .split('\n')
    .map((line) => {
      const [name = '', isPrivate, limit, program] = line.trim().split(' ')
      // Woken up at intervals, whether or not there is new mail.
      const wakeup = ['pickup', 'qmgr'].includes(name) ? '2' : '-'
      return `${name} unix ${isPrivate} - n ${wakeup} ${limit} ${program}`
    })
  const filtered =
    filteredPort === undefined ? [] : [`127.0.0.1:${filteredPort} inet n - n - - smtpd -o content_filter=`]
  const lines = [
    `127.0.0.1:${port} inet n - n - - smtpd`,
    ...filtered,
    'postlog unix-dgram n - n - 1 postlogd',
    ...services,
  ]
  return `${lines.join('\n')}\n`
}
