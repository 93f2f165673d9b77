import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EximLog } from '../../connectors/exim/exim-log.ts'
import { logInterpreter } from './log-interpreter.ts'

function openExim() {
  const reports: string[] = []
  const reader = new EximLog({ remembered: [], host: 'mail', nowMs: () => 0 })
  const report = (words: string) => void reports.push(words)
  const interpreter = logInterpreter(reader, { skipsUnknownDomains: false, dialect: 'exim', report })
  const read = (line: string, count: number) => {
    interpreter.interpret(Array.from({ length: count }, () => Buffer.from(line)))
    return reports
  }
  return read
}

test('a log of which nothing is understood is told of once', () => {
  const read = openExim()
  assert.deepEqual(read('hello', 999), [])
  const told = ['Nothing in 1,000 lines is understood: they are not of the log of exim.']
  assert.deepEqual(read('hello', 1), told)
  assert.deepEqual(read('hello', 5000), told)
})

test('where another log is followed, the command for it is named', () => {
  const [told] = openExim()('2026-11-15T03:00:00Z mail postfix/qmgr[13]: 4jRxmD32Gqz2RHX8: removed', 1500)
  assert.match(told ?? '', /^Nothing in 1,500 lines .* Did you mean tail postfix\?$/)
})

test('one line that is understood is enough', () => {
  const read = openExim()
  read('2026-11-15 06:34:50 +0000 1xSTpC-000007-2s Completed', 1)
  assert.deepEqual(read('hello', 5000), [])
})
