/** Every pair of files in testdata is a log and what is made out in it. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { PostfixLog } from './postfix-log.ts'

const FOLDER = join(import.meta.dirname, 'testdata')
const names = globSync('*.log', { cwd: FOLDER })
  .map((name) => name.replace(/\.log$/, ''))
  .toSorted()

function readLines(name: string): readonly string[] {
  return readFileSync(join(FOLDER, `${name}.log`), 'utf8').split('\n')
}

function readExpected(name: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'))
}

function openLog(remembered: readonly (readonly [string, unknown])[] = []): PostfixLog {
  return new PostfixLog({ remembered, nowMs: () => Date.UTC(2026, 10, 15, 12) })
}

describe('a log of Postfix becomes the expected events', () => {
  assert.ok(names.length >= 40)
  for (const name of names) {
    test(name, () => {
      const log = openLog()
      assert.deepEqual(
        readLines(name).flatMap((line) => log.read(line)),
        readExpected(name),
      )
    })
  }
})

test('a reader that is stopped and started anew between any two lines makes out the same', () => {
  for (const name of names) {
    const remembered = new Map<string, unknown>()
    const records = readLines(name).flatMap((line) => {
      const log = openLog([...remembered])
      const found = log.read(line)
      for (const [key, value] of JSON.parse(JSON.stringify(log.takeChanges())) as [string, unknown][]) {
        if (value === undefined || value === null) remembered.delete(key)
        else remembered.set(key, value)
      }
      return found
    })
    assert.deepEqual(records, readExpected(name), name)
  }
})

test('nothing is remembered of a message that has left the queue', () => {
  const log = openLog()
  for (const line of readLines('10-several-recipients')) log.read(line)
  const kept = log.takeChanges().filter(([, value]) => value !== undefined)
  assert.deepEqual(kept, [])
})

test('what has lost its end is forgotten after some days', () => {
  const log = openLog()
  const at = (day: number, words: string) => log.read(`2026-11-${day}T03:00:00+00:00 mail postfix/qmgr[1]: ${words}`)
  at(10, '4jRxmD32Gqz2RHX8: from=<a@acme.test>, size=1, nrcpt=1 (queue active)')
  at(14, '4jRxmD5zB6z2RHZN: from=<a@acme.test>, size=1, nrcpt=1 (queue active)')
  assert.deepEqual(
    log.takeChanges().map(([key, value]) => [key.split(' ').at(-1), value !== undefined]),
    [
      ['4jRxmD32Gqz2RHX8', false],
      ['4jRxmD5zB6z2RHZN', true],
    ],
  )
})

test('the times of the traditional syslog are local, of the last such day', () => {
  const log = openLog()
  const local = (year: number, month: number, day: number) =>
    Math.floor(new Date(year, month - 1, day, 3, 4, 5).getTime() / 1000)
  const timeOf = (text: string) => {
    log.read(`${text} mail postfix/qmgr[1]: 4jRxmD32Gqz2RHX8: from=<a@acme.test>, size=1, nrcpt=1 (queue active)`)
    const [record] = log.read(
      `${text} mail postfix/smtp[2]: 4jRxmD32Gqz2RHX8: to=<b@example.org>, relay=none, delay=1, delays=1/0/0/0, dsn=4.4.1, status=deferred (no)`,
    )
    return record?.event['timestamp']
  }
  assert.equal(timeOf('Nov 14 03:04:05'), local(2026, 11, 14))
  assert.equal(timeOf('Jan  2 03:04:05'), local(2026, 1, 2))
  assert.equal(timeOf('Dec 31 03:04:05'), local(2025, 12, 31))
})

test('whatever a line holds, it is read without a failure and in a moment', () => {
  const lines = names.flatMap(readLines).filter((line) => line !== '')
  const mutated = fc
    .tuple(fc.constantFrom(...lines), fc.nat(), fc.string({ maxLength: 20 }), fc.nat({ max: 30 }))
    .map(([line, at, insert, drop]) => {
      const start = at % line.length
      return line.slice(0, start) + insert + line.slice(start + drop)
    })
  const log = openLog()
  fc.assert(
    fc.property(fc.oneof(mutated, fc.string()), (line) => {
      log.read(line)
    }),
    { numRuns: 20_000 },
  )
  const startedMs = performance.now()
  for (const part of ['to=<', '>, relay=', ' from x;', 'info: header Subject: ', ', status=sent (', '=?a?b?c?='])
    log.read(`2026-11-15T03:00:00Z mail postfix/cleanup[1]: 4jRxmD32Gqz2RHX8: ${part.repeat(100_000)}`)
  // Anything worse than linear would take minutes.
  assert.ok(performance.now() - startedMs < 5000)
})
