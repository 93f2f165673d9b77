import assert from 'node:assert/strict'
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
