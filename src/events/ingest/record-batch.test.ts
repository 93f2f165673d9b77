/** What it costs to parse records: sound ones are not examined character by character. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Span, toRecords } from './record-batch.ts'

const RECORDS = 4000

/** Records with every kind of value. `more`: members that are added to one of each batch of 32. */
function bodyOf(more: string): { readonly body: Buffer; readonly spans: readonly Span[] } {
  const lines = Array.from({ length: RECORDS }, (_, index) =>
    JSON.stringify({
      id: `message-${index}`,
      timestamp: 1_772_366_400,
      type: 'Bounce',
      recipient: `user${index}@b.test`,
      response_content: 'Recipient address rejected: access denied. '.repeat(5),
      campaign: null,
      flag: true,
      list: ['a', 'b', 3],
      nested: { text: 'x', number: 7 },
    }).replace(/^\{/, index % 32 === 0 ? `{${more}` : '{'),
  )
  const spans: Span[] = []
  let start = 0
  for (const line of lines) {
    spans.push({ start, end: start + line.length })
    start += line.length + 1
  }
  return { body: Buffer.from(lines.join('\n')), spans }
}

/** The least of several runs: other work on the machine only adds to it. */
function measure({ body, spans }: ReturnType<typeof bodyOf>): number {
  const times = Array.from({ length: 7 }, () => {
    const before = process.threadCpuUsage()
    for (const record of toRecords(body, spans)) if (record.value === undefined) assert.fail()
    return process.threadCpuUsage(before).user
  })
  return Math.min(...times)
}

test('a batch of sound records takes much less than one in which a single record has to be examined', () => {
  const sound = measure(bodyOf('"more":1,'))
  const twice = measure(bodyOf('"more":1,"more":1,'))
  assert.ok(sound < 0.6 * twice, `${sound} µs, ${twice} µs with a name that occurs twice`)
})

test('the records of a batch are parsed together, and kept until another batch is read; long ones one by one', () => {
  const recordsOf = (texts: readonly string[]) => {
    let at = 0
    const spans = texts.map((text) => {
      const start = at
      at += text.length + 1
      return { start, end: start + text.length }
    })
    return toRecords(Buffer.from(texts.join('\n')), spans)
  }
  const few = recordsOf(Array.from({ length: 33 }, (_, index) => JSON.stringify({ index })))
  assert.deepEqual(
    few.map(({ value }) => value),
    few.map((_, index) => ({ index })),
  )
  const [first, second, last] = [few[0], few[1], few[32]]
  const before = first?.value
  assert.deepEqual(second?.value, { index: 1 })
  assert.equal(first?.value, before)
  assert.deepEqual(last?.value, { index: 32 })
  assert.notEqual(first?.value, before, 'the batch of the last one has replaced it')
  const long = recordsOf([1, 2, 3].map((index) => JSON.stringify({ index, text: 'x'.repeat(100_000) })))
  const one = long[0]?.value
  assert.equal(long[0]?.value, one)
  assert.partialDeepStrictEqual(long[1]?.value, { index: 2 })
  assert.notEqual(long[0]?.value, one)
  assert.deepEqual(
    few.slice(0, 11).map(({ length }) => length),
    [...Array.from({ length: 10 }, () => 11), 12],
  )
})

test('a record may be nested 16 levels deep, in lists as well as in objects, and not one level more', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const problems = [15, 16].map((levels) => {
      // With a text so long that the brackets are few for it.
      const text = `{"text":"${'x'.repeat(2000)}","deep":${open.repeat(levels)}1${close.repeat(levels)}}`
      return toRecords(Buffer.from(text), [{ start: 0, end: text.length }])[0]?.problem
    })
    assert.equal(problems[0], undefined)
    assert.match(problems[1] ?? '', /nested more than 16 levels deep/)
  }
})
