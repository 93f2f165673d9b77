import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import type { TokenFields } from '../../../integrations/haraka/lib/tracking/token.mjs'
import type { AppDeps } from '../app-deps.ts'
import { noteHit } from './note-hit.ts'

const FIELDS: TokenFields = { kind: 'open', time: 0, domain: 'a.test', messageId: 'm1', recipient: 'u@b.test' }

function openScene(record: () => Promise<void>) {
  const counted: string[] = []
  const deps = {
    clock: () => 3_600_000,
    metrics: { countHit: (kind: string, outcome: string) => void counted.push(`${kind} ${outcome}`) },
    logger: { error: () => undefined },
    tracking: { hits: { record } },
  } as unknown as AppDeps
  const note = (userAgent: string) =>
    noteHit(deps, { method: 'GET', headers: { 'user-agent': userAgent } } as FastifyRequest, FIELDS)
  return { counted, note }
}

test('a hit is counted as that of a person or of a machine, and as lost if it cannot be written', async () => {
  const { counted, note } = openScene(async () => undefined)
  await note('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0')
  await note('python-requests/2.31')
  assert.deepEqual(counted, ['open person', 'open machine'])
  const failing = openScene(() => Promise.reject(new Error('the disk is full')))
  await failing.note('curl/8')
  assert.deepEqual(failing.counted, ['open machine', 'open lost'])
})

test('a response waits for the disk a second at most, and leaves no timer behind', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { note } = openScene(() => new Promise(() => undefined))
  let isDone = false
  const noted = note('curl/8').then(() => {
    isDone = true
  })
  context.mock.timers.tick(999)
  await new Promise(setImmediate)
  assert.equal(isDone, false)
  context.mock.timers.tick(1)
  await noted
  context.mock.timers.reset()
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const before = timers()
  await openScene(async () => undefined).note('curl/8')
  assert.equal(timers(), before)
})
