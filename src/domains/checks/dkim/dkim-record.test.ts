import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { codePoint } from '../../../../test/harness/code-point.ts'
import type { DiagnosisCode } from '../judging/diagnosis.ts'
import { judgeDkim, readWantedDkim } from './dkim-record.ts'

const NAME = 's1._domainkey.example.com'

function spkiOf({ publicKey }: { readonly publicKey: KeyObject }): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' })
}

function rsaKey(bits = 2048): string {
  return spkiOf(generateKeyPairSync('rsa', { modulusLength: bits })).toString('base64')
}

const KEY = rsaKey()
const OTHER_KEY = rsaKey()
const SMALL_KEY = rsaKey(1024)
const ED25519_SPKI = spkiOf(generateKeyPairSync('ed25519'))
const ED25519_KEY = ED25519_SPKI.subarray(-32).toString('base64')
/** Base64 in lines, as people paste it. */
const WRAPPED = KEY.replace(/(.{64})/g, '$1\r\n ')

const rsa = readWantedDkim(`v=DKIM1; k=rsa; p=${KEY}`)
const ed25519 = readWantedDkim(`v=DKIM1; k=ed25519; p=${ED25519_KEY}`)
const any = readWantedDkim('v=DKIM1')

function shown(text: string): string {
  return JSON.stringify(text.replaceAll(KEY, '<key>').replaceAll(WRAPPED, '<lines>').slice(0, 70))
}

const RIGHT = [
  rsa.value,
  `v=DKIM1; k=rsa; p=${KEY};`,
  `v=DKIM1;p=${KEY}`,
  `p=${KEY}`,
  `k=rsa; p=${KEY}; n=a note; x=unknown tags are ignored; g=nobody`,
  ` v = DKIM1 ; p = ${WRAPPED} ; k = rsa `,
  `v=DKIM1; h=sha1:sha256; s=email; p=${KEY}`,
  `v=DKIM1; h=sha256; s=*; t=s; p=${KEY}`,
  `v=DKIM1; s=other : email; p=${KEY}`,
]

const WRONG: readonly (readonly [diagnosis: DiagnosisCode, text: string])[] = [
  ['wrong_value', 'v=spf1 include:_spf.example.com ~all'],
  ['wrong_value', ''],
  ['wrong_value', 'google-site-verification=abc'],
  ['wrong_value', 'v=DKIM1; t=s'],
  ['wrong_value', KEY],
  ['truncated', 'v=DKIM1; k=rsa'],
  ['truncated', rsa.value.slice(0, 255)],
  ['truncated', `p=${KEY.slice(0, -1)}`],
  ['wrong_version', `v=DKIM2; p=${KEY}`],
  ['wrong_version', `v=dkim1; p=${KEY}`],
  ['wrong_version', `k=rsa; v=DKIM1; p=${KEY}`],
  ['repeated_tag', `v=DKIM1; p=${KEY}; p=${KEY}`],
  ['key_revoked', 'v=DKIM1; k=rsa; p='],
  ['key_revoked', 'v=DKIM1; k=rsa; p= ;'],
  ['other_key', `v=DKIM1; k=rsa; p=${OTHER_KEY}`],
  ['key_damaged', `v=DKIM1; k=rsa; p=${KEY}AAAA`],
  ['key_damaged', `v=DKIM1; k=rsa; p=${KEY.toLowerCase()}`],
  ['key_damaged', `v=DKIM1; k=rsa; p=${KEY.slice(0, 200)}*${KEY.slice(200)}`],
  ['key_damaged', `v=DKIM1; k=rsa; p=-----BEGIN PUBLIC KEY-----${KEY}-----END PUBLIC KEY-----`],
  ['wrong_value', `v=DKIM1 k=rsa p=${KEY}`],
  ['wrong_value', `v=DKIM1; k=rsa p=${KEY}`],
  ['wrong_key_type', `v=DKIM1; k=ed25519; p=${KEY}`],
  ['hash_not_allowed', `v=DKIM1; h=sha1; p=${KEY}`],
  ['service_not_allowed', `v=DKIM1; s=other; p=${KEY}`],
]

