import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../lib/app-error.ts'
import { STEP_BYTES } from '../../lib/text/json-scan.ts'
import { parseRecord, parseRecordBytes, RECORD_LENGTH_MAX } from './raw-record.ts'
import { findRecords, RECORDS_MAX, splitRecords } from './split-records.ts'

function values(text: string): unknown[] {
  return splitRecords(Buffer.from(text)).map((record) => record.problem ?? record.value)
}

function refusal(body: string | Buffer): string {
  try {
    splitRecords(Buffer.from(body))
  } catch (error) {
    if (error instanceof AppError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'accepted'
}

test('one object, an array and lines give the same records', () => {
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { minLength: 1, maxLength: 5 }),
      (records) => {
        const expected = records.map((record) => JSON.parse(JSON.stringify(record)) as unknown)
        assert.deepEqual(values(JSON.stringify(records)), expected)
        assert.deepEqual(values(JSON.stringify(records, null, 2)), expected)
        assert.deepEqual(values(records.map((record) => JSON.stringify(record)).join('\n')), expected)
        assert.deepEqual(values(records.map((record) => `${JSON.stringify(record)}\r\n`).join('\n')), expected)
        assert.deepEqual(values(JSON.stringify(records[0], null, 2)), expected.slice(0, 1))
      },
    ),
  )
})

test('any text is split or refused, nothing else', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'[]{},:"\\ \n1a') }), (text) => void refusal(text)),
    { numRuns: 3000 },
  )
})

test('the bytes of each record are unchanged', () => {
  const [first, second] = splitRecords(Buffer.from('[ {"a" : 1} , nonsense ]'))
  assert.equal(Buffer.from(first?.payload ?? []).toString(), '{"a" : 1}')
  assert.equal(Buffer.from(second?.payload ?? []).toString(), 'nonsense')
})

describe('one bad record does not keep the others out', () => {
  test('in an array', () =>
    assert.deepEqual(values('[{"a":1},{a:1},{"a":2}]'), [
      { a: 1 },
      'the record is not valid JSON at character 2',
      { a: 2 },
    ]))
  test('in lines', () =>
    assert.deepEqual(values('{"a":1}\n{"a"\n\n{"a":2}\n'), [
      { a: 1 },
      'the record is not valid JSON at character 5',
      { a: 2 },
    ]))
  for (const [form, text] of [
    ['lines', '{"a":"é"}\n{"a":"?"}\n{"a":2}'],
    ['an array', '[{"a":"é"},{"a":"?"},{"a":2}]'],
    ['an array over several lines', '[\n{"a":"é"},\n{"a":\n"?"},\n{"a":2}\n]'],
  ] as const) {
    test(`when its bytes are not UTF-8, in ${form}`, () => {
      const [before = '', after = ''] = text.split('?')
      const records = splitRecords(Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xa0]), Buffer.from(after)]))
      assert.deepEqual(
        records.map((record) => record.problem ?? record.value),
        [{ a: 'é' }, 'the record is not valid UTF-8', { a: 2 }],
      )
      assert.match(Buffer.from(records[1]?.payload ?? []).toString('latin1'), /^{"a":\s*"\xff\xa0"}$/)
    })
  }
  test('when a name occurs twice', () =>
    assert.deepEqual(values('[{"a":1,"a":2},{"a":1}]'), ['the name "a" occurs twice', { a: 1 }]))
  test('when it is nested absurdly', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    assert.deepEqual(values(`[${deep},{"a":1}]`), ['the record is nested more than 16 levels deep', { a: 1 }])
  })
})

test('an invalid record among many is found, and no other is reported', () => {
  const flaws: readonly [string, RegExp][] = [
    ['{"a":1,"\\u0061":"x"}', /^the name "a" occurs twice$/],
    ['{"a":"\\\\","a":"\\""}', /^the name "a" occurs twice$/],
    [`${'{"a":'.repeat(17)}1${'}'.repeat(17)}`, /^the record is nested more than 16 levels deep$/],
    [
      `{${Array.from({ length: 4097 }, (_, index) => `"k${index}":1`).join()}}`,
      /^the record has more than 4096 names$/,
    ],
    ['{"a":1},{"a":2}', /^the record is not valid JSON at character 8$/],
    ['{"a":[1', /^the record is not valid JSON at character 8$/],
  ]
  const good = fc.constantFrom('{"a":"x"}', '{"a":"\\"{","b":["c",{"b":{"b":"d"}}]}', '{"a":{"b":1,"b":2}}', '"é"', '7')
  fc.assert(
    fc.property(
      fc.array(good, { minLength: 1, maxLength: 100 }),
      fc.nat(100),
      fc.constantFrom(...flaws),
      (...drawn) => {
        const [records, index, [flaw, expected]] = drawn
        const lines = (records as readonly string[]).toSpliced(index, 0, flaw)
        const split = splitRecords(Buffer.from(lines.join('\n')))
        for (const [index, line] of lines.entries()) {
          assert.equal(Buffer.from(split[index]?.payload ?? []).toString(), line)
          if (line === flaw) assert.match(split[index]?.problem ?? '', expected)
          else assert.deepEqual([split[index]?.value, split[index]?.problem], [JSON.parse(line), undefined])
        }
      },
    ),
  )
})

