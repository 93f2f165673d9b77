import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message, Resource } from '../wire/message.ts'
import { readStatement } from './statement.ts'

test('of a referral with hundreds of servers, as many are read as a check may query', () => {
  const zone = 'sub.example.test'
  const servers = Array.from({ length: 200 }, (_, index) => `ns${index}.${zone}`)
  const common = { ttlSeconds: 60 }
  const authorities: Resource[] = servers.map((target) => ({ ...common, type: 'NS', name: zone, data: { target } }))
  const additionals: Resource[] = servers.map((name) => {
    return { ...common, type: 'A', name, data: { address: '203.0.113.1' } }
  })
  const flags = { id: 1, isResponse: true, isAuthoritative: false, isTruncated: false, rcode: 0 }
  const message: Message = { ...flags, answers: [], authorities, additionals, extendedErrors: [] }
  const asked = { name: `key.${zone}`, type: 'TXT', zone: 'example.test', who: 'the server' } as const
  const statement = readStatement(message, asked)
  assert.ok(statement.kind === 'referral')
  assert.deepEqual(statement.servers, servers.slice(0, 13))
  assert.equal(statement.glue.size, 13)
})
