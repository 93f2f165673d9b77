import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { createSigner } from '../lib/sealing/signer.ts'
import { createReferences, findReference } from './reference.ts'
import {
  findFullReference,
  findInAddress,
  LOCAL_PART_OCTETS_MAX,
  makeFullReference,
  makeReturnPath,
  namesAbove,
} from './return-path.ts'

const references = createReferences(createSigner(Buffer.alloc(32, 7), 'report reference'))
const subject = {
  domain: 'acme.test',
  messageId: '01890a5d-ac96-774b-bcce-b302099a8057',
  recipient: 'bob@example.org',
}

describe('a return path', () => {
  test('fits into a local part for the ids of KumoMTA, Haraka and mail logs, and for any UUID', () => {
    assert.equal(LOCAL_PART_OCTETS_MAX, 64)
    for (const messageId of [
      subject.messageId,
      '0d6b1e6ab8a911eea1f5525400a1b2c3',
      '5F0C1E2A-AAAA-4BBB-8CCC-0123456789AB.1',
      '5F0C1E2A-AAAA-4BBB-8CCC-0123456789AB.12',
    ]) {
      const [local = ''] = makeReturnPath(references, { ...subject, messageId }, 'bounces.acme.test').split('@')
      assert.ok(local.length <= LOCAL_PART_OCTETS_MAX, local)
    }
  })

  test('leads back to its message for any id, even if its case is changed in transit', () => {
    const id = fc.oneof(fc.uuid(), fc.string({ minLength: 1 }), fc.stringMatching(/^[A-Z0-9._-]+$/))
    fc.assert(
      fc.property(id, (messageId) => {
        fc.pre(messageId.isWellFormed() && messageId.length > 0 && messageId.length < 200)
        const address = makeReturnPath(references, { ...subject, messageId }, 'bounces.acme.test')
        for (const written of [address, address.toUpperCase(), address.toLowerCase(), `inbox+${address}`]) {
          const found = findInAddress(written)
          assert.ok(found)
          assert.equal(found.reference.messageId, messageId)
          assert.deepEqual(found.domains, ['bounces.acme.test', 'acme.test'])
          assert.equal(
            references.findRecipient(found.reference, 'acme.test', ['eve@example.org', 'BOB@example.org']),
            'BOB@example.org',
          )
        }
      }),
    )
  })

  test('includes its domain if the host is not below it', () => {
    const address = makeReturnPath(references, subject, 'bounces.operator.test')
    assert.match(address, /=acme\.test@bounces\.operator\.test$/)
    assert.deepEqual(findInAddress(address)?.domains, ['acme.test'])
    // A name that merely ends in the same letters is not below it.
    assert.match(makeReturnPath(references, subject, 'notacme.test'), /=acme\.test@/)
  })
})

describe('a reference', () => {
  const found = findReference(references.sign(subject))
  assert.ok(found)

  test('is valid for its domain, its message and its recipient, and for no others', () => {
    assert.equal(references.findRecipient(found, 'acme.test', [subject.recipient]), subject.recipient)
    assert.equal(references.findRecipient(found, 'ACME.test', [subject.recipient]), subject.recipient)
    assert.equal(references.findRecipient(found, 'rival.test', [subject.recipient]), undefined)
    assert.equal(references.findRecipient(found, 'acme.test', ['carol@example.org', '']), undefined)
    assert.equal(
      references.findRecipient({ ...found, messageId: 'another' }, 'acme.test', [subject.recipient]),
      undefined,
    )
    const foreign = createReferences(createSigner(Buffer.alloc(32, 8), 'report reference'))
    assert.equal(foreign.findRecipient(found, 'acme.test', [subject.recipient]), undefined)
  })

  test('signed without a recipient is valid for the message as a whole', () => {
    const { domain, messageId } = subject
    const whole = findFullReference(makeFullReference(references, { domain, messageId }))
    assert.ok(whole)
    assert.equal(references.findRecipient(whole.reference, 'acme.test', ['anybody@example.org']), '')
  })

  test('is read from an envelope id, encoded as xtext or not', () => {
    const full = makeFullReference(references, subject)
    const expected = { reference: { ...found, domain: 'acme.test' }, domains: ['acme.test'] }
    assert.deepEqual(findFullReference(full), expected)
    assert.deepEqual(findFullReference(full.replace('=', '+3D')), expected)
    assert.equal(findFullReference(references.sign(subject)), undefined)
  })

  test('is read with blanks around it, from up to a thousand characters', () => {
    const full = makeFullReference(references, subject)
    assert.equal(findFullReference(full.padEnd(1000))?.reference.messageId, subject.messageId)
    assert.equal(findFullReference(full.padEnd(1001)), undefined)
    const address = makeReturnPath(references, subject, 'bounces.acme.test')
    const padded = (length: number) => `${'m'.repeat(length - address.length - 1)}+${address}`
    assert.equal(findInAddress(padded(1000))?.returnPath, padded(1000))
    assert.equal(findInAddress(padded(1001)), undefined)
  })

  test('follows the algorithm of docs/connectors/reports.md', () => {
    const mac = createHmac('sha256', references.key)
      .update('acme.test\n01890a5d-ac96-774b-bcce-b302099a8057\nbob@example.org')
      .digest('hex')
    assert.equal(references.sign(subject), `l01890a5d-ac96-774b-bcce-b302099a8057-${mac.slice(0, 20)}`)
  })

  test('is not found in other text', () => {
    const long = `l${'a'.repeat(100_000)}-${'0'.repeat(20)}`
    for (const text of [
      '',
      'l-',
      'bounces',
      'labc-0123',
      'xzz-0123456789abcdef0123',
      'yabc-0123456789abcdef0123',
      long,
    ])
      assert.equal(findReference(text), undefined)
    for (const address of ['', '@', 'bounces@acme.test', `${long}@acme.test`])
      assert.equal(findInAddress(address), undefined)
  })
})

test('candidates for the domain are the host and its parents, but not a top-level domain', () => {
  assert.deepEqual(namesAbove('A.b.acme.test.'), ['a.b.acme.test', 'b.acme.test', 'acme.test'])
  assert.deepEqual(namesAbove(' acme.test '), ['acme.test'])
  assert.deepEqual(namesAbove('localhost'), [])
  assert.ok(namesAbove('a.'.repeat(1000)).length <= 10)
})
