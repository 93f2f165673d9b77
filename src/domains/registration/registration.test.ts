/** How a domain of a tenant begins and ends. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sampleDomain } from '../../../test/harness/app/sample-domain.ts'
import { createSealer } from '../../lib/sealing/sealer.ts'
import { openMemoryStorage } from '../../storage/memory/open-memory-storage.ts'
import { createTenant } from '../../tenants/create-tenant.ts'
import type { Domain } from '../domain.ts'
import { firstRecheck } from '../verification/recheck-schedule.ts'
import { activateDomain } from './activate-domain.ts'
import { addDomain } from './add-domain.ts'
import { claimDomain } from './claim-domain.ts'
import { deactivateDomain } from './deactivate-domain.ts'
import { PROOF_MS } from './unproven-domain.ts'

const NAME = 'example.com'

async function openScene() {
  let nowMs = 1000
  const clock = () => nowMs
  const { control } = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id' })
  const { domains, keys } = control
  const { id: tenantId } = await createTenant({ keys, clock }, 'acme')
  const { id: otherId } = await createTenant({ keys, clock }, 'other')
  const sealer = createSealer(Buffer.alloc(32, 1), 'dkim')
  const deps = { domains, keys, clock, sealer, spfInclude: 'spf.acme.test' }
  const add = (changes: Partial<Domain>) => domains.create(sampleDomain(tenantId, NAME, changes))
  const advance = (byMs: number) => {
    nowMs += byMs
  }
  return { deps, tenantId, otherId, add, advance }
}

describe('activation', () => {
  test('plans the first check, and changes nothing the second time', async () => {
    const { deps, add, advance } = await openScene()
    await add({ isActive: false })
    const active = await activateDomain(deps, NAME)
    assert.deepEqual([active.isActive, active.updatedAtMs], [true, 1000])
    assert.deepEqual(active.recheck, firstRecheck(active.id, 1000))
    advance(5)
    assert.deepEqual(await activateDomain(deps, NAME), active)
  })

  test('of an active domain that is not proven stands for the proof', async () => {
    const { deps, add } = await openScene()
    await add({ isActive: true, proofDueAtMs: 5000 })
    const proven = await activateDomain(deps, NAME)
    assert.deepEqual([proven.isActive, proven.proofDueAtMs], [true, undefined])
  })

  test('ends with deactivation, whose time is that of the first one', async () => {
    const { deps, add, advance } = await openScene()
    await add({ isActive: true })
    const inactive = await deactivateDomain(deps, NAME)
    assert.deepEqual([inactive.isActive, inactive.deactivatedAtMs, inactive.updatedAtMs], [false, 1000, 1000])
    advance(5)
    assert.deepEqual(await deactivateDomain(deps, NAME), inactive)
  })
})

describe('a domain that a tenant adds itself', () => {
  test('is active, has a time limit for its proof, and is told apart from those of others', async () => {
    const { deps, tenantId, otherId } = await openScene()
    const domain = await claimDomain(deps, tenantId, { name: NAME })
    assert.deepEqual([domain.isActive, domain.tenantId, domain.proofDueAtMs], [true, tenantId, 1000 + PROOF_MS])
    await assert.rejects(claimDomain(deps, tenantId, { name: NAME }), { code: 'conflict', message: /already added/ })
    await assert.rejects(claimDomain(deps, otherId, { name: NAME }), { code: 'conflict', message: /not available/ })
  })

  test('gives way to another tenant after its time', async () => {
    const { deps, otherId, add, advance } = await openScene()
    await add({ proofDueAtMs: 5000 })
    advance(10_000)
    assert.equal((await claimDomain(deps, otherId, { name: NAME })).tenantId, otherId)
  })
})

describe('a domain that the operator adds', () => {
  test('is refused without making a key if the name is taken or cannot be used, whoever the tenant is', async () => {
    const { deps, add } = await openScene()
    await add({})
    const sealer = { ...deps.sealer, seal: () => assert.fail('a key was made') }
    const request = { name: NAME, tenantName: 'acme', isActive: false }
    await assert.rejects(addDomain({ ...deps, sealer }, request), { code: 'conflict', message: /already exists/ })
    await assert.rejects(addDomain(deps, { ...request, name: 'no name', tenantName: 'nobody' }), {
      code: 'invalid_request',
    })
  })

  test('may have a description of 500 characters and an address of 254, with a host below the domain', async () => {
    const { deps } = await openScene()
    const address = (length: number) => `${'a'.repeat(length - '@m.example.com'.length)}@M.example.com`
    const request = { name: NAME, tenantName: 'acme', isActive: false, description: 'x'.repeat(500) }
    await assert.rejects(addDomain(deps, { ...request, sendingEmail: address(255) }), { code: 'invalid_request' })
    await assert.rejects(addDomain(deps, { ...request, sendingEmail: 'example.com' }), { code: 'invalid_request' })
    const domain = await addDomain(deps, { ...request, sendingEmail: address(254) })
    assert.equal(domain.sendingEmail, address(254).toLowerCase())
    assert.equal(domain.description.length, 500)
  })
})
