/** Compares our parser with a general one: where both understand a message, they agree. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { AppError } from '../../../lib/app-error.ts'
import { parseMime } from './mime-message.ts'
import { decodeBytes } from './mime-part.ts'

const FOLDER = join(import.meta.dirname, '../testdata')
const squeeze = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

describe('the parts of every sample are those that a general parser finds', () => {
  const names = globSync('*.eml', { cwd: FOLDER }).filter((name) => !/hostile|empty/.test(name))
  assert.ok(names.length >= 40)
  for (const name of names) {
    test(name, async () => {
      const bytes = readFileSync(join(FOLDER, name))
      const ours = parseMime(bytes)
      const theirs = await PostalMime.parse(bytes, { forceRfc822Attachments: true })
      // HTML only repeats the other parts.
      const parts = ours.parts.filter(({ type }) => type !== 'text/html')
      assert.deepEqual(
        parts.map((part) => [part.type, squeeze(part.text())]),
        theirs.attachments.map(({ mimeType, content }) => [
          mimeType,
          squeeze(decodeBytes(new Uint8Array(content as ArrayBuffer))),
        ]),
      )
      assert.equal(squeeze(ours.text), squeeze(theirs.text ?? ''))
      for (const { key } of theirs.headers) {
        const values = theirs.headers.filter((header) => header.key === key).map(({ value }) => squeeze(value))
        assert.deepEqual(ours.headers(key).map(squeeze), values)
      }
    })
  }
})

function textsOf(message: string): readonly string[] {
  const { text, parts } = parseMime(Buffer.from(message, 'latin1'))
  return [text, ...parts.map((part) => `${part.type}: ${part.text()}`)]
}

describe('boundaries', () => {
  test('count only at the start of a line, followed by nothing but white space', () => {
    const parts = 'a --b\n--bc\n--b \t\nContent-Type: a/b\n\nx --b\n--b-\n--b--\nafter'
    assert.deepEqual(textsOf(`Content-Type: multipart/mixed; boundary=b\n\n${parts}`), ['', 'a/b: x --b\n--b-'])
  })

  test('are found if quoted, after comments and other parameters, and if the last one is missing', () => {
    for (const type of [
      'multipart/report (x); a=b; boundary="b b"',
      'Multipart/Mixed;charset=x;BOUNDARY = "b b" ; z=1',
    ])
      assert.deepEqual(
        textsOf(`Content-Type: ${type}\n\n--b b\nContent-Type: a/b\n\n1\n--b b\nContent-Type: c/d\n\n2`),
        ['', 'a/b: 1', 'c/d: 2'],
      )
  })

  test('of an outer level end the inner ones', () => {
    const inner = 'Content-Type: multipart/mixed; boundary=in\n\n--in\nContent-Type: a/b\n\n1'
    const message = `Content-Type: multipart/mixed; boundary=out\n\n--out\n${inner}\n--out\nContent-Type: c/d\n\n2\n--out--`
    assert.deepEqual(textsOf(message), ['', 'a/b: 1', 'c/d: 2'])
  })

  test('that are missing leave plain text', () => {
    assert.deepEqual(textsOf('Content-Type: multipart/mixed; boundary=b\n\nhello'), ['hello'])
    assert.deepEqual(textsOf('Content-Type: multipart/mixed\n\nhello'), ['hello'])
  })
})

test('transfer encodings and charsets are decoded; unknown ones are ignored', () => {
  const encoded = (encoding: string, body: string, type = 'text/plain') =>
    textsOf(`Content-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${body}`)[0]
  assert.equal(encoded('base64', 'aGVs\r\nbG8='), 'hello')
  assert.equal(encoded('Quoted-Printable', 'h=C3=A9l=\r\nlo =zz'), 'héllo =zz')
  assert.equal(encoded('x-nonsense', 'hello'), 'hello')
  assert.equal(encoded('8bit', 'h\xe9llo', 'text/plain; charset=iso-8859-1'), 'héllo')
  assert.equal(encoded('8bit', 'h\xe9llo', 'text/plain; charset=klingon'), 'héllo')
})

test('too deep nesting, too many parts and too long headers are rejected', () => {
  const rejected = (message: string) => assert.throws(() => parseMime(Buffer.from(message)), AppError)
  rejected(Array.from({ length: 11 }, (_, n) => `Content-Type: multipart/x; boundary=b${n}\n\n--b${n}\n`).join(''))
  rejected(`Content-Type: multipart/x; boundary=b\n\n${'--b\n\n'.repeat(102)}`)
  const four = (inner: string) => `Content-Type: multipart/x; boundary=a\n\n${`--a\n${inner}\n`.repeat(4)}`
  rejected(four(`Content-Type: multipart/x; boundary=b\n\n${'--b\n\nx\n'.repeat(90)}`))
  rejected(`X: ${'a'.repeat(70_000)}\n\n`)
})
