/** `migrate-storage`: moves an installation from its data folder into ClickHouse and PostgreSQL while its server runs. */
import { resolve } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { EXIT } from '../../describe-failure.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import type { MoveReport } from '../../maintenance/move-storage.ts'
import type { CommandSpec, Outcome } from '../command/command.ts'
import { ProgressBar } from '../text/progress-bar.ts'
import { formatCount } from '../text/text-table.ts'

const PAGES_DEFAULT = 1000
const PAGES_MAX = 1_000_000
/** Before, the speed is a guess. */
const KNOWN_AFTER_MS = 1000

interface Flags {
  readonly folder?: string
  readonly wait?: boolean
  readonly pages: number
}

export const MIGRATE_STORAGE: CommandSpec = {
  name: 'migrate-storage',
  description:
    'Move an installation from its data folder into the databases of ENVELOG_STORAGE=clickhouse, while its server runs. It may be ' +
    'interrupted and repeated.',
  options: [
    new Option('--from <engine>', 'the engine to move from').choices(['sqlite']).makeOptionMandatory(),
    new Option('--to <engine>', 'the engine to move to').choices(['clickhouse']).makeOptionMandatory(),
    ['--folder <folder>', 'the data folder to move; default: ENVELOG_DATA_DIR'],
    ['--wait', 'keep moving new events until the old server is stopped, then finish the move'],
    new Option('--pages <number>', 'how many pages of the log to compare at the end')
      .default(PAGES_DEFAULT)
      .argParser(parsePages),
  ],
  help: `Run it after ${PROGRAM} migrate, with the configuration of the new servers, on the machine of the old server and as the same user.
Both new databases have to be empty. Events that are already moved are not moved again.
While the old server runs, the command moves its events but does not finish the move. To finish, stop the old server: this command (with
--wait, or run again) moves the remaining events, compares the counts of every domain and a sample of pages, and marks the folder as
moved. Then start the new servers. Nothing else in the folder is changed.
Exit code: 0 when it is finished, 3 while the old server still runs, 1 if something failed or differs: the old server can be started again.`,
  examples: [
    'migrate-storage --from sqlite --to clickhouse --folder /var/lib/envelog',
    'migrate-storage --from sqlite --to clickhouse --folder /var/lib/envelog --wait',
  ],
  isLocal: true,
  async run({ config, isJson }, { folder = config.dataDir, wait = false, pages }: Flags) {
    // Loaded only here: the clients of the databases take longer to load than most commands take to run.
    const { moveStorage } = await import('../../maintenance/move-storage.ts')
    const bar = new MoveBar()
    const say = (words: string) => {
      bar.clear()
      if (!isJson) process.stderr.write(`${words}\n`)
    }
    const report = await moveStorage(config, {
      folder: resolve(folder),
      waits: wait,
      pages,
      seed: Date.now() % 2 ** 31,
      onProgress: ({ day, moved, total }) => bar.show(day, moved, total),
      onCaughtUp: () =>
        say(
          'All events received so far have been moved. Stop the old server now; this command then moves the remaining ones and finishes.',
        ),
      onPage: () => bar.showPages(pages),
    }).finally(() => bar.clear())
    return describe(report)
  },
}

/** One bar for each round of days, then one for the pages that are compared. */
class MoveBar {
  #bar: ProgressBar | undefined
  #left = 0
  #moved = 0
  #startedAtMs = 0

  show(day: string, moved: number, total: number): void {
    if (this.#left <= 0) this.#begin(total)
    this.#left -= moved
    this.#moved += moved
    const elapsedMs = performance.now() - this.#startedAtMs
    const rate = this.#moved / elapsedMs
    const speed = `, ${Math.round(rate * 1000)} events/s, ${describeTime(this.#left / rate)} left`
    this.#bar?.advance(moved, () => (elapsedMs < KNOWN_AFTER_MS ? day : day + speed))
  }

  showPages(total: number): void {
    if (this.#left <= 0) this.#begin(total)
    this.#left -= 1
    this.#bar?.advance(1, () => 'comparing pages')
  }

  clear(): void {
    this.#bar?.finish()
    this.#left = 0
  }

  #begin(total: number): void {
    this.#bar = new ProgressBar(total)
    this.#left = total
    this.#moved = 0
    this.#startedAtMs = performance.now()
  }
}

function describeTime(ms: number): string {
  const minutes = Math.ceil(ms / 60_000)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

function describe({ stored, duplicates, end, finishedAtMs }: MoveReport): Outcome {
  if (finishedAtMs !== undefined) {
    const finishedAt = new Date(finishedAtMs).toISOString()
    return {
      json: { isFinished: true, finishedAt },
      text: `This installation has already been moved (finished at ${finishedAt}). Nothing was changed. Start the new servers if they are not running.`,
    }
  }
  const moved = `${formatCount(stored, 'event')} moved`
  const known = duplicates > 0 ? `, ${formatCount(duplicates, 'event')} had been moved before` : ''
  if (!end) {
    return {
      json: { isFinished: false, stored, duplicates },
      text: `${moved}${known}. The old server is still running, so the move is not finished: stop it and run this command again.`,
      exitCode: EXIT.incomplete,
    }
  }
  const { comparison, control, pauseMs } = end
  const { differences } = comparison
  const isFinished = differences.length === 0
  const compared = `Compared: counts of ${formatCount(comparison.domains, 'domain')}, ${formatCount(comparison.pages, 'page')} with ${formatCount(comparison.events, 'event')}.`
  const rows = Object.entries(control).map(([table, count]) => `${table} ${count}`)
  const lines = isFinished
    ? [`${moved}${known}.`, `Control data: ${rows.join(', ')}.`, `${compared} No difference.`]
    : [
        `${moved}${known}.`,
        `${compared} They differ, and the move is not finished:`,
        ...differences.map((line) => `  ${line}`),
      ]
  const next = isFinished
    ? `The move is finished; its last step took ${(pauseMs / 1000).toFixed(1)} s. Start the new servers. The old folder is marked as moved.`
    : 'Start the old server again; nothing in its folder was changed.'
  return {
    json: { isFinished, stored, duplicates, control, comparison, pauseMs },
    text: [...lines, next].join('\n'),
    exitCode: isFinished ? EXIT.ok : EXIT.failed,
  }
}

function parsePages(text: string): number {
  const pages = Number(text)
  if (Number.isInteger(pages) && pages >= 0 && pages <= PAGES_MAX) return pages
  throw new InvalidArgumentError(`It must be an integer from 0 to ${PAGES_MAX}.`)
}
