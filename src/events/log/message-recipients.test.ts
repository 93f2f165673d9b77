import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collect, delivery, openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import { findRecipientOfMessage, listRecipientsOfMessage } from './message-recipients.ts'

/** Sends m1 to these, and another message to somebody else. */
async function openMailing(recipients: readonly string[]) {
  const scene = await openMemoryScene()
  await scene.append(recipients.map((recipient) => delivery({ recipient })))
  await scene.append([delivery({ id: 'm2', recipient: 'other@b.test' })])
  const find = (address: string, id = 'm1') => findRecipientOfMessage(scene.deps.log, scene.domain, id, address)
  return { ...scene, find }
}

test('a recipient of a large mailing is found, as the log spells it, whatever the letter case', async () => {
  const { find } = await openMailing(Array.from({ length: 3000 }, (_, index) => `User${index}@b.test`))
  assert.equal(await find('user17@B.TEST'), 'User17@b.test')
  assert.equal(await find('USER2999@b.test'), 'User2999@b.test')
  assert.equal(await find('user3000@b.test'), undefined)
})

test('an address that is part of another is another address', async () => {
  const longer = Array.from({ length: 250 }, (_, index) => `a${index}.ann@b.test`)
  const { find } = await openMailing([...longer, 'ann@b.test.example'])
  assert.equal(await find('ann@b.test'), undefined)
  const both = await openMailing(['ann@b.test', ...longer])
  assert.equal(await both.find('ann@b.test'), 'ann@b.test', 'although pages of longer ones come first')
})

test('recipients of other messages and domains do not count', async () => {
  const { find, deps, acme, addDomain } = await openMailing(['ann@b.test'])
  assert.equal(await find('ann@b.test', 'm2'), undefined)
  assert.equal(await find('other@b.test', 'm2'), 'other@b.test')
  const second = await addDomain(acme, 'b.test')
  assert.equal(await findRecipientOfMessage(deps.log, second, 'm1', 'ann@b.test'), undefined)
})

test('all recipients are listed, a page at a time', async () => {
  const recipients = Array.from({ length: 3000 }, (_, index) => `u${index}@b.test`)
  const { deps, domain } = await openMailing(recipients)
  const pages = await collect(listRecipientsOfMessage(deps.log, domain, 'm1'))
  assert.ok(pages.length > 1)
  assert.deepEqual(pages.flat().toSorted(), recipients.toSorted())
})
