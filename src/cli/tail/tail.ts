/** `tail`: follows the logs of mail servers and sends what they say. */
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { LOG_READERS, type LogDialect } from '../../connectors/log-readers.ts'
import { MAILLOG } from '../../connectors/maillog/maillog.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Checkpoint } from '../../storage/sqlite/database/tail-checkpoint.ts'
import type { CommandGroup, CommandSpec } from '../command/command.ts'
import { DatedFeed } from './feeds/dated-feed.ts'
import type { Feed, Report } from './feeds/feed.ts'
import { LineFeed } from './feeds/line-feed.ts'
import { SegmentFeed } from './feeds/segment-feed.ts'
import { StdinFeed } from './feeds/stdin-feed.ts'
import { follow, type TailFlags } from './follow.ts'
import { logInterpreter } from './log-interpreter.ts'

const STDIN = '-'

const OPTIONS = [
  ['--once', 'read everything written so far, then exit'],
  ['--checkpoint <file>', 'where the position is stored (default: in the data folder)'],
] as const

const HELP = `Nothing is lost or stored twice, no matter what is stopped or killed: the position is saved after the events are durable, and
events that are sent again are recognized. Without --url the events go into the data folder of this machine, with or without a
running server. Ends with SIGTERM or SIGINT.`

const kumomta: CommandSpec = {
  name: 'kumomta',
  description: "Follow the folder of KumoMTA's log segments (configure_local_logs), growing and finished ones.",
  arguments: [['<folder>', 'the log_dir of KumoMTA']],
  options: OPTIONS,
  help: HELP,
  examples: ['tail kumomta /var/log/kumomta', 'tail kumomta /var/log/kumomta --once'],
  run: (context, folder: string, flags: TailFlags) =>
    follow(context, flags, {
      dialect: 'kumomta',
      source: resolve(folder),
      connector: 'kumomta',
      openFeed: (checkpoint, report) => new SegmentFeed(resolve(folder), checkpoint, report),
      // Each line is a record already.
      openInterpreter: () => ({ interpret: (lines) => ({ records: lines, changes: [] }) }),
    }),
}

interface LogFlags extends TailFlags {
  readonly skipUnknownDomains?: boolean
  readonly host?: string
}

interface LogCommand extends Pick<CommandSpec, 'description' | 'options' | 'examples'> {
  readonly file: string
  readonly openFeed?: (path: string, checkpoint: Checkpoint, report: Report) => Feed
}

function logCommand(
  dialect: LogDialect,
  { description, file, options = [], examples, openFeed }: LogCommand,
): CommandSpec {
  const openFileFeed = openFeed ?? ((...args) => new LineFeed(...args))
  return {
    name: dialect,
    description,
    arguments: [['<file>', file]],
    options: [
      ...options,
      ...OPTIONS,
      ['--skip-unknown-domains', 'skip mail of domains that Envelog does not know, instead of quarantining it'],
    ],
    help: HELP,
    examples,
    run(context, typed: string, flags: LogFlags) {
      const isStdin = typed === STDIN
      const source = isStdin ? STDIN : resolve(typed)
      // A pipe is always read to its end, so --once makes no difference.
      return follow(context, isStdin ? { ...flags, once: false } : flags, {
        dialect,
        source,
        connector: MAILLOG,
        openFeed: (checkpoint, report) => (isStdin ? new StdinFeed() : openFileFeed(source, checkpoint, report)),
        openInterpreter(checkpoint, report) {
          const { host = hostname(), skipUnknownDomains: skipsUnknownDomains = false } = flags
          const reader = LOG_READERS[dialect]({ remembered: checkpoint.list(''), host, nowMs: systemClock })
          return logInterpreter(reader, { skipsUnknownDomains, dialect, report })
        },
      })
    },
  }
}

const exim = logCommand('exim', {
  description: "Follow Exim's main log, including rotated files.",
  file: 'the log, such as /var/log/exim4/mainlog; - for stdin',
  options: [['--host <name>', "the mail server's name, which event ids are made with (default: this machine's)"]],
  examples: ['tail exim /var/log/exim4/mainlog', 'tail exim mainlog.2 --once --host mx1'],
})

const postfix = logCommand('postfix', {
  description: "Follow Postfix's log, including rotated files.",
  file: 'the log, such as /var/log/mail.log; - for stdin, such as the output of journalctl -f -o json',
  examples: ['tail postfix /var/log/mail.log', 'tail postfix old-mail.log --once'],
})

const powermta = logCommand('powermta', {
  description: "Follow PowerMTA's accounting files, one after the other.",
  file: 'as <acct-file> names it, without the date that PowerMTA adds; - for stdin',
  examples: ['tail powermta /var/log/pmta/acct.csv', 'tail powermta /var/log/pmta/acct.csv --once'],
  openFeed: (...args) => new DatedFeed(...args),
})

export const TAIL: CommandGroup = {
  name: 'tail',
  description: 'Follow the log of a mail server.',
  commands: [exim, kumomta, postfix, powermta],
}
