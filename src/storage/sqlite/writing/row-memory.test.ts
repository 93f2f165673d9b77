/** What is remembered of events for the ones that follow has a bound, whatever senders write. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type EmailEvent, EVENT_TYPES } from '../../../events/event.ts'
import { toEventRow } from './event-row.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const MEGABYTE = 1024 * 1024
const EVENTS = 20_000
const FILLER = 'x'.repeat(2000)

/** Texts that are all different, each with memory of its own. */
function textOf(index: number): string {
  return Buffer.from(`${index}${FILLER}`).toString('latin1')
}

for (const [what, toEvent] of [
  ['messages', (index: number) => ({ id: `m${index}`, subject: textOf(index) })],
  ['mailings', (index: number) => ({ from: textOf(index) })],
  [
    'circumstances of each type',
    (index: number) => ({ type: EVENT_TYPES[index % 2] ?? 'Delivery', peer_name: textOf(index) }),
  ],
] as const) {
  test(`of ${what}`, () => {
    const event: EmailEvent = {
      id: 'm',
      timestamp: 1_772_366_400,
      type: 'Delivery',
      domain_name: 'a.test',
      recipient: 'u@b.test',
    }
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < EVENTS; index++) toEventRow({ domainNumber: 1, event: { ...event, ...toEvent(index) } })
    collectGarbage()
    const taken = process.memoryUsage().heapUsed - before
    // All of them would be 40 MB, and more for the texts that are written from them.
    assert.ok(taken < 16 * MEGABYTE, `${Math.round(taken / MEGABYTE)} MB`)
  })
}