test('a record with as many names as allowed is read, whatever else is in the body', () => {
  const names = Array.from({ length: 4096 }, (_, index) => [`k${index}`, 'x'] as const)
  const record = JSON.stringify(Object.fromEntries(names))
  const long = JSON.stringify({ a: 'x'.repeat(300_000) })
  for (const lines of [[record], [record, long], ['{"a":1,"a":1}', record]]) {
    assert.deepEqual(values(lines.join('\n'))[lines.indexOf(record)], Object.fromEntries(names))
  }
})

test('the position of a flaw is not searched for beyond ten thousand tokens', () => {
  const [problem] = values(`{"a":[${'1,'.repeat(20_000)}x}\n{}`)
  assert.equal(problem, 'the record is not valid JSON')
})

test('a line of nothing but byte order marks is empty', () => {
  assert.deepEqual(values(`{"a":1}\n${'\ufeff'.repeat(200_000)}\r\n\ufeff {"a":2} \ufeff\n`), [{ a: 1 }, { a: 2 }])
})

describe('a body is refused whole', () => {
  const cases: readonly [string, string | Buffer, RegExp][] = [
    ['when it is empty', ' \n', /^invalid_payload: the body is empty/],
    ['when nothing in it is JSON', 'a=1&b=2', /^invalid_payload: the body is not valid JSON at character 1$/],
    [
      'when no line of it is JSON',
      'id,type\n1,Bounce',
      /^invalid_payload: nothing in the body is valid JSON: its first line is not valid JSON at character 1$/,
    ],
    ['when its array is truncated', '[{"a":1},{"a"', /^invalid_payload: .*incomplete or malformed/],
    ['when something follows its array', '[{"a":1}] x', /^invalid_payload: .*unexpected text after/],
    ['when its array lacks a comma', '[{"a":1}{"a":2}]', /^invalid_payload: .*incomplete or malformed/],
    ['when its array ends with a comma', '[{"a":1},]', /^invalid_payload: .*incomplete or malformed/],
    ['when its only bytes are not UTF-8', Buffer.from([0xff, 0xfe]), /^invalid_payload: .*not valid UTF-8/],
    ['when it has too many records', `[${'1,'.repeat(RECORDS_MAX)}1]`, /^payload_too_large: /],
    ['when it has too many lines', '1\n'.repeat(RECORDS_MAX + 1), /^payload_too_large: /],
  ]
  for (const [name, body, expected] of cases) test(name, () => assert.match(refusal(body), expected))
})

test('as many records as are allowed are found', () => {
  for (const body of [`[${'1,'.repeat(RECORDS_MAX - 1)}1]`, '1\n'.repeat(RECORDS_MAX)]) {
    assert.equal(splitRecords(Buffer.from(body)).length, RECORDS_MAX)
  }
})

test('the error of an array has the position of its flaw, in characters; in bytes if it is not UTF-8', () => {
  const positions = {
    '[{"a":1},{"a"': 10,
    '[{"é":1},{"a"': 10,
    '[{"a":1}{"a":2}]': 9,
    '[{"a":1} {"a":2}]': 10,
    '[{"a":1},]': 10,
    '[{"a":1}, ]': 11,
    '[{"é":1}] x': 10,
    '[': 2,
  }
  for (const [text, at] of Object.entries(positions)) assert.match(refusal(text), new RegExp(` at character ${at}$`))
  const wrong = Buffer.from('[{"a":"??"},{"a"')
  // The beginning of a character, without its end.
  wrong.set([0xe2, 0x82], wrong.indexOf('?'))
  assert.match(refusal(wrong), / at character 13$/)
})

