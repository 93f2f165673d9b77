/** A real Postfix with configuration, queue and log in its own folder; the programs are those of the system's package. */
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openMailDaemon } from './mail-daemon.ts'
import type { MailServer } from './mail-log-scene.ts'
import type { MailNetwork } from './mail-network.ts'

export interface PostfixOptions {
  readonly folder: string
  readonly network: MailNetwork
  readonly port: number
  readonly settings?: Readonly<Record<string, string>>
}

const HEADER_CHECKS = '/^Subject:/ INFO\n/^From:/ INFO\n/^X-Envelog-Id:/ INFO\n'

export async function openPostfix({ folder, network, port, settings = {} }: PostfixOptions): Promise<MailServer> {
  const config = join(folder, 'config')
  const logFile = join(folder, 'mail.log')
  // Its processes run as another user.
  chmodSync(folder, 0o755)
  for (const name of ['config', 'queue', 'data']) mkdirSync(join(folder, name), { mode: 0o755 })
  const postfixUser = Number(spawnSync('id', ['-u', 'postfix'], { encoding: 'utf8' }).stdout)
  chownSync(join(folder, 'data'), postfixUser, 0)
  for (const name of ['postfix-files', 'dynamicmaps.cf']) {
    if (existsSync(`/etc/postfix/${name}`)) cpSync(`/etc/postfix/${name}`, join(config, name))
  }
  writeFileSync(join(config, 'header_checks'), HEADER_CHECKS)
  writeFileSync(join(config, 'main.cf'), mainConfig(folder, settings))
  writeFileSync(join(config, 'master.cf'), masterConfig(port))
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
    rotateLog() {
      const { status, stderr } = spawnSync('postfix', ['-c', config, 'logrotate'], { encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
    },
  }
}

/** The master leads the process group of everything that it started. */
function killGroup(pidFile: string): void {
  // If Postfix was ended before it wrote its own file, the id is of an earlier run: then there is nothing to kill.
  if (existsSync(pidFile)) spawnSync('kill', ['-KILL', '--', `-${readFileSync(pidFile, 'utf8').trim()}`])
}

function mainConfig(folder: string, settings: Readonly<Record<string, string>>): string {
  const all = {
    compatibility_level: '3.6',
    queue_directory: join(folder, 'queue'),
    data_directory: join(folder, 'data'),
    daemon_directory: '/usr/lib/postfix/sbin',
    command_directory: '/usr/sbin',
    maillog_file: join(folder, 'mail.log'),
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

function masterConfig(port: number): string {
  const services = SERVICES.trim()
    .split('\n')
    .map((line) => {
      const [name = '', isPrivate, limit, program] = line.trim().split(' ')
      // Woken up at intervals, whether or not there is new mail.
      const wakeup = ['pickup', 'qmgr'].includes(name) ? '2' : '-'
      return `${name} unix ${isPrivate} - n ${wakeup} ${limit} ${program}`
    })
  const lines = [`127.0.0.1:${port} inet n - n - - smtpd`, 'postlog unix-dgram n - n - 1 postlogd', ...services]
  return `${lines.join('\n')}\n`
}
