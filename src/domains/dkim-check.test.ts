import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { checkDkim } from './dkim-check.ts'
import { requiredRecords } from './required-records.ts'

function publicKey(): string {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }).publicKey.toString('base64')
}

const KEY = publicKey()
const [RECORD] = requiredRecords('example.com', { selector: 's1', publicKey: KEY }, { spfInclude: '_spf.envelog.test' })
assert.ok(RECORD)
const record = RECORD
const NAME = 's1._domainkey.example.com'

const see = (...values: string[]) => checkDkim(record, { kind: 'records', values })

/** Base64 in lines, as people paste it. */
const wrapped = KEY.replace(/(.{64})/g, '$1 ')

const VALID = [
  record.value,
  `v=DKIM1; k=rsa; p=${KEY};`,
  `v=DKIM1;p=${KEY}`,
  `p=${KEY}`,
  `k=rsa; p=${KEY}; n=a note; x=unknown tags are ignored`,
  ` v = DKIM1 ; t=y ; p = ${wrapped} ; k = rsa `,
  `v=DKIM1; h=sha1:sha256; s=email; p=${KEY}`,
  `v=DKIM1; h=sha256; s=*; p=${KEY}`,
  `v=DKIM1; s=other : email; p=${KEY}`,
]

const OTHER_KEY = publicKey()
const INVALID: readonly (readonly [why: RegExp, value: string])[] = [
  [/not a DKIM record/, 'v=spf1 include:_spf.example.com ~all'],
  [/not a DKIM record/, ''],
  [/not a DKIM record/, 'v=DKIM1; k=rsa'],
  [/not a DKIM record/, `v=DKIM2; p=${KEY}`],
  [/not a DKIM record/, `v=dkim1; p=${KEY}`],
  [/not a DKIM record/, `k=rsa; v=DKIM1; p=${KEY}`],
  [/not a DKIM record/, `v=DKIM1; p=${KEY}; p=${KEY}`],
  [/not a DKIM record/, `"v=DKIM1; k=rsa; p=${KEY}"`],
  [/not a DKIM record/, `v=DKIM1\\; k=rsa\\; p=${KEY}`],
  [/not a DKIM record/, KEY],
  [/revoked/, 'v=DKIM1; k=rsa; p='],
  [/revoked/, 'v=DKIM1; k=rsa; p= ;'],
  [/another one than ours/, `v=DKIM1; k=rsa; p=${OTHER_KEY}`],
  [/another one than ours/, `v=DKIM1; k=rsa; p=${KEY}AAAA`],
  [/cut off: the first 237 of 392 characters/, `v=DKIM1; k=rsa; p=${KEY}`.slice(0, 255)],
  [/cut off: the first 391 of 392/, `v=DKIM1; k=rsa; p=${KEY.slice(0, -1)}`],
  [/characters that no key has/, `v=DKIM1; k=rsa; p=${KEY.slice(0, 200)}" "${KEY.slice(200)}`],
  [/characters that no key has/, `v=DKIM1; k=rsa; p=${KEY}"`],
  [/k=ed25519.*k=rsa/, `v=DKIM1; k=ed25519; p=${KEY}`],
  [/sha256/, `v=DKIM1; h=sha1; p=${KEY}`],
  [/for email/, `v=DKIM1; s=other; p=${KEY}`],
]

describe('DKIM check', () => {
  for (const value of VALID) {
    test(`our key is recognised in ${JSON.stringify(value.replaceAll(KEY, '<key>').replaceAll(wrapped, '<lines>'))}`, () => {
      assert.deepEqual(see(value), { status: 'valid', actual: [value] })
    })
  }

  for (const [why, value] of INVALID) {
    test(`${JSON.stringify(value.replaceAll(KEY, '<key>').slice(0, 60))} is invalid: ${why.source}`, () => {
      const { status, actual, error } = see(value)
      assert.equal(status, 'invalid')
      assert.deepEqual(actual, [value])
      assert.equal(error?.type, 'TXT')
      assert.match(error.error, why)
      assert.ok(error.error.includes(NAME), 'does not say where')
      assert.match(error.error, /Replace|Publish|Write|Remove/, 'does not say what to do')
      assert.deepEqual(error.required, [record.value])
      assert.deepEqual(error.actual, [value])
    })
  }

  test('several records are invalid even if one of them is right, and all are shown', () => {
    const { status, error } = see(record.value, 'v=DKIM1; p=')
    assert.equal(status, 'invalid')
    assert.match(error?.error ?? '', /2 TXT records at s1\._domainkey\.example\.com.*delete the others/)
    assert.deepEqual(error?.actual, [record.value, 'v=DKIM1; p='])
  })

  test('a missing name and a name without TXT have their own words', () => {
    const noName = checkDkim(record, { kind: 'no_such_name' })
    const noType = checkDkim(record, { kind: 'no_such_type' })
    for (const { status, actual, error } of [noName, noType]) {
      assert.equal(status, 'invalid')
      assert.deepEqual(actual, [])
      assert.equal(error?.type, 'TXT')
      assert.deepEqual(error.required, [record.value])
      assert.ok(error.error.includes(NAME))
    }
    assert.match(noName.error?.error ?? '', /does not exist/)
    assert.match(noType.error?.error ?? '', /has no TXT record/)
  })

  test('DNS that cannot be asked is our trouble, not an invalid record', () => {
    const { status, error } = checkDkim(record, { kind: 'unreachable', reason: 'no name server answered in time' })
    assert.equal(status, 'unknown')
    assert.equal(error?.type, 'SYSTEM')
    assert.match(error.error, /no name server answered in time/)
  })

  test('no value makes the check throw or passes without our key', () => {
    const tag = fc.constantFrom('v=DKIM1', 'k=rsa', 'p=', `p=${KEY.slice(0, 50)}`, 't=y', 'h=sha256', '=', '', 'v')
    fc.assert(
      fc.property(fc.array(fc.oneof(tag, fc.string({ unit: 'binary' })), { maxLength: 6 }), (tags) => {
        assert.equal(see(tags.join(';')).status, 'invalid')
      }),
    )
  })
})
