import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDomain } from '../../storage/contract/control/domain-scene.ts'
import { changeKeys, requireKey } from './change-keys.ts'

test('a change that others keep overtaking is given up after a few attempts, and says so', async () => {
  const domain = { ...newDomain(1), number: 1 }
  let [attempts, overtaken] = [0, 4]
  const domains = {
    findByName: async () => domain,
    saveKeys: async () => ++attempts > overtaken,
  }
  const change = () => changeKeys({ domains, clock: () => 0 }, domain.name, () => ({ dkimKeys: [], dnsRecords: [] }))
  assert.equal(await change(), domain)
  assert.equal(attempts, 5)
  ;[attempts, overtaken] = [0, 5]
  await assert.rejects(change(), { code: 'conflict', message: /being changed by another process/ })
  assert.equal(attempts, 5)
})

test('a key is found by its selector in any letter case, and the refusal lists those that exist', () => {
  const key = { algorithm: 'rsa', publicKey: '', sealedPrivateKey: new Uint8Array(), createdAtMs: 0 } as const
  const [first, second] = [
    { ...key, selector: 'env01', state: 'current' },
    { ...key, selector: 'env02', state: 'next' },
  ] as const
  const domain = { ...newDomain(1, { dkimKeys: [first, second] }), number: 1 }
  assert.equal(requireKey(domain, 'ENV02'), second)
  assert.throws(() => requireKey(domain, 'env03'), {
    code: 'not_found',
    message: /env01 \(current\), env02 \(next\)\.$/,
  })
  assert.throws(() => requireKey({ ...domain, dkimKeys: [] }, 'env03'), { message: /Its keys: none\.$/ })
})
