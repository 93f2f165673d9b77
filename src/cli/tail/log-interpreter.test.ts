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

test('a log in which no line is understood is reported once', () => {
  const read = openExim()
  assert.deepEqual(read('hello', 999), [])
  const report = ['None of 1,000 lines was understood: this does not look like a log of exim.']
  assert.deepEqual(read('hello', 1), report)
  assert.deepEqual(read('hello', 5000), report)
})

test('where another log is followed, the command for it is named', () => {
  const [report] = openExim()('2026-11-15T03:00:00Z mail postfix/qmgr[13]: 4jRxmD32Gqz2RHX8: removed', 1500)
  assert.match(report ?? '', /^None of 1,500 lines .* Did you mean tail postfix\?$/)
})

test('one line that is understood is enough', () => {
  const read = openExim()
  read('2026-11-15 06:34:50 +0000 1xSTpC-000007-2s Completed', 1)
  assert.deepEqual(read('hello', 5000), [])
})