describe('DKIM records', () => {
  for (const text of RIGHT) {
    test(`our key is recognized in ${shown(text)}`, () => {
      assert.deepEqual(judgeDkim(text, rsa, NAME), { warnings: [] })
    })
  }

  for (const [diagnosis, text] of WRONG) {
    test(`${shown(text)} is wrong: ${diagnosis}`, () => {
      const { problem } = judgeDkim(text, rsa, NAME)
      assert.equal(problem?.diagnosis, diagnosis)
      assert.ok(problem.text.includes(NAME), 'does not say where')
      assert.match(problem.text, /Replace|Enter|Write|Remove|Move/, 'does not say what to do')
    })
  }

  test('the key is compared by its bytes: "-" and "_" of the other alphabet are another text', () => {
    const plus = readWantedDkim('v=DKIM1; k=rsa; p=ab+/')
    assert.equal(judgeDkim('v=DKIM1; p=ab-_', plus, NAME).problem?.diagnosis, 'key_damaged')
  })

  test('a key that lost its "+" says how', () => {
    const plus = readWantedDkim('v=DKIM1; k=rsa; p=ab+/c+ef')
    const textFor = (key: string) => judgeDkim(`v=DKIM1; p=${key}`, plus, NAME).problem?.text ?? ''
    assert.match(textFor('ab /c ef'), /has spaces where "\+" is expected/)
    assert.match(textFor('ab/cef'), /every "\+" in it is missing/)
    assert.match(textFor('ab%2B/c%2Bef'), /percent-encoded/)
    // White space is allowed anywhere, so this is the right key.
    assert.equal(judgeDkim('v=DKIM1; p=ab+ /c +ef', plus, NAME).problem, undefined)
  })

  test('an Ed25519 key is 32 bytes, without the structure of key files', () => {
    assert.deepEqual(judgeDkim(ed25519.value, ed25519, NAME), { warnings: [] })
    const wrapped = `v=DKIM1; k=ed25519; p=${ED25519_SPKI.toString('base64')}`
    assert.equal(judgeDkim(wrapped, ed25519, NAME).problem?.diagnosis, 'key_form')
    // Without k= it would be taken for an RSA key.
    assert.equal(judgeDkim(`v=DKIM1; p=${ED25519_KEY}`, ed25519, NAME).problem?.diagnosis, 'wrong_key_type')
  })

  test('what is not a DKIM record, has no key or no semicolons is told apart', () => {
    for (const [text, words] of [
      ['v=BIMI1; l=logo', /is not a DKIM record/],
      ['v=DKIM1; t=s', /has no p= tag/],
      [`v=DKIM1 k=rsa p=${KEY}`, /not separated by semicolons/],
      [`v=DKIM1; k=rsa p=${KEY}`, /not separated by semicolons/],
    ] as const) {
      assert.match(judgeDkim(text, rsa, NAME).problem?.text ?? '', words, shown(text))
    }
  })

  test('a key of another type than the record says is named by its own', () => {
    const textFor = (text: string, wanted: typeof rsa) => judgeDkim(text, wanted, NAME).problem?.text ?? ''
    assert.match(textFor(`v=DKIM1; k=rsa; p=${ED25519_KEY}`, ed25519), /Write k=ed25519/)
    assert.match(textFor(`v=DKIM1; k=ed25519; p=${KEY}`, rsa), /Write k=rsa/)
    assert.match(textFor('v=DKIM1; k=rsa; p=YWJj', any), /an RSA key/)
    assert.match(textFor('v=DKIM1; k=ed25519; p=YWJj', any), /an Ed25519 key/)
  })

  test('the length of our own key is no reason to warn', () => {
    const small = readWantedDkim(`v=DKIM1; k=rsa; p=${SMALL_KEY}`)
    assert.deepEqual(judgeDkim(small.value, small, NAME), { warnings: [] })
  })

  test('testing is a warning, not a mistake', () => {
    const { problem, warnings } = judgeDkim(`v=DKIM1; t=y; p=${KEY}`, rsa, NAME)
    assert.equal(problem, undefined)
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /t=y/)
    assert.equal(judgeDkim(`v=DKIM1; t=s : y; p=${KEY}`, rsa, NAME).warnings.length, 1)
  })

  test('if any key is accepted, it must be valid, and a short one causes a warning', () => {
    assert.deepEqual(judgeDkim(`v=DKIM1; p=${OTHER_KEY}`, any, NAME), { warnings: [] })
    assert.deepEqual(judgeDkim(`v=DKIM1; k=ed25519; p=${ED25519_KEY}`, any, NAME), { warnings: [] })
    assert.match(judgeDkim(`v=DKIM1; p=${SMALL_KEY}`, any, NAME).warnings[0] ?? '', /1024 bits/)
    assert.equal(judgeDkim('v=DKIM1; p=YWJj', any, NAME).problem?.diagnosis, 'key_damaged')
    assert.equal(judgeDkim(`v=DKIM1; k=dsa; p=${OTHER_KEY}`, any, NAME).problem?.diagnosis, 'key_damaged')
    assert.equal(judgeDkim('v=DKIM1; p=', any, NAME).problem?.diagnosis, 'key_revoked')
  })

  test('no text makes it throw, or passes without our key', () => {
    const tag = fc.constantFrom('v=DKIM1', 'k=rsa', 'p=', `p=${KEY.slice(0, 50)}`, 't=y', 'h=sha256', '=', '', 'v')
    fc.assert(
      fc.property(fc.array(fc.oneof(tag, fc.string({ unit: codePoint })), { maxLength: 6 }), (tags) => {
        assert.ok(judgeDkim(tags.join(';'), rsa, NAME).problem)
        assert.ok(judgeDkim(tags.join(';'), any, NAME).problem)
      }),
    )
  })
})
