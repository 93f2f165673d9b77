import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createTokens, type TokenFields } from '../../integrations/haraka/lib/tracking/token.mjs'

const KEY = Buffer.alloc(32, 1)
const tokens = createTokens(KEY)
const open: TokenFields = {
  kind: 'open',
  time: 1_794_724_823,
  domain: 'acme.test',
  messageId: 'F2752887-CA88-4048-AFB4-097B7872781B.1',
  recipient: 'ann@example.org',
}
const click: TokenFields = { ...open, kind: 'click', target: 'https://acme.test/a?b=1&c=%C3%A4#d' }

describe('a token', () => {
  test('contains the signed values, and is short', () => {
    assert.deepEqual(tokens.open('open', tokens.sign(open)), open)
    assert.deepEqual(tokens.open('click', tokens.sign(click)), click)
    assert.ok(tokens.sign(open).length < 130)
    assert.match(tokens.sign(click), /^[A-Za-z0-9_-]+$/)
  })

  test('contains any text', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 })
    fc.assert(
      fc.property(text, text, text, fc.nat({ max: 0xffffffff }), (domain, messageId, recipient, time) => {
        const fields = { ...open, domain, messageId, recipient, time }
        assert.deepEqual(tokens.open('open', tokens.sign(fields)), fields)
      }),
    )
  })

  test('has the documented layout', () => {
    const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
    const body = Buffer.concat([
      Buffer.from([0x11]),
      Buffer.from([0x6a, 0xf9, 0x1f, 0xd7]),
      text('acme.test'),
      text('m1'),
      text('a@b.test'),
    ])
    const signature = createHmac('sha256', KEY).update(body).digest().subarray(0, 12)
    const token = Buffer.concat([body, signature]).toString('base64url')
    const fields = { ...open, time: 0x6af91fd7, messageId: 'm1', recipient: 'a@b.test' }
    assert.equal(tokens.sign(fields), token)
  })

  test('is valid for one kind of hit and one key', () => {
    assert.equal(tokens.open('click', tokens.sign(open)), undefined)
    assert.equal(tokens.open('open', tokens.sign(click)), undefined)
    assert.equal(createTokens(Buffer.alloc(32, 2)).open('open', tokens.sign(open)), undefined)
  })

  test('is invalid with one character changed, added or removed', () => {
    const token = tokens.sign(click)
    for (let at = 0; at <= token.length; at++) {
      for (const other of ['A', '_', '=', '%', '']) {
        const changed = token.slice(0, at) + other + token.slice(at + 1)
        if (changed !== token) assert.equal(tokens.open('click', changed), undefined, `${other} at ${at}`)
        assert.equal(tokens.open('click', `${token.slice(0, at)}${other || 'x'}${token.slice(at)}`), undefined)
      }
    }
    for (const rubbish of ['', 'A', 'rubbish', 'ä', '\0', 'A'.repeat(100_000)]) {
      assert.equal(tokens.open('click', rubbish), undefined)
    }
  })

  test('leads only to web addresses, even if another address was signed', () => {
    for (const target of [
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.test',
      'https://',
      'ftp://a.test',
      'https://a.test/\r\nSet-Cookie: x',
      'https://a.test/ b',
      'https://ä.test/',
      '',
    ]) {
      assert.equal(tokens.open('click', tokens.sign({ ...click, target })), undefined, target)
    }
  })
})
