import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
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
  assert.equal(names.length, 27)
  assert.equal(new Set(names).size, 27)
  assert.equal(
    csvFile('x', 'sending').head,
    csvFile('x').head.replace('\r\n', ',sending_address,sending_source,sending_pool\r\n'),
  )
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
    '\t1',
    '\r1',
    '\n1',
    ' =1',
    '"=1"',
    '\u200b@A1',
    '＝1',
    "=cmd|' /C calc'!A0",
  ]) {
    assert.equal(cellsOf({ subject: text })['subject'], `'${text}`, JSON.stringify(text))
    assert.equal(cellsOf({ recipient: `${text}@b.test` })['recipient'], `'${text}@b.test`)
  }
  for (const text of ["'=1", ' 1', 'a=1', '1-1', 'a; b-c', 'a\tb=c'])
    assert.equal(cellsOf({ subject: text })['subject'], text)
})

test('the same holds for each part that a spreadsheet may make a cell of', () => {
  const expected: Readonly<Record<string, string>> = {
    'a;=1': "a;'=1",
    'a\t+1': "a\t'+1",
    'a, -1': "a,' -1",
    'a\r\n@A1': "a\r\n'@A1",
    'a;"=1"': 'a;\'"=1"',
    '\t=1': "'\t'=1",
  }
  for (const [text, cell] of Object.entries(expected)) assert.equal(cellsOf({ subject: text })['subject'], cell)
})

test('however a reader splits the file, no cell begins with the sign of a formula', () => {
  const signs = fc.constantFrom(...'=+-@＝＋－＠;\t,"\n\r \'a\u200b')
  const texts = fc.string({ unit: signs, maxLength: 12 })
  fc.assert(
    fc.property(texts, texts, (subject, from) => {
      const file = FILE.toText([JSON.stringify({ timestamp: 0, subject, from })])
      for (const cell of READERS.flatMap((read) => read(file))) {
        assert.doesNotMatch(cell.replace(/^["\s\p{Cf}]+/u, ''), /^[=+\-@＝＋－＠]/, JSON.stringify({ cell, file }))
      }
    }),
    { numRuns: 2000 },
  )
})

const DELIMITERS = [',', ';', '\t'] as const
/** Readers that ignore quotes, that know them at the beginning of a cell (RFC 4180), and that know them everywhere. */
const READERS: readonly ((file: string) => readonly string[])[] = DELIMITERS.flatMap((delimiter) => [
  (file) => file.split(/[\r\n]/).flatMap((line) => line.split(delimiter)),
  (file) => readCells(file, delimiter, (cell) => cell === ''),
  (file) => readCells(file, delimiter, () => true),
])

/** `isQuoteAt`: whether a quote begins a quoted part after these characters of a cell. */
function readCells(file: string, delimiter: string, isQuoteAt: (cell: string) => boolean): readonly string[] {
  const cells = ['']
  let isInQuotes = false
  for (const character of file) {
    const cell = cells.at(-1) ?? ''
    if (character === '"' && (isInQuotes || isQuoteAt(cell))) isInQuotes = !isInQuotes
    else if (!isInQuotes && [delimiter, '\r', '\n'].includes(character)) cells.push('')
    else cells[cells.length - 1] = cell + character
  }
  return cells
}

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
