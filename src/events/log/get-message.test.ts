import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delivery, NOON, openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import { AppError } from '../../lib/app-error.ts'
import { getMessage } from './get-message.ts'

const isNotFound = (error: unknown) => error instanceof AppError && error.code === 'not_found'

test('the steps of a message are listed oldest first, with the attempts of each recipient counted', async () => {
  const { append, deps, acme } = await openMemoryScene()
  const at = (seconds: number) => ({ timestamp: NOON + seconds })
  await append([
    delivery({ ...at(30), recipient: 'v@b.test' }),
    delivery({ ...at(90) }),
    delivery({ ...at(30), type: 'TransientFailure', response_code: 451 }),
    delivery({ ...at(60), type: 'TransientFailure', response_code: 451, num_attempts: 7 }),
    delivery({ ...at(30), type: 'Reception' }),
    delivery({ id: 'another' }),
  ])
  const history = await getMessage(deps, { tenantId: acme.id, messageId: 'm1' })
  assert.deepEqual(
    history.steps.map(({ event, attempt, sincePreviousMs }) => [event.type, event.recipient, attempt, sincePreviousMs]),
    [
      ['Reception', 'u@b.test', null, null],
      ['Delivery', 'v@b.test', 1, 0],
      ['TransientFailure', 'u@b.test', 1, 0],
      ['TransientFailure', 'u@b.test', 7, 30_000],
      ['Delivery', 'u@b.test', 8, 30_000],
    ],
  )
  assert.deepEqual([history.domain, history.alsoIn, history.isCut], ['a.test', [], false])
  assert.deepEqual(history.recipients, ['u@b.test', 'v@b.test'])
})

test('of several domains with the same id the one with the newest event is shown and the others are named', async () => {
  const { append, deps, acme, addDomain, addTenant } = await openMemoryScene()
  const second = await addDomain(acme, 'b.test')
  const foreign = await addDomain(await addTenant('rival'), 'rival.test')
  await append([delivery()])
  await append([delivery({ timestamp: NOON + 1 })], second)
  await append([delivery({ timestamp: NOON + 2 })], foreign)
  const { domain, alsoIn, steps } = await getMessage(deps, { tenantId: acme.id, messageId: 'm1' })
  assert.deepEqual([domain, alsoIn, steps.length], ['b.test', ['a.test'], 1])
  const named = await getMessage(deps, { tenantId: acme.id, messageId: 'm1', domain: 'a.test' })
  assert.deepEqual([named.domain, named.alsoIn], ['a.test', []])
})

test('a message of another tenant is not found, like one that does not exist', async () => {
  const { append, deps, acme, addDomain, addTenant } = await openMemoryScene()
  await append([delivery()], await addDomain(await addTenant('rival'), 'rival.test'))
  for (const messageId of ['m1', 'none']) {
    await assert.rejects(getMessage(deps, { tenantId: acme.id, messageId }), isNotFound)
  }
})

test('5000 events are all, and other work gets the thread between some of them', async () => {
  const { append, deps, acme } = await openMemoryScene()
  await append(Array.from({ length: 5000 }, (_, index) => delivery({ recipient: `u${index}@b.test` })))
  let turns = 0
  const count = () => {
    turns++
    waiting = setImmediate(count)
  }
  let waiting = setImmediate(count)
  const { steps, isCut } = await getMessage(deps, { tenantId: acme.id, messageId: 'm1' })
  clearImmediate(waiting)
  assert.deepEqual([steps.length, isCut], [5000, false])
  // After each of twenty pages, and after each 200 events.
  assert.ok(turns >= 40 && turns < 200, `${turns} turns`)
})

test('of a mailing the newest 5000 events are shown, and that there are more', async () => {
  const { append, deps, acme } = await openMemoryScene()
  await append(
    Array.from({ length: 5001 }, (_, index) => delivery({ timestamp: NOON + index, recipient: `u${index}@b.test` })),
  )
  const { steps, isCut } = await getMessage(deps, { tenantId: acme.id, messageId: 'm1' })
  assert.deepEqual([steps.length, isCut, steps[0]?.event.timestamp], [5000, true, NOON + 1])
})
