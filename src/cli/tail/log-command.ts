/** What the commands that follow a log of lines share. */
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { LOG_READERS, type LogDialect } from '../../connectors/log-readers.ts'
import { MAILLOG } from '../../connectors/maillog/maillog.ts'
import { systemClock } from '../../lib/clock.ts'
import type { CommandRunner } from '../command-runner.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Feed, Report } from './feed.ts'
import { LineFeed } from './line-feed.ts'
import { logInterpreter } from './log-interpreter.ts'
import { StdinFeed } from './stdin-feed.ts'
import { addTailOptions, followSource, type TailFlags } from './tail-command.ts'

export interface LogFlags extends TailFlags {
  readonly skipUnknownDomains?: boolean
  readonly host?: string
}

const STDIN = '-'

export function addLogOptions(command: Command): Command {
  return addTailOptions(command).option(
    '--skip-unknown-domains',
    'pass over mail of domains that Envelog does not know, instead of keeping it in quarantine',
  )
}

export function followLog(
  runner: CommandRunner,
  dialect: LogDialect,
  file: string,
  flags: LogFlags,
  openFileFeed: (path: string, checkpoint: Checkpoint, report: Report) => Feed = (...args) => new LineFeed(...args),
): Promise<void> {
  const isStdin = file === STDIN
  const path = isStdin ? STDIN : resolve(file)
  // A pipe ends by itself; there is no "what is there now".
  return followSource(runner, isStdin ? { ...flags, once: false } : flags, {
    dialect,
    source: path,
    connector: MAILLOG,
    openFeed: (checkpoint, report) => (isStdin ? new StdinFeed() : openFileFeed(path, checkpoint, report)),
    openInterpreter(checkpoint, report) {
      const { host = hostname(), skipUnknownDomains: skipsUnknownDomains = false } = flags
      const reader = LOG_READERS[dialect]({ remembered: checkpoint.list(''), host, nowMs: systemClock })
      return logInterpreter(reader, { skipsUnknownDomains, dialect, report })
    },
  })
}