describe('the error of a record that is not JSON has the position of the flaw, counted from 1', () => {
  const cases: readonly [string, number][] = [
    ['not json', 1],
    ['{"a": not}', 7],
    ['{"a":"b,[",  }', 14],
    ['{"a":}', 6],
    ['{"a":[1,,2]}', 9],
    ['{"a":[],"b":?}', 13],
    ['{"a":[nothing]}', 7],
    ['{"a":[1,]}', 9],
    ['{"a" 1}', 6],
    ['{"a":1', 7],
    ['{"a":"\\x"}', 8],
    ["{'a':1}", 2],
    ['{"a":truth}', 6],
    [`{"a":"${'long '.repeat(50)}", "b":nothing}`, 264],
  ]
  for (const [text, at] of cases) {
    test(text.slice(0, 20), () =>
      assert.equal(parseRecord(text).problem, `the record is not valid JSON at character ${at}`),
    )
  }

  test('also if it is cut off after many values; a wrong word is looked for among the first ten thousand parts', () => {
    const values = (count: number) => `[${'1,'.repeat(count)}`
    assert.match(parseRecord(values(20_000)).problem ?? '', /JSON at character 40002$/)
    assert.match(parseRecord(`${values(4999)}nothing]`).problem ?? '', /JSON at character 10000$/)
    assert.match(parseRecord(`${values(5000)}nothing]`).problem ?? '', /JSON$/)
    assert.match(parseRecord(`[${values(4999)}nothing]]`).problem ?? '', /JSON$/)
  })
})

test('a record has up to 1,048,576 characters, whatever their bytes are, and sixteen levels', () => {
  for (const letter of ['x', 'é', '€', '😀']) {
    const text = JSON.stringify(letter.repeat((RECORD_LENGTH_MAX - 2) / letter.length))
    assert.equal(text.length, 1_048_576)
    assert.equal(parseRecord(text).problem, undefined)
    assert.match(parseRecord(`${text} `).problem ?? '', /is longer than 1048576 characters$/)
  }
  // Of other bytes only the number is known.
  const wrong = (length: number) => parseRecordBytes(Buffer.alloc(length, 0xff)).problem ?? ''
  assert.match(wrong(3 * RECORD_LENGTH_MAX), /not valid UTF-8$/)
  assert.match(wrong(3 * RECORD_LENGTH_MAX + 1), /is longer than/)
  assert.equal(parseRecord('['.repeat(16) + ']'.repeat(16)).problem, undefined)
  assert.match(parseRecord('['.repeat(17) + ']'.repeat(17)).problem ?? '', /more than 16 levels deep$/)
})

test('blanks and byte order marks around a long line are not part of it', () => {
  const blanks = ` \t\ufeff\r`.repeat(50_000)
  for (const text of ['{"a":2}', `{"a":"${'x'.repeat(100_000)}"}`]) {
    for (const line of [`${blanks}${text}`, `${text}${blanks}`, `${blanks}${text}${blanks}`]) {
      assert.deepEqual(values(`{"a":1}\n${line}\n{"a":3}`), [{ a: 1 }, JSON.parse(text), { a: 3 }])
    }
  }
  assert.deepEqual(values(`{"a":1}\n${blanks}\n`), [{ a: 1 }])
})

test('a byte order mark is skipped, and an empty array has no records', () => {
  assert.deepEqual(values('\ufeff[{"a":1}]'), [{ a: 1 }])
  assert.deepEqual(values('[]'), [])
})

describe('a long body is split in steps, whatever it consists of', () => {
  const STEPS = 20
  const long = (part: string) => part.repeat(Math.ceil((STEPS * STEP_BYTES) / part.length))
  const cases = {
    'many records': `[${long('{"a":"a text of some length"},')}{}]`,
    'one record of many values': `[[${long('1,')}1]]`,
    'one record of many strings': `[{"a":[${long('"b",')}"b"]}]`,
    'an object over several lines': `{\n"a":[${long('[],')}0]}`,
    'many lines': `{"a":1}\n${long('{"a":"a text of some length"}\n')}`,
    'a line of blanks before a record': `{"a":1}\n${long(' ')}{"a":2}`,
    'a line of blanks after a record': `{"a":1}\n{"a":2}${long('\t')}`,
  }
  for (const [name, body] of Object.entries(cases)) {
    test(name, () => {
      const steps = [...findRecords(Buffer.from(body))].length
      assert.ok(steps >= STEPS / 2, `${steps} steps`)
      // Lines in shorter ones.
      assert.ok(steps <= 6 * STEPS, `${steps} steps`)
    })
  }

  test('a short one is not', () => {
    for (const body of ['[{"a":1}, {"a":2}]', '{"a":1}\n{"a":2}\n', '{\n"a":1}']) {
      assert.equal([...findRecords(Buffer.from(body))].length, 0, body)
    }
  })

  test('nothing is read beyond the records that are allowed', () => {
    const steps = (body: string) => {
      let count = 0
      assert.throws(() => {
        for (const _ of findRecords(Buffer.from(body))) count++
      }, /more than 100000 records/)
      return count
    }
    const records = (count: number) => '1,'.repeat(count)
    assert.equal(steps(`[${records(4 * RECORDS_MAX)}1]`), steps(`[${records(RECORDS_MAX + 2)}1]`))
    const lines = (count: number) => '1\n'.repeat(count)
    assert.equal(steps(lines(4 * RECORDS_MAX)), steps(lines(RECORDS_MAX + 1)))
  })
})
