/**
 * The contract of every reader of a mail server's log. Samples are pairs of files: a log and the expected records. To add
 * a case, add two files.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { codePoint } from '../../../test/harness/code-point.ts'
import { createKnowledge } from '../../classification/knowledge.ts'
import { AppError } from '../../lib/app-error.ts'
import type { LogReader, LogReaderOptions } from './log-reader.ts'
import { createMaillog, type MailLogRecord } from './maillog.ts'

export interface LogReaderCase {
  /** Contains the samples. */
  readonly folder: string
  /** The file extension of their logs: `log`. */
  readonly ending: string
  readonly open: (options: LogReaderOptions) => LogReader
  /** Slow to parse if a pattern backtracks: the start of a line, and a part that is repeated 100,000 times. */
  readonly hostile: readonly (readonly [start: string, part: string])[]
  /**
   * Recognizes lines that report the outcome of a delivery, by as little as possible: each of them has to become an event, a
   * rejection, or be left out with a reason.
   */
  readonly outcome?: RegExp
  /** Whether that holds for damaged lines as well, as long as the expression recognizes them. */
  readonly countsDamaged?: true
}

const SAMPLES_MIN = 40
const MUTATIONS = 100_000
const NOW_MS = Date.UTC(2026, 10, 15, 12)

type Remembered = readonly (readonly [key: string, value: unknown])[]

export function keepsLogReaderContract({ folder, ending, open, hostile, outcome, countsDamaged }: LogReaderCase): void {
  const names = globSync(`*.${ending}`, { cwd: folder })
    .map((name) => name.slice(0, -ending.length - 1))
    .toSorted()
  const readLines = (name: string) => readFileSync(join(folder, `${name}.${ending}`), 'utf8').split(/\r?\n/)
  const readExpected = (name: string): unknown => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
  const openLog = (remembered: Remembered = []) => open({ remembered, host: 'mail', nowMs: () => NOW_MS })

  describe('a log becomes the expected events', () => {
    assert.ok(names.length >= SAMPLES_MIN, `${names.length} samples`)
    for (const name of names) {
      test(name, () => {
        const log = openLog()
        const records = readLines(name).flatMap((line) => log.read(line).filter(isSent))
        assert.deepEqual(JSON.parse(JSON.stringify(records)), readExpected(name))
      })
    }
  })

  test('a reader that is restarted between any two lines produces the same records', () => {
    for (const name of names) {
      const remembered = new Map<string, unknown>()
      const records = readLines(name).flatMap((line) => {
        const log = openLog([...remembered])
        const found = log.read(line)
        for (const [key, value] of JSON.parse(JSON.stringify(log.takeChanges())) as [string, unknown][]) {
          if (value === undefined || value === null) remembered.delete(key)
          else remembered.set(key, value)
        }
        return found.filter(isSent)
      })
      assert.deepEqual(JSON.parse(JSON.stringify(records)), readExpected(name), name)
    }
  })

  test('lines of this log are distinguished from those of anything else', () => {
    const log = openLog()
    for (const line of ['{"type":"Delivery"}', '2026-11-15 03:00:00 some program: it works', 'Hello, world', ''])
      log.read(line)
    assert.equal(log.understoodCount, 0)
    for (const line of names.flatMap(readLines)) log.read(line)
    assert.ok(log.understoodCount > names.length, String(log.understoodCount))
  })

  test(`none of ${MUTATIONS} mutated lines leads to a failure other than a rejection`, () => {
    const lines = names.flatMap(readLines).filter((line) => line !== '')
    const maillog = createMaillog(createKnowledge())
    let log = openLog()
    let count = 0
    const read = (line: string) => {
      // Start afresh now and then, so that messages are not always known already.
      if (count++ % 500 === 0) log = openLog()
      const records = log.read(line)
      if (countsDamaged && outcome?.test(line)) assert.ok(records.length > 0, line)
      for (const record of records.filter(isSent))
        assertAcceptedOrRejected(() => maillog.toEvents(JSON.parse(JSON.stringify(record))))
    }
    fc.assert(fc.property(mutated(lines), read), { numRuns: MUTATIONS })
  })

  if (outcome) {
    test('every outcome in the samples is an event, a rejection, or left out with a reason', () => {
      for (const name of names) assertConserved(openLog(), readLines(name), outcome, name)
    })

    test('every outcome is accounted for, wherever the log begins', () => {
      for (const name of names) {
        const lines = readLines(name)
        for (const start of lines.keys())
          assertConserved(openLog(), lines.slice(start), outcome, `${name}:${start + 1}`)
      }
    })
  }

  test('a hostile line is read quickly', () => {
    const log = openLog()
    const startedMs = performance.now()
    for (const [start, part] of hostile) log.read(start + part.repeat(100_000))
    // Superlinear work would take minutes.
    assert.ok(performance.now() - startedMs < 10_000)
  })
}

/** The others are only counted. */
function isSent({ left_out: reason }: MailLogRecord): boolean {
  return reason === undefined
}

/** A reader may hold an outcome back, and return it with a later line or at the end. */
function assertConserved(log: LogReader, lines: readonly string[], outcome: RegExp, name: string): void {
  const held: string[] = []
  const settle = (line: string, records: readonly MailLogRecord[]) => {
    const count = records.filter(({ event }) => event['type'] !== 'Reception').length
    if (!outcome.test(line)) held.splice(0, count)
    else if (count === 0) held.push(line)
  }
  for (const line of lines) settle(line, log.read(line))
  settle('', log.finish?.() ?? [])
  assert.deepEqual(held, [], name)
}

const MEANINGFUL = [...'"\\<>()[]:, =@;%\0\n\ufffdü', '=?', '""', '__proto__']

/** One of the lines with a part removed, or replaced by a part of another line or by characters with a meaning. */
function mutated(lines: readonly string[]): fc.Arbitrary<string> {
  const offset = fc.nat({ max: 400 })
  const insert = fc.oneof(
    fc.constant(''),
    fc.constantFrom(...MEANINGFUL),
    fc.string({ unit: codePoint, maxLength: 10 }),
    fc.tuple(fc.constantFrom(...lines), offset, fc.nat({ max: 60 })).map(([line, at, length]) => {
      const start = at % line.length
      return line.slice(start, start + length)
    }),
  )
  return fc.tuple(fc.constantFrom(...lines), offset, insert, fc.nat({ max: 30 })).map(([line, at, text, drop]) => {
    const start = at % line.length
    return line.slice(0, start) + text + line.slice(start + drop)
  })
}

function assertAcceptedOrRejected(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof AppError, String(error))
    assert.equal(error.code, 'invalid_payload')
  }
}
