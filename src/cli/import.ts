/** `import`: files of any size into the log, durable batch by batch. */
import { hostname } from 'node:os'
import { type Command, Option } from 'commander'
import { isLogDialect, LOG_DIALECTS, LOG_READERS } from '../connectors/log-readers.ts'
import { MAILLOG } from '../connectors/maillog/maillog.ts'
import { CONNECTOR_NAMES } from '../connectors/registry.ts'
import { EXIT } from '../describe-failure.ts'
import { AppError } from '../lib/app-error.ts'
import { systemClock } from '../lib/clock.ts'
import type { Service } from '../open-service.ts'
import type { CommandRunner, Outcome } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'
import { type ImportCounts, importRecords, type Splitter } from './import/import-records.ts'
import { JsonSplitter } from './import/json-splitter.ts'
import { LogSplitter } from './import/log-splitter.ts'
import { openSource, requireReadable } from './import/open-source.ts'
import { ProgressBar } from './progress-bar.ts'
import { formatCount } from './text-table.ts'

export function addImport(parent: Command, runner: CommandRunner): void {
  parent
    .command('import')
    .description(
      'Bring events from files into the log: NDJSON, JSON arrays or logs of mail servers, of any size, plain, gzip or zstd.',
    )
    .argument('<file...>', 'the files; - for stdin')
    .addOption(
      new Option('--format <name>', 'whose records or logs they are')
        .choices([...CONNECTOR_NAMES, ...LOG_DIALECTS])
        .default('native'),
    )
    .option('--host <name>', "with a log that does not name it: the mail server's name (this machine's when left out)")
    .addHelpText(
      'after',
      `
A record that cannot be stored is kept with its reason (${PROGRAM} rejected list) and does not stop the rest. An event is
stored once however often it is imported, so an import that was interrupted is simply run again.
Exit code: 0 when something was stored or was there already, 1 when everything was rejected, a file could not be read, or nothing in
one was understood: it may be of another --format. A file that is no JSON at all is refused without --format.
Logs of a mail server are named oldest first: a message may begin in one and end in the next.
${examples('import events.ndjson', 'import archive-*.json.gz', 'import --format postfix mail.log.2.gz mail.log.1')}`,
    )
    .action((files: readonly string[], flags: ImportFlags) =>
      runner.withService((service) => importFiles(service, files, flags)),
    )
}

interface ImportFlags {
  readonly format: string
  readonly host?: string
}

async function importFiles(service: Service, files: readonly string[], flags: ImportFlags): Promise<Outcome> {
  const { format } = flags
  const openSplitter = splitterOf(flags)
  const connector = service.connectors.get(isLogDialect(format) ? MAILLOG : format)
  if (!connector) throw new AppError('invalid_request', `There is no format named ${format}.`)
  const totalBytes = files.map(requireReadable).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const counts: ImportCounts = { stored: 0, duplicates: 0, rejected: 0, rejections: [] }
  const bar = new ProgressBar(totalBytes)
  const mistakes: string[] = []
  for (const file of files) {
    try {
      const source = await openSource(file, (bytes) => bar.advance(bytes, formatCount(counts.stored, 'event')))
      const splitter = openSplitter()
      await importRecords(service, connector, source, counts, splitter)
      const mistake = splitter.findMistake?.()
      if (mistake !== undefined) mistakes.push(`${file}: ${mistake}`)
    } catch (error) {
      throw interrupted(file, counts, error)
    } finally {
      bar.finish()
    }
  }
  for (const mistake of mistakes) process.stderr.write(`envelog: ${mistake}\n`)
  const isNothingStored = counts.stored + counts.duplicates === 0 && counts.rejected > 0
  const hasFailed = isNothingStored || mistakes.length > 0
  return { json: counts, text: describeCounts(counts), exitCode: hasFailed ? EXIT.failed : EXIT.ok }
}

function splitterOf({ format, host = hostname() }: ImportFlags): () => Splitter {
  if (!isLogDialect(format)) return () => new JsonSplitter()
  const reader = LOG_READERS[format]({ remembered: [], host, nowMs: systemClock })
  return () => new LogSplitter(format, reader)
}

/** A stream that breaks off, or storage that fails: what went before is kept. */
function interrupted(file: string, counts: ImportCounts, error: unknown): unknown {
  const isOfStream =
    error instanceof Error &&
    'code' in error &&
    (/^(Z_|ZSTD_|ERR_ZSTD|ERR_BUFFER)/.test(String(error.code)) || 'errno' in error)
  if (!(error instanceof AppError) && !isOfStream) return error
  const { stored, duplicates, rejected } = counts
  const isBegun = stored + duplicates + rejected > 0
  const rest = `\nUntil then: ${describeTotals(counts)} Importing the same file again is safe: what is there already is recognised.`
  return new AppError('invalid_payload', `${file}: ${error.message}${isBegun ? rest : ''}`, { cause: error })
}

function describeTotals({ stored, duplicates, rejected }: ImportCounts): string {
  return `stored ${formatCount(stored, 'event')}; ${formatCount(duplicates, 'was', 'were')} there already; ${formatCount(rejected, 'record')} rejected.`
}

function describeCounts(counts: ImportCounts): string {
  const totals = describeTotals(counts)
  const lines = [`${totals.charAt(0).toUpperCase()}${totals.slice(1)}`]
  for (const { file, line, error } of counts.rejections) lines.push(`  ${file}:${line}: ${error}`)
  const more = counts.rejected - counts.rejections.length
  if (more > 0) lines.push(`  and ${more.toLocaleString('en-US')} more`)
  if (counts.rejected > 0) {
    lines.push(
      `Rejected records are kept: ${PROGRAM} rejected list. Once the reasons are gone: ${PROGRAM} rejected replay`,
    )
  }
  return lines.join('\n')
}
