import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFrames } from './read-frames.ts'

function framed(text: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length)
  return Buffer.concat([length, Buffer.from(text)])
}

test('a message is complete with its last byte, however the bytes are cut into chunks', () => {
  const messages = ['first', '', 'x'.repeat(300), 'y', '']
  const bytes = Buffer.concat(messages.map(framed))
  /** How many messages the first bytes contain. */
  const countWithin = (length: number) => {
    const ends = messages.map((_, index) => Buffer.concat(messages.slice(0, index + 1).map(framed)).length)
    return ends.filter((end) => end <= length).length
  }
  for (const chunkLength of [1, 2, 3, 7, 8, 150, 302, bytes.length]) {
    const read: string[] = []
    const onData = readFrames((message) => read.push(message.toString()))
    for (let start = 0; start < bytes.length; start += chunkLength) {
      onData(bytes.subarray(start, start + chunkLength))
      const expected = messages.slice(0, countWithin(start + chunkLength))
      assert.deepEqual(read, expected, `${start} in chunks of ${chunkLength}`)
    }
    assert.equal(read.length, messages.length)
  }
})

test('the bytes of a long message are joined a few times, not for every chunk', (t) => {
  const concat = t.mock.method(Buffer, 'concat')
  const read: Buffer[] = []
  const onData = readFrames((message) => read.push(message))
  for (const byte of framed('x'.repeat(5000))) onData(Buffer.of(byte))
  assert.equal(read[0]?.length, 5000)
  assert.ok(concat.mock.callCount() < 10, `${concat.mock.callCount()} times`)
})
