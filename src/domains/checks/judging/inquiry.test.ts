import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openInquiry } from './inquiry.fixture.ts'

const RECORD = { type: 'TXT', name: 'example.com', value: 'v=spf1 -all', purpose: 'SPF' } as const

test('the same name and type are queried once', async () => {
  const { inquiry, asked } = openInquiry({ 'a.test': { TXT: ['text'], A: ['192.0.2.1'] } }, RECORD)
  const [one, other] = await Promise.all([inquiry.resolve('a.test', 'TXT'), inquiry.resolve('a.test', 'TXT')])
  assert.equal(one, other)
  assert.equal(await inquiry.resolve('a.test', 'TXT'), one)
  await inquiry.resolve('a.test', 'A')
  await inquiry.resolve('b.test', 'TXT')
  assert.deepEqual(asked, ['TXT a.test', 'A a.test', 'TXT b.test'])
})
