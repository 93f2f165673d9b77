import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTokens } from '../../../../integrations/haraka/lib/tracking/token.mjs'
import { type AppFixture, openAppFixture } from '../../../../test/harness/app/app-fixture.ts'
import type { ProvenReference, ReferenceKey, ReturnPath, TrackingSecret } from './signing.wire.ts'

let fixture: AppFixture
let adminKey: string
before(async () => {
  fixture = await openAppFixture()
  adminKey = (await fixture.createKey('operator', ['admin'])).key
})
after(() => fixture[Symbol.asyncDispose]())

const get = (path: string) => fixture.get(`/v1/admin/${path}`, adminKey)
const post = (path: string, body: object) =>
  fixture.post(`/v1/admin/${path}`, adminKey, { payload: JSON.stringify(body) })
const verify = (text: string, recipient?: string) => post('return-paths/verify', { text, recipient })

test('a return path identifies its message, in each of its three forms and for its recipient', async () => {
  const made = await post('return-paths', { domain: 'ACME.test', messageId: 'm1', recipient: 'bob@example.org' })
  assert.equal(made.statusCode, 200)
  const { address, envelopeId, header } = made.json<ReturnPath>()
  assert.match(address, /@bounces\.acme\.test$/)
  assert.equal(header, `X-Envelog-Ref: ${envelopeId}`)
  for (const text of [address, envelopeId, header]) {
    const proven = await verify(text, 'Bob@example.org')
    assert.deepEqual(proven.json<ProvenReference>(), {
      domain: 'acme.test',
      messageId: 'm1',
      recipient: 'Bob@example.org',
    })
    assert.equal((await verify(text, 'eve@example.org')).statusCode, 400)
    assert.match((await verify(text)).json<{ message: string }>().message, /name that recipient/)
  }
})

test('without a recipient it is valid for the whole message, and its host can be chosen', async () => {
  const made = await post('return-paths', { domain: 'acme.test', messageId: 'm1', host: 'mail.example' })
  const { address } = made.json<ReturnPath>()
  assert.match(address, /=acme\.test@mail\.example$/)
  assert.equal((await verify(address)).json<ProvenReference>().recipient, null)
})

test('text that cannot be signed, or is not signed, is 400 with the reason', async () => {
  const refused = async (path: string, body: object, reason: RegExp) => {
    const answer = await post(path, body)
    assert.equal(answer.statusCode, 400)
    assert.match(answer.json<{ message: string }>().message, reason)
  }
  await refused('return-paths', { domain: 'nowhere.test', messageId: 'm1' }, /^Domain not found/)
  await refused('return-paths', { domain: 'acme.test', messageId: 'a\nb' }, /control characters/)
  await refused('return-paths', { domain: 'acme.test', messageId: 'x'.repeat(256) }, /255 characters/)
  await refused('return-paths', { domain: 'acme.test' }, /messageId.*required/)
  await refused('return-paths/verify', { text: 'hello' }, /no signed reference/)
  await refused('return-paths/verify', { text: `lm1-${'0'.repeat(20)}=acme.test` }, /not signed here/)
})

test('the keys for mail servers are those used for signing, and responses with them are not cached', async () => {
  const keyAnswer = await get('return-paths/key')
  const secretAnswer = await get('tracking-secret')
  for (const { headers } of [keyAnswer, secretAnswer]) assert.equal(headers['cache-control'], 'no-store')
  const { key } = keyAnswer.json<ReferenceKey>()
  assert.equal(key, fixture.references.key.toString('hex'))
  const { secret } = secretAnswer.json<TrackingSecret>()
  const fields = { time: 0, domain: 'acme.test', messageId: 'm', recipient: 'bob@example.org', kind: 'open' } as const
  const token = createTokens(Buffer.from(secret, 'base64url')).sign(fields)
  assert(fixture.trackingTokens.open('open', token))
})
