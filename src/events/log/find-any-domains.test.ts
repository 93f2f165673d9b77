import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAnyDomains } from './search-log.ts'

const NAMES = [
  { name: 'a.test', number: 1 },
  { name: 'b.test', number: 2 },
]

function storeOf(asked: (string | undefined)[]) {
  return {
    domains: {
      findByName: async () => undefined,
      async listNames(tenantId?: string) {
        asked.push(tenantId)
        return NAMES
      },
    },
  }
}

test('the domains of all tenants are one read, however many tenants there are, and the list of the store itself', async () => {
  const asked: (string | undefined)[] = []
  // Followed streams compare lists by identity.
  assert.equal(await findAnyDomains(storeOf(asked), {}), NAMES)
  assert.deepEqual(asked, [undefined])
})

test('the domains of named tenants are read for each, and named domains can be left out', async () => {
  const asked: (string | undefined)[] = []
  const found = await findAnyDomains(storeOf(asked), { tenants: ['one', 'two'], withoutDomains: ['B.test'] })
  assert.deepEqual(
    [asked, found.map(({ name }) => name)],
    [
      ['one', 'two'],
      ['a.test', 'a.test'],
    ],
  )
})
