/**
 * A real mail server sends through hosts that accept, defer, reject and hang up, while its log is followed. The mail server,
 * the follower and Envelog are each killed and started again; in the end Envelog's log must agree with what the hosts did.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LogClient } from '../log/log-client.ts'
import { openInstallation } from '../programs/installation.ts'
import { eventually, startTail } from '../programs/tail-process.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { LetterWriter } from './letters.ts'
import type { MailDaemon } from './mail-daemon.ts'
import { type MailNetwork, openMailNetwork } from './mail-network.ts'
import { assertOutcome, findUnfinished, type OutcomeOptions } from './mail-outcome.ts'

export interface MailServer extends MailDaemon {
  readonly port: number
  readonly logFile: string
  rotateLog(): void
}

export interface MailLogScene extends OutcomeOptions {
  /** Its name as a subcommand of `tail`. */
  readonly dialect: string
  readonly openServer: (folder: string, network: MailNetwork) => Promise<MailServer>
  /** Gets all lines of the log in the end, oldest first. */
  readonly inspectLog?: (lines: readonly string[]) => void
}

/** What was compared. */
export async function playMailLogScene({ dialect, openServer, inspectLog, ...options }: MailLogScene): Promise<string> {
  using installation = await openInstallation()
  // Postfix does not rotate logs below /dev.
  using folder = openTemporaryFolder('/tmp')
  await using network = await openMailNetwork(folder.path)
  await using mail = await openServer(folder.path, network)
  const writer = new LetterWriter('127.0.0.1', mail.port, 'acme.test', true)

  await using processes = new AsyncDisposableStack()
  let server = processes.use(await installation.start())
  const port = new URL(server.address).port
  const cwd = dirname(installation.dataDir)
  const keyFile = join(cwd, 'key')
  writeFileSync(keyFile, installation.ingestKey)
  const follow = (...more: readonly string[]) => {
    const args = [dialect, mail.logFile, '--url', server.address, '--key-file', keyFile, ...more]
    return processes.use(startTail(args, { cwd, env: { ENVELOG_DATA_DIR: join(cwd, 'tail-data') } }))
  }
  let tail = follow()
  const listEvents = () => new LogClient(server.address, installation).listAll('acme.test')
  const finished = () => eventually(async () => findUnfinished(writer.letters, await listEvents()))

  await writer.sendRound()
  await finished()

  // Both are down while mail continues and the log is rotated.
  await tail.kill()
  await server.kill()
  await writer.sendRound()
  await eventually(async () => (network.records.length > 20 ? undefined : 'the hosts wait for the second round'))
  mail.rotateLog()
  server = processes.use(await installation.start({ ENVELOG_PORT: port }))
  tail = follow()
  await finished()

  // Now the mail server itself, while its queue has only messages that can never be delivered.
  await mail.kill()
  await mail.start()
  await writer.sendRound()
  await tail.kill()
  tail = follow()
  await finished()

  // The lines written since then.
  await tail.stop()
  await mail.kill()
  const rest = follow('--once')
  await rest.ended
  assert.equal(rest.stderr(), '')
  const events = await listEvents()
  assertOutcome(writer.letters, network.records, events, options)
  const files = globSync(`${mail.logFile}*`).toSorted().toReversed()
  inspectLog?.(files.flatMap((file) => readFileSync(file, 'utf8').split('\n')))
  await server.stop()
  return `${events.length} events, ${network.records.length} answers`
}
