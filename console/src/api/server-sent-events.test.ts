import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerSentEvents, type ServerSentEvent } from './server-sent-events.ts'

async function parse(...chunks: readonly string[]) {
  const bytes = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
  const events: ServerSentEvent[] = []
  for await (const event of parseServerSentEvents(bytes)) events.push(event)
  return events
}

test('events are parsed wherever the network splits the stream', async () => {
  const text = ': hello\n\nid: 7\nevent: log\ndata: {"a":1}\n\nid: 8\r\ndata: two\r\ndata: lines\r\n\r\n'
  const whole = await parse(text)
  assert.deepEqual(whole, [
    { id: '7', event: 'log', data: '{"a":1}' },
    { id: '8', event: 'message', data: 'two\nlines' },
  ])
  for (let cut = 1; cut < text.length; cut++) assert.deepEqual(await parse(text.slice(0, cut), text.slice(cut)), whole)
})

test('an incomplete event at the end of the stream is dropped', async () => {
  assert.deepEqual(await parse('id: 1\ndata: whole\n\nid: 2\ndata: half\n'), [
    { id: '1', event: 'message', data: 'whole' },
  ])
})
