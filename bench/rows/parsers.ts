/**
 * `parse_…`: events per second that each connector parses from ordinary traffic on one core, against the ingest rate: from
 * bytes to events ready to be stored. `tail` turns lines of a log into `maillog` records, which the server parses again.
 */
import { LOG_READERS, type LogDialect } from '../../src/connectors/log-readers.ts'
import { MAILLOG } from '../../src/connectors/maillog/maillog.ts'
import { createConnectors } from '../../src/connectors/registry.ts'
import { readReport } from '../../src/connectors/report/read-report.ts'
import { Figures } from '../load/figures.ts'
import { judge, type Row, type RowName } from '../report/row.ts'
import { makeLog, repeatSamples } from '../traffic/connector-traffic.ts'

export interface ParserWork {
  /** Records, lines or messages per round. */
  readonly inputs: number
  readonly rounds: number
}

/** Makes the traffic; the function it returns parses that once and returns the number of events. */
type Parser = (inputs: number) => () => number

const PARSERS = {
  parse_kumomta: (inputs) => recordParser('kumomta', inputs),
  parse_haraka: (inputs) => recordParser('haraka', inputs),
  parse_maillog: (inputs) => {
    const records = [...readLog('postfix', makeLog('postfix', inputs))].flat()
    return () => sum(records, (record) => countEvents(MAILLOG, record))
  },
  parse_exim: (inputs) => logParser('exim', inputs),
  parse_postfix: (inputs) => logParser('postfix', inputs),
  parse_powermta: (inputs) => logParser('powermta', inputs),
  parse_report: (inputs) => {
    const messages = repeatSamples('report', '.eml', inputs, countReported)
    return () => sum(messages, countReported)
  },
} as const satisfies Partial<Record<RowName, Parser>>

type ParserRow = keyof typeof PARSERS

const PARSER_ROWS = Object.keys(PARSERS) as readonly ParserRow[]
/** About as many as `tail` reads between two checkpoints. */
const LINES_AT_ONCE = 1000

const connectors = createConnectors()

/** `stored`: the ingest rate, in events per second. */
export function measureParsers(wants: (row: RowName) => boolean, work: ParserWork, stored: number): readonly Row[] {
  return PARSER_ROWS.filter(wants).map((name) =>
    judge(name, eventsPerSecond(PARSERS[name](work.inputs), work.rounds), stored),
  )
}

/** The first round is a warm-up: a server runs for days. */
function eventsPerSecond(parse: () => number, rounds: number): number {
  parse()
  const rates = new Figures()
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    const events = parse()
    rates.add((events / (performance.now() - started)) * 1000)
  }
  return rates.median
}

function recordParser(name: string, inputs: number): () => number {
  const records = repeatSamples(name, '.in.json', inputs, (record) => countEvents(name, record))
  return () => sum(records, (record) => countEvents(name, record))
}

function countEvents(name: string, record: Buffer): number {
  const connector = connectors.get(name)
  if (!connector) throw new Error(`there is no connector named ${name}`)
  return connector.toEvents(JSON.parse(record.toString())).length
}

function countReported(message: Buffer): number {
  const report = readReport(message)
  return report.kind === 'delivery' ? report.outcomes.length : Number(report.kind === 'feedback')
}

function logParser(dialect: LogDialect, inputs: number): () => number {
  const lines = makeLog(dialect, inputs)
  return () => {
    let count = 0
    for (const records of readLog(dialect, lines)) count += records.length
    return count
  }
}

/** In batches, as `tail` does. */
function* readLog(dialect: LogDialect, lines: readonly Buffer[]): Generator<readonly Buffer[]> {
  const reader = LOG_READERS[dialect]({ remembered: [], host: 'mail', nowMs: Date.now })
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const records = lines.slice(at, at + LINES_AT_ONCE).flatMap((line) => reader.read(line.toString()))
    reader.takeChanges()
    yield records.map((record) => Buffer.from(JSON.stringify(record)))
  }
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  let total = 0
  for (const item of items) total += count(item)
  return total
}
