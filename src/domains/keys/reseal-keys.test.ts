import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleDomain } from '../../../test/harness/app/sample-domain.ts'
import type { DataSecret } from '../../lib/sealing/data-secret.ts'
import { type Generation, Keyring, secretId } from '../../lib/sealing/keyring.ts'
import { openMemoryStorage } from '../../storage/memory/open-memory-storage.ts'
import { createTenant } from '../../tenants/create-tenant.ts'
import type { DkimKey } from '../domain.ts'
import { completeRotation, resealKeys } from './reseal-keys.ts'

function generation(byte: number): Generation {
  const secret = Buffer.alloc(32, byte)
  return { id: secretId(secret), secret, createdAtMs: byte }
}

/** Domains, each with two private keys that the first secret has sealed; the second one is the newest. */
async function openScene(count: number) {
  const { control } = openMemoryStorage({ clock: () => 1, serviceMessageIdField: 'service_message_id' })
  const tenant = await createTenant({ keys: control.keys, clock: () => 1 }, 'acme')
  const keyring = new Keyring([generation(1)])
  const sealer = keyring.sealerFor('dkim')
  const keyOf = (name: string, state: DkimKey['state']): DkimKey => ({
    selector: `${state}-${name}`,
    algorithm: 'rsa',
    publicKey: '',
    sealedPrivateKey: sealer.seal(Buffer.from(`${state} ${name}`)),
    state,
    createdAtMs: 1,
  })
  for (let index = 0; index < count; index++) {
    const name = `d${index}.test`
    const dkimKeys = [keyOf(name, 'current'), keyOf(name, 'next')]
    await control.domains.create(sampleDomain(tenant.id, name, { dkimKeys, createdAtMs: index % 3 }))
  }
  keyring.replace([generation(2), generation(1)])
  const listAll = async () =>
    (await control.domains.list({ skip: 0, take: 10_000, orderBy: { field: 'id', direction: 'asc' } })).domains
  return { domains: control.domains, keyring, sealer, listAll }
}

test('every key is sealed with the newest secret and opens with it alone; nothing else changes', async () => {
  const { domains, keyring, sealer, listAll } = await openScene(250)
  const before = await listAll()
  const progress: number[] = []
  const result = await resealKeys({ domains, sealer }, (done) => progress.push(done))
  assert.deepEqual(result, { resealed: 500, unreadable: 0 })
  assert.deepEqual(progress, [100, 200, 250])
  keyring.replace([generation(2)])
  const after = await listAll()
  for (const [index, { dkimKeys, name, ...rest }] of after.entries()) {
    const { dkimKeys: keysBefore, name: _, ...restBefore } = before[index] ?? assert.fail()
    assert.deepEqual(rest, restBefore)
    assert.deepEqual(
      dkimKeys.map(({ sealedPrivateKey }) => sealer.open(sealedPrivateKey)?.toString()),
      [`current ${name}`, `next ${name}`],
    )
    assert.deepEqual(
      dkimKeys.map(({ selector }) => selector),
      keysBefore.map(({ selector }) => selector),
    )
  }
  assert.deepEqual(await resealKeys({ domains, sealer }), { resealed: 0, unreadable: 0 }, 'nothing is left')
})

test('ended between any two writes, all keys are readable, and a second pass completes it', async () => {
  for (let writes = 0; writes < 5; writes++) {
    const { domains, sealer, listAll } = await openScene(5)
    let left = writes
    const dying = {
      ...domains,
      saveKeys: async (...values: Parameters<typeof domains.saveKeys>) => {
        if (left-- === 0) throw new Error('ended')
        return domains.saveKeys(...values)
      },
    }
    await assert.rejects(resealKeys({ domains: dying, sealer }), /ended/)
    for (const { dkimKeys } of await listAll())
      for (const { sealedPrivateKey } of dkimKeys) assert(sealer.open(sealedPrivateKey))
    assert.deepEqual(await resealKeys({ domains, sealer }), { resealed: 10 - 2 * writes, unreadable: 0 })
  }
})

test('a key that is changed at the same time is kept as it was changed', async () => {
  const { domains, sealer, listAll } = await openScene(1)
  let isFirst = true
  const racing = {
    ...domains,
    saveKeys: async (...[before, update]: Parameters<typeof domains.saveKeys>) => {
      if (isFirst) {
        isFirst = false
        await domains.saveKeys(before, { ...before, dkimKeys: before.dkimKeys.slice(0, 1) })
      }
      return domains.saveKeys(before, update)
    },
  }
  assert.deepEqual(await resealKeys({ domains: racing, sealer }), { resealed: 1, unreadable: 0 })
  const [domain] = await listAll()
  assert.equal(domain?.dkimKeys.length, 1)
  assert(sealer.isCurrent(domain.dkimKeys[0]?.sealedPrivateKey ?? new Uint8Array()))
})

test('keys that no secret opens are counted and left as they are', async () => {
  const { domains, keyring, sealer, listAll } = await openScene(2)
  const before = await listAll()
  keyring.replace([generation(3)])
  assert.deepEqual(await resealKeys({ domains, sealer }), { resealed: 0, unreadable: 4 })
  assert.deepEqual(await listAll(), before)
})

test('a complete pass is noted for the newest secret, and one that is ended is not', async () => {
  const { domains, keyring, sealer } = await openScene(1)
  const marked: string[] = []
  const dataSecret = { keyring, markResealed: async (id: string) => void marked.push(id) } as unknown as DataSecret
  const deps = { domains, sealer, dataSecret }
  await assert.rejects(completeRotation(deps, undefined, AbortSignal.abort(new Error('ended'))), /ended/)
  assert.deepEqual(marked, [])
  assert.deepEqual(await completeRotation(deps), { resealed: 2, unreadable: 0 })
  assert.deepEqual(marked, [generation(2).id])
})

test('progress is reported after each page that has domains', async () => {
  for (const [count, expected] of [
    [0, []],
    [1, [1]],
    [100, [100]],
  ] as const) {
    const { domains, sealer } = await openScene(count)
    const progress: number[] = []
    await resealKeys({ domains, sealer }, (done) => progress.push(done))
    assert.deepEqual(progress, expected)
  }
})

test('what is sealed with the newest secret already is not written again', async () => {
  const { domains, sealer, listAll } = await openScene(1)
  const [before] = await listAll()
  assert.ok(before)
  const [first, second] = before.dkimKeys
  assert.ok(first && second)
  const current = { ...first, sealedPrivateKey: sealer.seal(Buffer.from('again')) }
  await domains.saveKeys(before, { ...before, dkimKeys: [current, second] })
  assert.deepEqual(await resealKeys({ domains, sealer }), { resealed: 1, unreadable: 0 })
  assert.deepEqual((await listAll())[0]?.dkimKeys[0], current)
  const never = { ...domains, saveKeys: () => assert.fail('written again') }
  assert.deepEqual(await resealKeys({ domains: never, sealer }), { resealed: 0, unreadable: 0 })
})
