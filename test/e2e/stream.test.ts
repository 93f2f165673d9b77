/** The log as a stream: whatever happens to the server, a client that reconnects gets each event exactly once. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { EmailEvent } from '../../src/events/event.ts'
import { EventStream } from '../harness/log/event-stream.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const DAY = 86_400
const now = Math.floor(Date.now() / 1000)
const DAYS = [0, 0, 0, 1, 0, 2, 0, 0, 30, 0]

let installation: Installation
before(async () => {
  installation = await openInstallation()
})
after(() => installation[Symbol.dispose]())

/** Events of both domains and of several days, so that many arrive late. */
function events(from: number, count: number): readonly EmailEvent[] {
  return Array.from({ length: count }, (_, at) => {
    const index = from + at
    return {
      id: `stream-${index}`,
      timestamp: now - 60 - (DAYS[index % DAYS.length] ?? 0) * DAY,
      type: 'Delivery',
      domain_name: installation.domains[index % 2] ?? '',
      recipient: `person${index}@example.net`,
    }
  })
}

function open(server: ServerProcess, lastEventId: string): Promise<EventStream> {
  const headers = { authorization: installation.tenantKey, ...(lastEventId && { 'last-event-id': lastEventId }) }
  return EventStream.open(`${server.address}/v1/events/stream`, headers)
}

async function store(server: ServerProcess, batch: readonly EmailEvent[]): Promise<void> {
  const answer = await new LogClient(server.address, installation).post(JSON.stringify(batch))
  assert.equal(answer.status, 200)
  assert.equal(((await answer.json()) as { stored: number }).stored, batch.length)
}

test('a stream that is resumed after a stop, a kill and an import misses nothing', async () => {
  const seen: string[] = []
  let lastEventId = ''
  let sent = 0
  /** As an EventSource would: to the end, or until `until` events were received in total. */
  const read = async (server: ServerProcess, until: number) => {
    await using stream = await open(server, lastEventId)
    while (seen.length < until) {
      const frame = await stream.next().catch(() => undefined)
      if (!frame) return
      lastEventId = frame.id
      if (frame.event === 'log') seen.push((JSON.parse(frame.data) as EmailEvent).id)
    }
  }
  const send = async (server: ServerProcess, count: number) => {
    await store(server, events(sent, count))
    sent += count
  }

  const first = await installation.start()
  {
    await using stream = await open(first, '')
    lastEventId = (await stream.next())?.id ?? ''
  }
  await send(first, 20)
  // Disconnects in the middle.
  await read(first, 7)
  await send(first, 20)
  await first.stop()

  const second = await installation.start()
  await read(second, 30)
  await send(second, 50)
  await second.kill()

  const third = await installation.start()
  const following = read(third, 190)
  for (let batch = 0; batch < 5; batch++) await send(third, 10)
  using folder = openTemporaryFolder()
  const file = join(folder.path, 'events.ndjson')
  const imported = events(sent, 50)
  sent += 50
  writeFileSync(file, imported.map((event) => JSON.stringify(event)).join('\n'))
  assert.equal((await installation.cli('import', file)).exitCode, 0)
  await following
  await third.stop()

  const expected = events(0, sent).map(({ id }) => id)
  assert.equal(expected.length, 190)
  assert.deepEqual(seen.toSorted(), expected.toSorted())
})
