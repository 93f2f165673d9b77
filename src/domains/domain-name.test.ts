import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { codePoint } from '../../test/harness/code-point.ts'
import { AppError } from '../lib/app-error.ts'
import { isPublicSuffix, normalizeDomainName, organizationalDomain, parseDomainName } from './domain-name.ts'

const LABEL_63 = 'a'.repeat(63)
/** 253 characters. */
const LONGEST = `${`${LABEL_63}.`.repeat(3)}${'b'.repeat(56)}.test`

const ACCEPTED: readonly (readonly [text: string, name: string])[] = [
  ['example.com', 'example.com'],
  ['EXAMPLE.Com', 'example.com'],
  ['example.com.', 'example.com'],
  ['mail.example.co.uk', 'mail.example.co.uk'],
  ['acme.test', 'acme.test'],
  ['a.localhost', 'a.localhost'],
  ['printer.local', 'printer.local'],
  ['1.2.3.4.example', '1.2.3.4.example'],
  ['3com.com', '3com.com'],
  ['a--b.com', 'a--b.com'],
  ['münchen.de', 'xn--mnchen-3ya.de'],
  ['MÜNCHEN.DE', 'xn--mnchen-3ya.de'],
  ['mu\u0308nchen.de', 'xn--mnchen-3ya.de'],
  ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
  ['XN--MNCHEN-3YA.de', 'xn--mnchen-3ya.de'],
  ['faß.de', 'xn--fa-hia.de'],
  ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
  ['例え。テスト。', 'xn--r8jz45g.xn--zckzah'],
  ['ｅｘａｍｐｌｅ.com', 'example.com'],
  ['пример.com', 'xn--e1afmkfd.com'],
  ['почта.рф', 'xn--80a1acny.xn--p1ai'],
  ['παράδειγμα.gr', 'xn--hxajbheg2az3al.gr'],
  ['tokyo東京.jp', 'xn--tokyo-191hq39l.jp'],
  // Ordinary domains, although others have names below them: the private part of the suffix list.
  ['github.io', 'github.io'],
  ['blogspot.com', 'blogspot.com'],
  ['www.ck', 'www.ck'],
  [`${LABEL_63}.com`, `${LABEL_63}.com`],
  [LONGEST, LONGEST],
  [`${LONGEST}.`, LONGEST],
]

const REFUSED: readonly (readonly [text: string, why: RegExp])[] = [
  ['', /empty/],
  ['.', /empty label/],
  ['..', /empty label/],
  ['localhost', /two labels/],
  ['com', /two labels/],
  ['com.', /two labels/],
  ['a..b.com', /empty label/],
  ['.example.com', /empty label/],
  ['example.com..', /empty label/],
  ['exa mple.com', /cannot contain " "/],
  [' example.com', /cannot contain " "/],
  ['example.com\n', /cannot contain "\\n"/],
  ['exam\tple.com', /cannot contain "\\t"/],
  ['exam\0ple.com', /cannot contain "\\u0000"/],
  ['example.com\u007f', /cannot contain/],
  ['http://example.com', /cannot contain ":"/],
  ['example.com/path', /cannot contain "\/"/],
  ['example.com:25', /cannot contain ":"/],
  ['user@example.com', /cannot contain "@"/],
  ['%65xample.com', /cannot contain "%"/],
  ['example.com?x', /cannot contain/],
  ['example.com#x', /cannot contain/],
  ['example\\.com', /cannot contain/],
  ['*.example.com', /cannot contain "\*"/],
  ['"example.com"', /cannot contain/],
  ["example.com'--", /cannot contain/],
  ['_dmarc.example.com', /cannot contain "_"/],
  ['a_b.example.com', /cannot contain "_"/],
  ['-a.example.com', /hyphen/],
  ['a-.example.com', /hyphen/],
  ['example.-com', /hyphen/],
  ['1.2.3.4', /IP address/],
  ['127.1', /IP address/],
  ['0x7f.1', /IP address/],
  ['example.0x7f', /IP address/],
  ['example.123', /IP address/],
  ['１.２.３.４', /IP address/],
  ['[::1]', /cannot contain/],
  ['::1', /cannot contain/],
  ['2001:db8::1', /cannot contain/],
  ['xn--a.de', /xn--/],
  ['xn--.com', /hyphen/],
  ['xn--zzzzzz99.de', /xn--/],
  ['exam\u00a0ple.com', /not allowed/],
  ['exam\u3000ple.com', /not allowed/],
  ['a\u2100b.com', /not allowed/],
  ['exam\u202eple.com', /not allowed/],
  ['example\u{1F4A9}\ud800.com', /not allowed/],
  // Look like example.com, apple.com, paypal.com and so on.
  ['ехаmple.com', /several scripts.*Latin, Cyrillic/],
  ['p\u0430ypal.com', /several scripts/],
  ['g\u03bf\u03bfgle.com', /several scripts.*Latin, Greek/],
  ['\u0430\u0440\u0440\u04cf\u0435.com', /only letters of the Cyrillic script/],
  ['\u03b1\u03bd\u03bf.com', /only letters of the Greek script/],
  ['xn--80ak6aa92e.com', /only letters of the Cyrillic script/],
  ['mail.xn--pypal-4ve.com', /several scripts/],
  [`${'a'.repeat(64)}.com`, /longer than 63/],
  [`${'ü'.repeat(60)}.com`, /longer than 63|not allowed/],
  [`b${LONGEST}`, /longer than 253|longer than 63/],
  [`${'a.'.repeat(126)}test`, /longer than 253/],
  ['a'.repeat(100_000), /longer than 253/],
  ['ü'.repeat(100_000), /longer than 253/],
  ['co.uk', /public suffix/],
  ['CO.UK.', /public suffix/],
  ['com.au', /public suffix/],
  ['k12.ca.us', /public suffix/],
  ['anything.ck', /public suffix/],
  ['公司.cn', /public suffix/],
]

