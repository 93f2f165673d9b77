import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvFile, NDJSON_FILE } from './event-file.ts'

const FILE = csvFile('acme_message_id')

function cellsOf(event: object): Record<string, string> {
  const line = FILE.toText([JSON.stringify({ timestamp: 0, ...event })])
  assert(line.endsWith('\r\n'))
  const cells = [...line.slice(0, -2).matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)]
  const names = FILE.head.trimEnd().split(',')
  assert.equal(cells.length, names.length)
  return Object.fromEntries(
    cells.map(([, quoted, plain], index) => [names[index], quoted?.replaceAll('""', '"') ?? plain ?? '']),
  )
}

test('the first line names every field once, the brand included', () => {
  const names = FILE.head.trimEnd().split(',')
  assert.equal(names.length, 26)
  assert.equal(new Set(names).size, 26)
  assert(names.includes('acme_message_id') && !names.includes('service_message_id'))
})

test('an absent field and null are empty cells', () => {
  const cells = cellsOf({ id: 'm', campaign: null })
  assert.deepEqual([cells['id'], cells['campaign'], cells['subject']], ['m', '', ''])
})

test('a cell that a spreadsheet would take for a formula begins with an apostrophe', () => {
  for (const text of [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    ' =1',
    '\u200b@A1',
    '＝1',
    "=cmd|' /C calc'!A0",
  ]) {
    assert.equal(cellsOf({ subject: text })['subject'], `'${text}`, JSON.stringify(text))
    assert.equal(cellsOf({ recipient: `${text}@b.test` })['recipient'], `'${text}@b.test`)
  }
  for (const text of ["'=1", ' 1', 'a=1', '1-1', '"=1"']) assert.equal(cellsOf({ subject: text })['subject'], text)
})

test('quotes, commas, line breaks and markup are preserved', () => {
  for (const text of ['a"b', 'a,b', 'a\r\nb', '</script><b>', '"', '\u202eabc', 'ä😀', '']) {
    assert.equal(cellsOf({ subject: text })['subject'], text)
  }
})

test('numbers are numbers, and the time is also written as text', () => {
  const cells = cellsOf({ timestamp: 1_768_478_400, response_code: 550 })
  assert.deepEqual(
    [cells['timestamp'], cells['time'], cells['response_code']],
    ['1768478400', '2026-01-15T12:00:00Z', '550'],
  )
})

test('NDJSON has one event per line, unchanged', () => {
  assert.equal(NDJSON_FILE.toText(['{"a":1}', '{"b":"\\n"}']), '{"a":1}\n{"b":"\\n"}\n')
  assert.equal(NDJSON_FILE.toText([]), '')
})
