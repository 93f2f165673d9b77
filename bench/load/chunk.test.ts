import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailEvent } from '../../src/events/event.ts'
import { createChunkMaker } from './chunk.ts'

const DOMAINS = ['a.example', 'd.example']

function event(timestamp: number, id: number): EmailEvent {
  return { id: String(id), timestamp, type: 'Delivery', domain_name: DOMAINS[id % 2] ?? '', recipient: 'b@c.example' }
}

test('events of one second stay in one post, in their order; the peer gets exactly a thousand at a time', () => {
  const events = Array.from({ length: 2400 }, (_, id) => event(Math.floor(id / 7), id))
  const domains = new Map(DOMAINS.map((name, index) => [name, index]))
  const { posts, copies } = createChunkMaker(events.values(), domains, () => undefined)(2400)

  const sent = posts.map((post) =>
    post
      .toString()
      .split('\n')
      .map((line) => JSON.parse(line) as EmailEvent),
  )
  assert.deepEqual(sent.flat(), events)
  for (const [index, post] of sent.entries()) {
    assert.notEqual(post.at(-1)?.timestamp, sent[index + 1]?.[0]?.timestamp)
    if (index < sent.length - 1) assert.ok(post.length >= 100 && post.length < 107)
  }

  const lines = copies.map((copy) => copy.toString().trimEnd().split('\n'))
  assert.deepEqual(
    lines.map(({ length }) => length),
    [1000, 1000, 400],
  )
  // Rows carry their order of arrival, whatever the order in which batches are committed.
  assert.deepEqual(
    lines.flat().map((line) => Number(line.split('\t')[0])),
    events.map((_, index) => index + 1),
  )
})
