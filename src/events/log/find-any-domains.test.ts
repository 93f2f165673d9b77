import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleDomain } from '../../../test/harness/app/sample-domain.ts'
import { type AskedDomains, findAnyDomains } from './search-log.ts'

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

test('domains that are named are those of the tenants that are named, or of any', async () => {
  const tenantOf: Readonly<Record<string, string>> = { 'a.test': 'one', 'b.test': 'two' }
  const domains = {
    async findByName(name: string) {
      const tenantId = tenantOf[name]
      return tenantId === undefined ? undefined : { ...sampleDomain(tenantId, name), number: name === 'a.test' ? 1 : 2 }
    },
    listNames: async () => assert.fail('all domains were read'),
  }
  const find = (asked: AskedDomains) => findAnyDomains({ domains }, asked)
  assert.deepEqual(await find({ domains: ['a.test', 'b.test'] }), NAMES)
  assert.deepEqual(await find({ domains: ['a.test', 'b.test'], tenants: ['one', 'two'] }), NAMES)
  assert.deepEqual(await find({ domains: ['a.test', 'b.test'], withoutDomains: ['A.test'] }), NAMES.slice(1))
  for (const tenants of [['one'], ['two'], []]) {
    await assert.rejects(find({ domains: ['a.test', 'b.test'], tenants }), { code: 'domain_not_found' })
  }
  await assert.rejects(find({ domains: ['nobody.test'] }), { code: 'domain_not_found' })
})
