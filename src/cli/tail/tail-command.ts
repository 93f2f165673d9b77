/** What the tail commands share: their options, where the place is kept, and the way from a source to its destination. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import type { Command } from 'commander'
import { AppError } from '../../lib/app-error.ts'
import { waitForSignal } from '../../wait-for-signal.ts'
import type { CommandRunner, Outcome } from '../command-runner.ts'
import { formatCount } from '../text-table.ts'
import { type Checkpoint, openCheckpoint } from './checkpoint.ts'
import { type Destination, localDestination, remoteDestination } from './destination.ts'
import type { Feed, Report } from './feed.ts'
import { type Interpreter, runTail, type TailCounts } from './run-tail.ts'

export interface TailFlags {
  readonly once?: boolean
  readonly checkpoint?: string
  readonly url?: string
  readonly keyFile?: string
}

export interface TailSource {
  /** Part of the checkpoint's name. */
  readonly dialect: string
  /** What is followed, as an absolute path; - for stdin. */
  readonly source: string
  readonly connector: string
  readonly openFeed: (checkpoint: Checkpoint, report: Report) => Feed
  readonly openInterpreter: (checkpoint: Checkpoint, report: Report) => Interpreter
}

export const TAIL_HELP = `Nothing is lost and nothing is stored twice, whatever is stopped or killed meanwhile: the place is written down after what
was read is durable, and what is sent again is recognised. Without --url the events go into the data folder of this machine,
whether or not a server runs on it. Ends with SIGTERM or SIGINT.`

export function addTailOptions(command: Command): Command {
  return command
    .option('--once', 'read what is there now, and end')
    .option('--checkpoint <file>', 'where the place is kept; in the data folder when left out')
    .option('--url <address>', 'send to the server there instead, such as https://envelog.example.com')
    .option('--key-file <file>', "with --url: a file with an operator's key that has the scope ingest")
}

export function followSource(runner: CommandRunner, flags: TailFlags, source: TailSource): Promise<void> {
  const { url, keyFile } = flags
  if (url === undefined) {
    return runner.withService((service) => follow(service.config.dataDir, flags, source, localDestination(service)))
  }
  if (keyFile === undefined) throw new AppError('invalid_request', '--url needs --key-file.')
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new AppError('invalid_request', `${url} is no http address.`)
  return runner.withConfig((config) => follow(config.dataDir, flags, source, remoteDestination({ url, keyFile })))
}

async function follow(
  dataDir: string,
  flags: TailFlags,
  { dialect, source, connector, openFeed, openInterpreter }: TailSource,
  destination: Destination,
): Promise<Outcome> {
  const path = flags.checkpoint ?? join(dataDir, 'tail', `${dialect}-${hash('sha256', source).slice(0, 12)}`)
  using checkpoint = openCheckpoint(path, `${dialect} ${source}`)
  const stop = new AbortController()
  void waitForSignal().then(() => stop.abort())
  const report: Report = (words) => void process.stderr.write(`envelog: ${words}\n`)
  await using feed = openFeed(checkpoint, report)
  const counts = await runTail({
    feed,
    interpreter: openInterpreter(checkpoint, report),
    connector,
    destination,
    checkpoint,
    isOnce: flags.once === true,
    signal: stop.signal,
    report,
  })
  return { json: counts, text: describe(counts) }
}

function describe({ stored, duplicates, rejected }: TailCounts): string {
  return `Stored ${formatCount(stored, 'event')}; ${formatCount(duplicates, 'was', 'were')} there already; ${formatCount(rejected, 'record')} rejected.`
}
