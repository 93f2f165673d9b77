import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sampleDomain } from '../../test/harness/app/sample-domain.ts'
import { createSigner } from '../lib/sealing/signer.ts'
import { issueReturnPath, verifyReturnPath } from './issue-return-path.ts'
import { createReferences } from './reference.ts'

const references = createReferences(createSigner(Buffer.alloc(32, 7), 'report reference'))
const domains = {
  findByName: async (name: string) => (name === 'acme.test' ? { ...sampleDomain('t1', name), number: 1 } : undefined),
}
const DEPS = { references, domains, returnPathLabel: 'bounces' }

const issue = (messageId: string, more: { readonly recipient?: string; readonly host?: string } = {}) =>
  issueReturnPath(DEPS, { domain: 'acme.test', messageId, ...more })

describe('a return path', () => {
  test('is below the domain unless another host is named', async () => {
    assert.match((await issue('m1')).address, /@bounces\.acme\.test$/)
    assert.match((await issue('m1', { host: 'mx.other.test' })).address, /=acme\.test@mx\.other\.test$/)
  })

  test('is issued for ids of 1 to 255 characters without control characters, and for known domains', async () => {
    await issue('i'.repeat(255))
    for (const id of ['', 'i'.repeat(256), 'a\nb'])
      await assert.rejects(issue(id), { code: 'invalid_request' }, JSON.stringify(id))
    const unknown = issueReturnPath(DEPS, { domain: 'other.test', messageId: 'm1' })
    await assert.rejects(unknown, { code: 'domain_not_found' })
  })
})

describe('what a return path proves', () => {
  test('is the message, and the recipient if it was issued for one', async () => {
    const recipient = 'bob@example.org'
    const { address, envelopeId, header } = await issue('m1', { recipient })
    for (const text of [address, envelopeId, header, ` ${header.toLowerCase()} `])
      assert.deepEqual(verifyReturnPath(references, text, recipient), {
        domain: 'acme.test',
        messageId: 'm1',
        recipient,
      })
    const whole = await issue('m1')
    for (const named of [undefined, recipient])
      assert.deepEqual(verifyReturnPath(references, whole.address, named), {
        domain: 'acme.test',
        messageId: 'm1',
        recipient: null,
      })
  })

  test('is nothing for another recipient, another signature or another text; whoever names no recipient is told to', async () => {
    const { address } = await issue('m1', { recipient: 'bob@example.org' })
    const refused = (text: string, recipient?: string) => {
      try {
        verifyReturnPath(references, text, recipient)
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    assert.match(refused(address), /not signed here.* name that recipient/)
    assert.match(refused(address, 'eve@example.org'), /for this recipient and domain\.$/)
    assert.match(refused(address.replace('m1', 'm2'), 'bob@example.org'), /not signed here/)
    assert.match(refused('bounces@acme.test'), /no signed reference/)
  })
})
