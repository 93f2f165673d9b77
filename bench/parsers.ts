/**
 * node bench/parsers.ts: how many lines, records or messages each connector reads in a second, and how many events come of them, on
 * one core. Checking and storing the events is not part of it. What `tail` makes of the lines of a log travels as `maillog`
 * and is read a second time where it is stored.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOG_DIALECTS, LOG_READERS, type LogDialect } from '../src/connectors/log-readers.ts'
import { MAILLOG } from '../src/connectors/maillog/maillog.ts'
import { createConnectors } from '../src/connectors/registry.ts'
import { readReport } from '../src/connectors/report/read-report.ts'
import { AppError } from '../src/lib/app-error.ts'

interface Measured {
  readonly connector: string
  readonly linesPerSecond: number
  readonly eventsPerSecond: number
}

/** Reads all of them, and counts the events. */
type Work = (lines: readonly Buffer[]) => number

const LINES = 100_000
const ROUNDS = 5
const FOLDER = join(import.meta.dirname, '../src/connectors')
const connectors = createConnectors()

/** What a log of many messages is made of: the lines of one, and the id in them that is another for each. */
const MESSAGES: Readonly<Record<LogDialect, { file: string; id: string; numbered: (n: string) => string }>> = {
  exim: { file: '05-several-recipients.log', id: '1xSTpC-00000C-2w', numbered: (n) => `1xSTpC-${n}-2w` },
  postfix: { file: '10-several-recipients.log', id: '4jRxmD32Gqz2RHX8', numbered: (n) => `4jRx${n}z2RHX8` },
  powermta: {
    file: '08-transient-then-delivery.csv',
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    numbered: (n) => `01890a5d-ac96-774b-bcce-b302099${n.slice(1)}`,
  },
}

const measured = [
  ...['kumomta', 'haraka'].map((name) => measure(name, listRecords(name), (lines) => countEvents(name, lines))),
  measure(MAILLOG, readLog('postfix', makeLog('postfix')), (lines) => countEvents(MAILLOG, lines)),
  ...LOG_DIALECTS.map((name) => measure(name, makeLog(name), (lines) => readLog(name, lines).length)),
  measure('report', listReports(), countReported),
]
for (const { connector, linesPerSecond, eventsPerSecond } of measured) {
  const [lines, events] = [linesPerSecond, eventsPerSecond].map((value) => Math.round(value).toLocaleString('en-US'))
  process.stdout.write(`${connector.padEnd(10)} ${lines?.padStart(10)} lines/s ${events?.padStart(10)} events/s\n`)
}

/** The best round: what else the machine does only makes it slower. */
function measure(connector: string, lines: readonly Buffer[], work: Work): Measured {
  let best = Number.POSITIVE_INFINITY
  let events = 0
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now()
    events = work(lines)
    best = Math.min(best, performance.now() - startedMs)
  }
  if (events === 0) throw new Error(`${connector}: no events`)
  return { connector, linesPerSecond: (lines.length / best) * 1000, eventsPerSecond: (events / best) * 1000 }
}

/** As `tail` does it. */
function readLog(name: LogDialect, lines: readonly Buffer[]): readonly Buffer[] {
  const reader = LOG_READERS[name]({ remembered: [], host: 'mail', nowMs: Date.now })
  const records = lines.flatMap((line) => reader.read(line.toString('utf8')))
  reader.takeChanges()
  return records.map((record) => Buffer.from(JSON.stringify(record)))
}

function countEvents(name: string, records: readonly Buffer[]): number {
  const connector = connectors.get(name)
  if (!connector) throw new Error(`there is no connector named ${name}`)
  let count = 0
  for (const record of records) {
    try {
      count += connector.toEvents(JSON.parse(record.toString('utf8'))).length
    } catch (error) {
      // Some samples are there to be rejected.
      if (!(error instanceof AppError)) throw error
    }
  }
  return count
}

/** All samples, over and over. */
function listRecords(name: string): readonly Buffer[] {
  const files = globSync('*.in.json', { cwd: join(FOLDER, name, 'testdata') }).toSorted()
  const samples = files.map((file) => JSON.parse(readFileSync(join(FOLDER, name, 'testdata', file), 'utf8')) as unknown)
  const records = samples.map((sample) => Buffer.from(JSON.stringify(sample)))
  return Array.from({ length: LINES }, (_, n) => records[n % records.length] ?? Buffer.alloc(0))
}

/** A whole message each, so fewer of them. */
function listReports(): readonly Buffer[] {
  const folder = join(FOLDER, 'report/testdata')
  const samples = globSync('*.eml', { cwd: folder }).filter((name) => !name.includes('hostile'))
  const messages = samples.toSorted().map((name) => readFileSync(join(folder, name)))
  return Array.from({ length: LINES / 10 }, (_, n) => messages[n % messages.length] ?? Buffer.alloc(0))
}

function countReported(messages: readonly Buffer[]): number {
  const counts = messages.map((message) => {
    const report = readReport(message)
    return report.kind === 'delivery' ? report.outcomes.length : Number(report.kind === 'feedback')
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Ten messages at a time, their lines in turns, as a busy server writes them. */
function makeLog(name: LogDialect): readonly Buffer[] {
  const { file, id, numbered } = MESSAGES[name]
  const text = readFileSync(join(FOLDER, name, 'testdata', file), 'utf8')
  const [header = '', ...rest] = text.trimEnd().split(/\r?\n/)
  const template = name === 'powermta' ? rest : [header, ...rest]
  const lines = name === 'powermta' ? [Buffer.from(header)] : []
  for (let first = 0; lines.length < LINES; first += 10) {
    const ids = Array.from({ length: 10 }, (_, n) => numbered(`${first + n}`.padStart(6, '0')))
    for (const line of template) lines.push(...ids.map((other) => Buffer.from(line.replaceAll(id, other))))
  }
  return lines
}
