import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { RecordSplitter, type SplitRecord } from './record-splitter.ts'

function split(text: string, chunkBytes = Number.POSITIVE_INFINITY): SplitRecord[] {
  const bytes = Buffer.from(text)
  const splitter = new RecordSplitter()
  const records: SplitRecord[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes)
    records.push(...splitter.push(bytes.subarray(at, at + chunkBytes)))
  return [...records, ...splitter.end()]
}

function texts(records: readonly SplitRecord[]): string[] {
  return records.map(({ bytes }) => bytes.toString())
}

describe('NDJSON', () => {
  test('is cut at line ends, blank lines and carriage returns do not count', () => {
    const records = split('{"a":1}\r\n\n  \n{"a":2}\n{"a":3}')
    assert.deepEqual(texts(records), ['{"a":1}', '{"a":2}', '{"a":3}'])
    assert.deepEqual(
      records.map(({ line }) => line),
      [1, 4, 5],
    )
  })

  test('a broken line does not shift the others', () => {
    assert.deepEqual(texts(split('{"a":"\n{"a":2}\n]]]\n{"a":3}\n')), ['{"a":"', '{"a":2}', ']]]', '{"a":3}'])
  })

  test('a byte order mark at the start is not part of the first record', () => {
    for (const chunkBytes of [1, 2, 100])
      assert.deepEqual(texts(split('\ufeff{"a":1}\n{"a":2}', chunkBytes)), ['{"a":1}', '{"a":2}'])
  })

  test('bytes that are not UTF-8 pass through unchanged', () => {
    const splitter = new RecordSplitter()
    const records = [...splitter.push(Buffer.from([0x7b, 0xff, 0x7d, 0x0a])), ...splitter.end()]
    assert.deepEqual([...(records[0]?.bytes ?? [])], [0x7b, 0xff, 0x7d])
  })
})

describe('a JSON array', () => {
  test('is cut into its elements, with the line that each starts on', () => {
    const records = split('[\n{"a":[1,2],"b":"],{"},\n\n  {"c":"\\"]"} , 7, "x,y"\n]\n')
    assert.deepEqual(texts(records), ['{"a":[1,2],"b":"],{"}', '{"c":"\\"]"}', '7', '"x,y"'])
    assert.deepEqual(
      records.map(({ line }) => line),
      [2, 4, 4, 4],
    )
  })

  test('may be empty', () => {
    assert.deepEqual(split(' [ ] '), [])
  })

  test('that is truncated is an error, after its complete elements were returned', () => {
    const splitter = new RecordSplitter()
    assert.deepEqual(texts(splitter.push(Buffer.from('[{"a":1},\n{"a":2}'))), ['{"a":1}'])
    assert.throws(() => splitter.end(), /incomplete: the file ends at line 2/)
  })

  test('followed by anything else is an error', () => {
    assert.throws(() => split('[1]\n[2]'), /unexpected text after the JSON array at line 2/)
  })
})

describe('texts over several lines', () => {
  test('are cut where their braces close', () => {
    const objects = [{ a: 1, b: '}{' }, { c: [{ d: '\\' }] }]
    const records = split(objects.map((object) => JSON.stringify(object, null, 2)).join('\n'))
    assert.deepEqual(
      texts(records).map((text) => JSON.parse(text)),
      objects,
    )
    assert.deepEqual(
      records.map(({ line }) => line),
      [1, 5],
    )
  })

  test('that end inside a string return the text so far', () => {
    assert.deepEqual(texts(split('{\n "a": 1\n}\n{\n "b"')), ['{\n "a": 1\n}', '{\n "b"'])
  })
})

const json = fc.jsonValue({ maxDepth: 3 })

test('any values come back whole from each of the three forms, wherever the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), json, { minKeys: 1 }), { minLength: 1 }),
      fc.integer({ min: 1, max: 40 }),
      (objects, chunkBytes) => {
        const wanted = objects.map((object) => JSON.stringify(object))
        const forms = [
          wanted.join('\n'),
          JSON.stringify(objects),
          JSON.stringify(objects, null, 1),
          objects.map((object) => JSON.stringify(object, null, 2)).join('\n'),
        ]
        for (const form of forms) {
          const found = texts(split(form, chunkBytes)).map((text) => JSON.stringify(JSON.parse(text)))
          assert.deepEqual(found, wanted)
        }
      },
    ),
  )
})

test('a long record in many chunks is found whole, and so are the records around it', () => {
  const long = `{"a":"${'x'.repeat(3 * 1024 * 1024)}"}`
  for (const [before, separator, after] of [
    ['', '\n', '\n'],
    ['[', ',', ']'],
  ] as const) {
    const text = `${before}{"a":1}${separator}${long}${separator}{"a":2}${after}`
    assert.deepEqual(texts(split(text, 64 * 1024)), ['{"a":1}', long, '{"a":2}'])
  }
})

test('an endless record is refused before it fills the memory', () => {
  const splitter = new RecordSplitter()
  const megabyte = Buffer.alloc(1024 * 1024, 'x')
  assert.throws(() => {
    for (let count = 0; count < 20; count++) splitter.push(megabyte)
  }, /longer than 16 MiB/)
})
