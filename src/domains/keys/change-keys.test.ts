import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDomain } from '../../storage/contract/control/domain-scene.ts'
import { changeKeys } from './change-keys.ts'

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
