import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { splitRecords } from '../../events/ingest/split-records.ts'
import { toNdjson } from './ndjson-body.ts'

/** The records as the server reads them, in the order in which they were sent. */
function travel(...records: readonly string[]): readonly string[] {
  const { body, indexOf } = toNdjson(records.map((record) => Buffer.from(record)))
  const arrived: string[] = []
  for (const [line, { payload }] of splitRecords(body).entries()) {
    arrived[indexOf(line)] = Buffer.from(payload).toString()
  }
  return arrived
}

describe('records in an ingest request', () => {
  test('arrive one by one and unchanged, even if they are invalid', () => {
    for (const records of [
      ['{"a":1}', '{"b":2}'],
      ['not json', '{"a":1}', '[', '{"b":'],
      ['[1]', '2', 'x', '{"a":1}', '{"b":2}'],
      ['{"a":', '{}', '1}'],
    ]) {
      assert.deepEqual(travel(...records), records)
    }
  })

  test('over several lines arrive on one', () => {
    assert.deepEqual(travel('{\n  "a": 1\n}', '{"b":\n2}'), ['{   "a": 1 }', '{"b": 2}'])
  })

  test('without any JSON are not refused as a whole: the first travels as a JSON string', () => {
    assert.deepEqual(travel('{"a":', '1}'), ['"{\\"a\\":"', '1}'])
    assert.deepEqual(travel('# "x"'), ['"# \\"x\\""'])
  })
})
