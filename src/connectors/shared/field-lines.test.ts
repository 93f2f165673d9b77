import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findEmptyLine, isBlankAt, visitFieldLines } from './field-lines.ts'

function readLines(text: string): readonly string[] {
  const seen: string[] = []
  visitFieldLines(text, isBlankAt, {
    onField: (name, value) => seen.push(`${name}=${value.trim()}`),
    onOther: (line) => seen.push(`other ${JSON.stringify(line)}`),
  })
  return seen
}

test('lines end with or without a carriage return, and the last one may have no terminator', () => {
  assert.deepEqual(readLines('A: 1\r\nB : 2\nC:3'), ['A=1', 'B=2', 'C=3'])
  assert.deepEqual(readLines('A: 1\r\n'), ['A=1', 'other ""'])
})

test('a line is unfolded before it is read, wherever it was folded', () => {
  assert.deepEqual(readLines('A: 1\r\n 2\n\t3\nB: 4'), ['A=1 2\t3', 'B=4'])
  assert.deepEqual(readLines('A\n : 1'), ['A=1'])
  assert.deepEqual(readLines('no field\n A: 1'), ['other "no field A: 1"'])
})

test('a line without a printable name, or with a line terminator in its value, is not a field', () => {
  for (const line of [': 1', 'A b: 1', 'Ä: 1', 'A\xa0: 1', 'A', 'A: 1\r2', 'A: 1\u20282'])
    assert.deepEqual(readLines(line), [`other ${JSON.stringify(line)}`])
})

test('the end of the line before the first empty one is found; an empty line at the start does not count', () => {
  for (const [text, end] of [
    ['A: 1\r\n\r\nx', 4],
    ['A: 1\n\nx', 4],
    ['A: 1\n\r\nx', 4],
    ['\nA: 1', -1],
    ['\n\nA: 1', 0],
    ['A: 1\r\n', -1],
    ['A: 1\n\r', -1],
  ] as const)
    assert.equal(findEmptyLine(text), end, JSON.stringify(text))
})
