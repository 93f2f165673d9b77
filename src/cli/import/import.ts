/** `import`: files of any size into the log, durable batch by batch. */
import { hostname } from 'node:os'
import { Option } from 'commander'
import { isLogDialect, LOG_DIALECTS, LOG_READERS } from '../../connectors/log-readers.ts'
import { MAILLOG } from '../../connectors/maillog/maillog.ts'
import { CONNECTOR_NAMES } from '../../connectors/registry.ts'
import { EXIT } from '../../describe-failure.ts'
import { AppError } from '../../lib/app-error.ts'
import { systemClock } from '../../lib/clock.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import { addLeftOut, countLosses, describeAll, describeCounts } from '../client/send-counts.ts'
import type { CommandSpec } from '../command/command.ts'
import { openSource, requireReadable } from '../files/open-source.ts'
import { ProgressBar } from '../text/progress-bar.ts'
import { formatCount } from '../text/text-table.ts'
import { type ImportCounts, importRecords, type Splitter } from './import-records.ts'
import { JsonSplitter } from './json-splitter.ts'
import { LogSplitter } from './log-splitter.ts'

interface ImportFlags {
  readonly format: string
  readonly host?: string
}

export const IMPORT: CommandSpec = {
  name: 'import',
  description:
    'Import events from files: NDJSON, JSON arrays or logs of mail servers, of any size, plain, gzip or zstd.',
  arguments: [['<file...>', 'the files; - for stdin']],
  options: [
    new Option('--format <name>', 'format of the records or logs')
      .choices([...CONNECTOR_NAMES, ...LOG_DIALECTS])
      .default('native'),
    ['--host <name>', "for logs that do not name it: the mail server's name (default: this machine's)"],
  ],
  help: `Records that cannot be stored are quarantined with their reason (${PROGRAM} rejected list); the import continues. An event is
stored once, no matter how often it is imported, so an interrupted import can simply be run again.
Outcomes in a log that are not events, or cannot be attributed to a domain, are left out, counted and listed with the reason.
Exit code: 0 if events were stored or already in the log; 1 if everything was rejected or could not be attributed, a file could
not be read, or nothing in a file was understood (it may need another --format). Without --format, a file without any JSON is
refused.
Give the logs of a mail server oldest first: a message may begin in one and end in the next.`,
  examples: ['import events.ndjson', 'import archive-*.json.gz', 'import --format postfix mail.log.2.gz mail.log.1'],
  async run({ client, program }, files: readonly string[], flags: ImportFlags) {
    const openSplitter = splitterOf(flags)
    const connector = isLogDialect(flags.format) ? MAILLOG : flags.format
    const totalBytes = files.map(requireReadable).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const counts: ImportCounts = { stored: 0, duplicates: 0, rejected: 0, rejections: [] }
    const bar = new ProgressBar(totalBytes)
    const mistakes: string[] = []
    for (const file of files) {
      try {
        const source = await openSource(file, (bytes) => bar.advance(bytes, () => formatCount(counts.stored, 'event')))
        const splitter = openSplitter()
        await importRecords((records) => client.ingest(connector, records), source, counts, splitter)
        addLeftOut(counts, splitter.leftOut ?? {})
        const mistake = splitter.findMistake?.()
        if (mistake !== undefined) mistakes.push(`${file}: ${mistake}`)
      } catch (error) {
        throw interrupted(file, counts, error)
      } finally {
        bar.finish()
      }
    }
    for (const mistake of mistakes) process.stderr.write(`envelog: ${mistake}\n`)
    const isNothingStored = counts.stored + counts.duplicates === 0 && counts.rejected + countLosses(counts) > 0
    const hasFailed = isNothingStored || mistakes.length > 0
    return { json: counts, text: describeImport(counts, program), exitCode: hasFailed ? EXIT.failed : EXIT.ok }
  },
}

function splitterOf({ format, host = hostname() }: ImportFlags): () => Splitter {
  if (!isLogDialect(format)) return () => new JsonSplitter()
  const reader = LOG_READERS[format]({ remembered: [], host, nowMs: systemClock })
  return () => new LogSplitter(format, reader)
}

/** A truncated stream, or a storage failure: the records imported before it are stored. */
function interrupted(file: string, counts: ImportCounts, error: unknown): unknown {
  const isOfStream =
    error instanceof Error &&
    'code' in error &&
    (/^(Z_|ZSTD_|ERR_ZSTD|ERR_BUFFER)/.test(String(error.code)) || 'errno' in error)
  if (!(error instanceof AppError) && !isOfStream) return error
  const { stored, duplicates, rejected } = counts
  const isBegun = stored + duplicates + rejected > 0
  const rest = `\nUntil then: ${describeCounts(counts, 'stored')} Importing the same file again is safe: duplicates are recognized.`
  return new AppError('invalid_payload', `${file}: ${error.message}${isBegun ? rest : ''}`, { cause: error })
}

function describeImport(counts: ImportCounts, program: string): string {
  const lines = [describeAll(counts)]
  for (const { file, line, error } of counts.rejections) lines.push(`  ${file}:${line}: ${error}`)
  const more = counts.rejected - counts.rejections.length
  if (more > 0) lines.push(`  and ${more.toLocaleString('en-US')} more`)
  if (counts.rejected > 0) {
    lines.push(
      `Rejected records are quarantined: ${program} rejected list. After fixing the reasons: ${program} rejected replay`,
    )
  }
  return lines.join('\n')
}