describe('domain names', () => {
  for (const [text, name] of ACCEPTED) {
    test(`${JSON.stringify(text.slice(0, 60))} is kept as ${name.slice(0, 60)}`, () => {
      assert.equal(parseDomainName(text), name)
      assert.equal(normalizeDomainName(text), name)
    })
  }

  for (const [text, why] of REFUSED) {
    test(`${JSON.stringify(text.slice(0, 60))} is refused with its reason`, () => {
      assert.throws(
        () => parseDomainName(text),
        (error: unknown) => {
          assert.ok(error instanceof AppError)
          assert.equal(error.code, 'invalid_request')
          assert.match(error.message, why)
          assert.ok(error.message.length < 300, 'the message repeats the whole input')
          return true
        },
      )
    })
  }

  test('a lookup refuses names that could never have been added, except public suffixes', () => {
    for (const [text, why] of REFUSED) {
      if (why.source !== 'public suffix') assert.equal(normalizeDomainName(text), undefined, text.slice(0, 60))
    }
  })

  test('no text makes a lookup throw, and its result is a host name in stored form', () => {
    const piece = fc.oneof(
      fc.constantFrom('.', '-', 'xn--', 'a', 'Z', '9', 'ü', 'ß', '。', '_', ' ', '\0', '%', '/', '0x', 'com'),
      fc.string({ unit: codePoint, maxLength: 3 }),
    )
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(text, (input) => {
        const name = normalizeDomainName(input)
        if (name === undefined) return
        assert.match(name, /^[a-z0-9-]+(\.[a-z0-9-]+)+$/)
        assert.ok(name.length <= 253)
        assert.equal(normalizeDomainName(name), name)
        assert.equal(normalizeDomainName(name.toUpperCase()), name)
        assert.equal(normalizeDomainName(`${name}.`), name)
      }),
      { numRuns: 3000 },
    )
  })
})

test('suffixes of registries are public, and domains below which others offer names are not', () => {
  for (const name of ['com', 'co.uk', 'xn--55qx5d.cn']) assert.equal(isPublicSuffix(name), true, name)
  for (const name of ['example.com', 'github.io', 'blogspot.com', 'acme.test']) {
    assert.equal(isPublicSuffix(name), false, name)
  }
})

test('the registered domain of a record is found, also if the name of the record is not one of a host', () => {
  for (const name of ['_dmarc.example.co.uk', '*.example.co.uk', '-x._domainkey.a.example.co.uk'])
    assert.equal(organizationalDomain(name), 'example.co.uk', name)
})
