/** A real Exim with configuration, spool and log in its own folder; the program is that of Debian's package. */
import { chmodSync, chownSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EXIM_PROGRAM } from '../../../scripts/servers.ts'
import { openMailDaemon } from './mail-daemon.ts'
import type { MailServer } from './mail-log-scene.ts'
import { killAlone, type MailNetwork } from './mail-network.ts'

export interface EximOptions {
  readonly folder: string
  readonly network: MailNetwork
  readonly port: number
}

/** Unique on this machine. */
const EXIM_UID = 64_077
/** The name is compiled in. */
const EXIM_USER = 'Debian-exim'

export async function openExim({ folder, network, port }: EximOptions): Promise<MailServer> {
  const logFile = join(folder, 'log/mainlog')
  const config = join(folder, 'exim.conf')
  // Its processes run as another user.
  chmodSync(folder, 0o755)
  for (const name of ['log', 'spool']) {
    mkdirSync(join(folder, name))
    chownSync(join(folder, name), EXIM_UID, EXIM_UID)
  }
  writeFileSync(config, eximConfig(folder, port))
  const files = {
    '/etc/passwd': addAccount(folder, 'passwd', `${EXIM_USER}:x:${EXIM_UID}:${EXIM_UID}::/nonexistent:/bin/false`),
    '/etc/group': addAccount(folder, 'group', `${EXIM_USER}:x:${EXIM_UID}:`),
  }
  const daemon = await openMailDaemon({
    name: 'Exim',
    port,
    spawn: () => network.spawn(EXIM_PROGRAM, ['-C', config, '-bdf', '-q1s'], { files, isAlone: true }),
    killAll: killAlone,
  })
  return {
    ...daemon,
    port,
    logFile,
    // As logrotate does it; Exim creates a new file with its next line.
    rotateLog: () => renameSync(logFile, `${logFile}.1`),
  }
}

/** A copy of the system's file with one more line. */
function addAccount(folder: string, name: 'passwd' | 'group', line: string): string {
  const path = join(folder, name)
  writeFileSync(path, `${readFileSync(`/etc/${name}`, 'utf8').trimEnd()}\n${line}\n`)
  return path
}

function eximConfig(folder: string, port: number): string {
  return `
primary_hostname = mail.operator.test
exim_path = ${EXIM_PROGRAM}
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%slog
pid_file_path = ${folder}/spool/exim.pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
disable_ipv6 = true
keep_environment =
host_lookup =
rfc1413_query_timeout = 0s
tls_advertise_hosts =
never_users =
queue_run_max = 5
remote_max_parallel = 1
# A hopeless bounce would stay for days.
ignore_bounce_errors_after = 0s
log_selector = +subject +received_recipients +smtp_confirmation +tls_cipher +incoming_interface +millisec
log_timezone = true
acl_smtp_rcpt = accept_all
acl_smtp_data = log_from

begin acl
accept_all:
  accept
log_from:
  warn logwrite = :main: From: \${sg{$rh_from:}{\\N\\s+\\N}{ }}
  warn condition = \${if def:h_x-envelog-id:}
       logwrite = :main: X-Envelog-Id: \${sg{$rh_x-envelog-id:}{\\N\\s+\\N}{ }}
  accept

begin routers
dnslookup:
  driver = dnslookup
  transport = remote_smtp
  # Exim considers hosts on loopback to be itself, unless configured otherwise.
  self = send
  no_more

begin transports
remote_smtp:
  driver = smtp
  allow_localhost
  connect_timeout = 3s
  hosts_try_fastopen =

begin retry
* * F,1h,1s
`
}
