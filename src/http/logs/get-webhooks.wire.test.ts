import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { EventText } from '../../events/log/log-query.ts'
import { toMessagePageText } from './get-webhooks.wire.ts'

test('the events of a message are one list with their number, however they were read', async () => {
  for (const [pages, events] of [
    [[], []],
    [[[]], []],
    [
      [['1', '2'], ['3']],
      [1, 2, 3],
    ],
    [
      [[], ['1'], [], ['2', '3'], []],
      [1, 2, 3],
    ],
  ] as const) {
    async function* read() {
      yield* pages as unknown as readonly (readonly EventText[])[]
    }
    assert.deepEqual(JSON.parse(await text(toMessagePageText('m"1', read()))), {
      events,
      count: events.length,
      filters_applied: { message_id: 'm"1' },
    })
  }
})
