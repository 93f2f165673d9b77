import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Heard } from './ask-name-server.ts'
import { describeContent, findConsensus, type Said } from './consensus.ts'

function txt(...values: readonly string[]): Said<'TXT'> {
  const records = values.map((text) => ({ text, strings: [text] }))
  return { kind: 'records', records, values, ttlSeconds: values.length, aliases: [] }
}

const ABSENT: Said<'TXT'> = { kind: 'no_such_name', aliases: [] }
const UNREACHABLE: Heard<'TXT'>['statement'] = {
  kind: 'unreachable',
  failure: 'silent',
  reason: 'it does not answer',
  aliases: [],
}

function consensusOf(...statements: readonly Heard<'TXT'>['statement'][]) {
  const { statement, agreeing, answered } = findConsensus(
    statements.map((each, index) => ({ server: `ns${index}.test`, statement: each })),
  )
  return [statement && describeContent(statement), agreeing, answered]
}

test('the statement of most servers counts, whatever their order; those that failed make none', () => {
  const [x, y] = [describeContent(txt('x')), describeContent(txt('y'))]
  assert.deepEqual(consensusOf(txt('y'), txt('x'), txt('x')), [x, 2, 3])
  assert.deepEqual(consensusOf(txt('x'), txt('x'), txt('y')), [x, 2, 3])
  assert.deepEqual(consensusOf(UNREACHABLE, UNREACHABLE, txt('y')), [y, 1, 1])
  assert.deepEqual(consensusOf(ABSENT, ABSENT, txt('y')), ['no_such_name', 2, 3])
  assert.deepEqual(consensusOf(UNREACHABLE), [undefined, 0, 0])
  assert.deepEqual(consensusOf(), [undefined, 0, 0])
})

test('between as many servers with the record as without it, it exists', () => {
  const alias: Said<'TXT'> = { kind: 'alias', target: 'b.test', ttlSeconds: 1 }
  for (const present of [txt('x'), alias]) {
    assert.deepEqual(consensusOf(ABSENT, present), [describeContent(present), 1, 2])
    assert.deepEqual(consensusOf(present, ABSENT), [describeContent(present), 1, 2])
  }
})

test('the order of records does not matter, their content does', () => {
  assert.equal(describeContent(txt('x', 'y')), describeContent(txt('y', 'x')))
  const different = [txt('x'), txt('y'), txt('x', 'y'), ABSENT, { kind: 'no_such_type', aliases: [] } as const]
  assert.equal(new Set(different.map(describeContent)).size, different.length)
})
