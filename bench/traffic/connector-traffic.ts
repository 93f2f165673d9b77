/**
 * Ordinary traffic for the parsers: logs and records of sending engines, built from the connectors' samples. Samples without
 * events are left out: hostile, broken and refused ones, and those that are not about a message.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LogDialect } from '../../src/connectors/log-readers.ts'
import { AppError } from '../../src/lib/app-error.ts'

const FOLDER = join(import.meta.dirname, '../../src/connectors')
/** Messages whose lines are interleaved in a log, as a busy server writes them. */
const MESSAGES_AT_ONCE = 10

/** The lines of one message, and the id in them that is replaced to make a log of many. */
const LOGS: Readonly<Record<LogDialect, { file: string; id: string; numbered: (n: string) => string }>> = {
  exim: { file: '05-several-recipients.log', id: '1xSTpC-00000C-2w', numbered: (n) => `1xSTpC-${n}-2w` },
  postfix: { file: '10-several-recipients.log', id: '4jRxmD32Gqz2RHX8', numbered: (n) => `4jRx${n}z2RHX8` },
  powermta: {
    file: '08-transient-then-delivery.csv',
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    numbered: (n) => `01890a5d-ac96-774b-bcce-b302099${n.slice(1)}`,
  },
}

/** At least `count` lines of a log. The first line of accounting files names their columns. */
export function makeLog(dialect: LogDialect, count: number): readonly Buffer[] {
  const { file, id, numbered } = LOGS[dialect]
  const sample = readFileSync(join(FOLDER, dialect, 'testdata', file), 'utf8')
    .trimEnd()
    .split(/\r?\n/)
  const [head, template] = dialect === 'powermta' ? [sample.slice(0, 1), sample.slice(1)] : [[], sample]
  const lines = head.map((line) => Buffer.from(line))
  for (let first = 0; lines.length < count; first += MESSAGES_AT_ONCE) {
    const ids = Array.from({ length: MESSAGES_AT_ONCE }, (_, n) => numbered(`${first + n}`.padStart(6, '0')))
    for (const line of template) lines.push(...ids.map((other) => Buffer.from(line.replaceAll(id, other))))
  }
  return lines
}

/** The samples from which the connector makes events, repeated. Files with another extension hold the expected events. */
export function repeatSamples(
  connector: string,
  extension: '.in.json' | '.eml',
  count: number,
  countEvents: (sample: Buffer) => number,
): readonly Buffer[] {
  const folder = join(FOLDER, connector, 'testdata')
  const names = globSync(`*${extension}`, { cwd: folder }).filter((name) => !/hostile|broken/.test(name))
  const all = names.toSorted().map((name) => readFileSync(join(folder, name)))
  const samples = all.filter((sample) => givesEvents(sample, countEvents)).map(onOneLine(extension))
  return Array.from({ length: count }, (_, n) => samples[n % samples.length] ?? Buffer.alloc(0))
}

function givesEvents(sample: Buffer, countEvents: (sample: Buffer) => number): boolean {
  try {
    return countEvents(sample) > 0
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** Samples are indented for readers; records are sent on one line each. */
function onOneLine(extension: '.in.json' | '.eml'): (sample: Buffer) => Buffer {
  return (sample) => (extension === '.eml' ? sample : Buffer.from(JSON.stringify(JSON.parse(sample.toString()))))
}
