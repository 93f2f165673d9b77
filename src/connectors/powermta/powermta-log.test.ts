import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { keepsLogReaderContract } from '../maillog/log-reader.contract.ts'
import { hasOpenQuote, parseRecord } from './csv.ts'
import { PowermtaLog } from './powermta-log.ts'

keepsLogReaderContract({
  folder: join(import.meta.dirname, 'testdata'),
  ending: 'csv',
  open: (options) => new PowermtaLog(options),
  hostile: [
    ['', '"'],
    ['', '",'],
    ['', ',"'],
    ['', '""'],
    ['type,', 'a,'],
    ['', 'smtp;'],
    ['{', '"type":"d",'],
    ['', '['],
    ['[', '{"type":"d","timeLogged":1},'],
    ['#', '"'],
  ],
})

function openLog(): PowermtaLog {
  return new PowermtaLog({ remembered: [], host: 'mail', nowMs: () => 0 })
}

test('an unclosed quote costs only a bounded part of the file', () => {
  const log = openLog()
  log.read('type,timeLogged,orig,rcpt')
  log.read('d,1794724491,"news@acme.test,ada@example.org')
  let rejections = 0
  for (let n = 0; n < 10_000; n++) {
    const [record] = log.read(`d,1794724491,news@acme.test,user${n}@example.org`)
    if (record?.problem !== undefined) rejections += 1
  }
  assert.equal(rejections, 1)
  const [last] = log.read('d,1794724491,news@acme.test,ada@example.org')
  assert.equal(last?.event['recipient'], 'ada@example.org')
})

/** Counts the records of a file independently of the reader: lines, joined while a quote is open. */
function countRecords(text: string): number {
  const records: string[] = []
  let rest = ''
  for (const line of text.split(/\r?\n/)) {
    const isHeader = /^\ufeff?"?#?type"?,/.test(line)
    if (isHeader && rest !== '') records.push(rest)
    rest = isHeader || (rest === '' && /^\ufeff?#/.test(line)) ? '' : rest === '' ? line : `${rest}\n${line}`
    const isJson = /^\s*[[\]{]/.test(rest)
    if (!isJson && rest.split('"').length % 2 === 0) continue
    if (isJson)
      records.push(
        ...(/"type"/.test(rest) ? rest.split(/(?=\{"type": )/).filter((part) => part.includes('"type"')) : []),
      )
    else if (rest.trim() !== '') records.push(rest)
    rest = ''
  }
  return records.length + (rest === '' ? 0 : 1)
}

test('every record is an event, a rejection, or left out with a reason', () => {
  const folder = join(import.meta.dirname, 'testdata')
  let leftOut = 0
  for (const name of globSync('*.csv', { cwd: folder })) {
    // Its lines are no records.
    if (name.startsWith('58-')) continue
    const text = readFileSync(join(folder, name), 'utf8')
    const log = openLog()
    const found = [...text.split(/\r?\n/).flatMap((line) => log.read(line)), ...log.finish()]
    leftOut += found.filter(({ left_out: reason }) => reason !== undefined).length
    assert.equal(found.length, countRecords(text), name)
  }
  assert.ok(leftOut >= 5, String(leftOut))
})

test('records are left out for a few reasons only', () => {
  const reasonFor = (fields: object) => {
    const record = { type: 'd', timeLogged: 1794724491, orig: 'news@acme.test', rcpt: 'ada@example.org', ...fields }
    return openLog()
      .read(JSON.stringify({ ...record, envId: '01890a5d-ac96-774b-bcce-b302099a8057' }))
      .map(({ left_out: reason }) => reason)
  }
  assert.deepEqual(reasonFor({ type: 'tq' }), ['not_an_outcome'])
  assert.deepEqual(reasonFor({ dlvType: 'discard' }), ['discarded'])
  assert.deepEqual(reasonFor({ type: 'rs', dsnAction: 'delivered' }), ['not_an_outcome'])
  for (const feedbackType of ['not-spam', 'auth-failure'])
    assert.deepEqual(reasonFor({ type: 'f', feedbackType }), ['not_a_complaint'])
  for (const fields of [{}, { type: 'b' }, { type: 't' }, { type: 'r' }, { type: 'rb' }, { type: 'f' }])
    assert.deepEqual(reasonFor(fields), [undefined])
})

test('a list of more JSON than any list of records has is rejected', () => {
  const [record, ...more] = openLog().read(`[${'{"type":"d","timeLogged":1},'.repeat(50_000)}`)
  assert.match(record?.problem ?? '', /longer than 1048576 characters/)
  assert.equal(more.length, 0)
})

test('a record that is unfinished at the end of a file is rejected, not lost', () => {
  const log = openLog()
  log.read('type,timeLogged,orig,rcpt')
  log.read('d,1794724491,"news')
  assert.deepEqual(log.finish(), [
    { sender_domains: [], event: {}, problem: 'the record ends within quotes', line: 'd,1794724491,"news' },
  ])
  assert.deepEqual(log.finish(), [])
})

describe('comma-separated values', () => {
  test('are parsed as RFC 4180 specifies', () => {
    assert.deepEqual(parseRecord('a,b,'), ['a', 'b', ''])
    assert.deepEqual(parseRecord('two inches,"2"""'), ['two inches', '2"'])
    assert.deepEqual(parseRecord('"a,b","c\nd",""'), ['a,b', 'c\nd', ''])
    assert.deepEqual(parseRecord(''), [''])
  })

  test('with misplaced quotes are invalid', () => {
    for (const text of ['a"b,c', '"a"b,c', '"a', 'a,"b', '"a" ,b']) assert.equal(parseRecord(text), undefined, text)
  })

  test('continue on the next line while a quote is open', () => {
    assert.equal(hasOpenQuote('a,"b'), true)
    assert.equal(hasOpenQuote('a,"b""'), true)
    assert.equal(hasOpenQuote('a,"b"'), false)
  })
})
