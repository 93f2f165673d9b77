/** Follows a source: opens its checkpoint and its feed, and sends what they give until it is stopped. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { type Checkpoint, openCheckpoint } from '../../storage/sqlite/database/tail-checkpoint.ts'
import { waitForSignal } from '../../wait-for-signal.ts'
import { describeAll } from '../client/send-counts.ts'
import type { Context, Outcome } from '../command/command.ts'
import type { Feed, Report } from './feeds/feed.ts'
import { type Interpreter, runTail } from './run-tail.ts'

export interface TailFlags {
  readonly once?: boolean
  readonly checkpoint?: string
}

export interface TailSource {
  /** Part of the checkpoint's name. */
  readonly dialect: string
  /** An absolute path; - for stdin. */
  readonly source: string
  readonly connector: string
  readonly openFeed: (checkpoint: Checkpoint, report: Report) => Feed
  readonly openInterpreter: (checkpoint: Checkpoint, report: Report) => Interpreter
}

export async function follow(
  { client, config }: Context,
  flags: TailFlags,
  { dialect, source, connector, openFeed, openInterpreter }: TailSource,
): Promise<Outcome> {
  await client.connect()
  const path = flags.checkpoint ?? join(config.dataDir, 'tail', `${dialect}-${hash('sha256', source).slice(0, 12)}`)
  using checkpoint = openCheckpoint(path, `${dialect} ${source}`)
  const stop = new AbortController()
  void waitForSignal().then(() => stop.abort())
  const report: Report = (words) => void process.stderr.write(`envelog: ${words}\n`)
  await using feed = openFeed(checkpoint, report)
  const counts = await runTail({
    feed,
    interpreter: openInterpreter(checkpoint, report),
    connector,
    destination: client,
    checkpoint,
    isOnce: flags.once === true,
    signal: stop.signal,
    report,
  })
  return { json: counts, text: describeAll(counts) }
}
