import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { scanJsonValue } from './json-scan.ts'

test('the end of any JSON value is found, whatever follows it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('', ' ', ',1', ']', '}', '\n{}'), (value, rest) => {
      const text = JSON.stringify(value)
      assert.equal(scanJsonValue(Buffer.from(text + rest), 0).end, Buffer.byteLength(text))
    }),
  )
})

test('a value truncated inside a string or a bracket has no end', () => {
  const text = '{"a":["x\\"}",{"b":"]"}],"c":1}'
  for (let cut = 1; cut < text.length; cut++)
    assert.equal(scanJsonValue(Buffer.from(text.slice(0, cut)), 0).end, -1, text.slice(0, cut))
})

test('a name that occurs twice in the outer object is reported, also when written with an escape', () => {
  assert.equal(scanJsonValue(Buffer.from('{"id":1,"id":2}'), 0).duplicateName, 'id')
  assert.equal(scanJsonValue(Buffer.from('{"id":1,"\\u0069d":2}'), 0).duplicateName, 'id')
  assert.equal(scanJsonValue(Buffer.from('{"id":"id","x":{"id":1}}'), 0).duplicateName, undefined)
})

test('depth is the number of brackets open at once', () => {
  assert.equal(scanJsonValue(Buffer.from('1'), 0).depth, 0)
  assert.equal(scanJsonValue(Buffer.from('{"a":[[1],[2]]}'), 0).depth, 3)
})
