import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { type AppFixture, openAppFixture } from '../../test/harness/app/app-fixture.ts'
import { withChangedLog } from '../../test/harness/storage/changed-log.ts'
import { openTemporaryFolder } from '../../test/harness/temporary-folder.ts'
import { tracking } from '../connectors/tracking/tracking.ts'
import { DaysUnavailableError } from '../events/log/days-unavailable.ts'
import type { AttributedEvent } from '../events/log/event-log.ts'
import { AppError } from '../lib/app-error.ts'
import { openJournal } from '../lib/journal.ts'
import type { Hit } from './hit.ts'
import { HitRecorder, type HitRecorderDeps } from './hit-recorder.ts'

interface Wire {
  readonly type: string
  readonly url?: string
  readonly machine?: string
}

async function openRecorder(fixture: AppFixture, folder: string, changes: Partial<HitRecorderDeps> = {}) {
  const { log, control } = fixture.storage
  const recorder = new HitRecorder({
    journal: await openJournal(folder),
    ingest: {
      log,
      ...control,
      clock: () => fixture.nowMs,
      retentionMs: 90 * 86_400_000,
      serviceMessageIdField: 'service_message_id',
    },
    connector: tracking,
    machines: 'mark',
    logger: pino({ level: 'silent' }),
    onIngested: () => undefined,
    ...changes,
  })
  await recorder.resume()
  return recorder
}

function click(fixture: AppFixture, fields: Partial<Hit> = {}): Hit {
  return {
    kind: 'click',
    messageId: 'm1',
    domain: 'acme.test',
    recipient: 'ann@example.org',
    target: 'https://acme.test/1',
    timeMs: fixture.nowMs,
    ...fields,
  }
}

async function listed(fixture: AppFixture): Promise<readonly Wire[]> {
  return (await fixture.get('/webhooks/acme.test')).json<{ events: Wire[] }>().events
}

/** Long enough for what was sealed to be settled. */
async function drain(fixture: AppFixture, recorder: HitRecorder): Promise<void> {
  await recorder.drain()
  fixture.advance(1000)
  await recorder.drain()
}

describe('opens and clicks', () => {
  test('become events with the target address, once however often they occur within a second', async () => {
    await using fixture = await openAppFixture()
    using folder = openTemporaryFolder()
    const recorder = await openRecorder(fixture, folder.path)
    await Promise.all([1, 2, 3].map(() => recorder.record(click(fixture))))
    const { target: _none, ...open } = click(fixture, { kind: 'open', domain: 'news.acme.test' })
    await recorder.record(open)
    await drain(fixture, recorder)
    const timestamp = Math.floor((fixture.nowMs - 1000) / 1000)
    const common = {
      id: 'm1',
      timestamp,
      domain_name: 'acme.test',
      recipient: 'ann@example.org',
      direction: 'outbound',
    }
    assert.deepEqual(await listed(fixture), [
      { ...common, type: 'Opened' },
      { ...common, type: 'Click', url: 'https://acme.test/1' },
    ])
  })

  test('are stored although the clock was set back by a day after they arrived', async () => {
    await using fixture = await openAppFixture()
    using folder = openTemporaryFolder()
    const recorder = await openRecorder(fixture, folder.path)
    await recorder.record(click(fixture))
    await recorder.drain()
    fixture.advance(-86_400_000)
    await recorder.drain()
    fixture.advance(86_400_000)
    assert.equal((await listed(fixture)).length, 1)
    await recorder.close()
  })

  test('in bursts are marked, including the first; a second later the burst is over', async () => {
    await using fixture = await openAppFixture()
    using folder = openTemporaryFolder()
    const recorder = await openRecorder(fixture, folder.path)
    for (const n of [1, 2, 3]) {
      await recorder.record(click(fixture, { target: `https://acme.test/${n}`, timeMs: fixture.nowMs + n * 300 }))
      // Over several segments.
      await recorder.drain()
    }
    await recorder.record(click(fixture, { recipient: 'bob@example.org', timeMs: fixture.nowMs + 300 }))
    fixture.advance(3000)
    await recorder.record(click(fixture, { target: 'https://acme.test/4' }))
    await drain(fixture, recorder)
    const marks = (await listed(fixture)).map(({ url, machine }) => `${url?.at(-1)} ${machine}`)
    assert.deepEqual(marks.sort(), ['1 burst', '1 undefined', '2 burst', '3 burst', '4 undefined'])
  })

  test('of machines can be left out', async () => {
    await using fixture = await openAppFixture()
    using folder = openTemporaryFolder()
    const recorder = await openRecorder(fixture, folder.path, { machines: 'drop' })
    await recorder.record(click(fixture, { machine: 'head' }))
    await recorder.record(click(fixture))
    await drain(fixture, recorder)
    assert.deepEqual(
      (await listed(fixture)).map(({ machine }) => machine),
      [undefined],
    )
  })

  test('wait while storage cannot commit, and are stored once although the server ended in between', async () => {
    await using fixture = await openAppFixture()
    using folder = openTemporaryFolder()
    const { log, control } = fixture.storage
    let answer: 'refuse' | 'store and die' = 'refuse'
    const failing = withChangedLog(fixture.storage, {
      async append(batch) {
        if (answer === 'refuse') throw new AppError('storage_unavailable', 'not now')
        await log.append(batch)
        throw new AppError('storage_unavailable', 'it was stored, but who knows')
      },
    }).log
    const ingest = {
      log: failing,
      ...control,
      clock: () => fixture.nowMs,
      retentionMs: 90 * 86_400_000,
      serviceMessageIdField: 'service_message_id',
    }
    const first = await openRecorder(fixture, folder.path, { ingest })
    for (const n of [1, 2, 3]) await first.record(click(fixture, { target: `https://acme.test/${n}` }))
    await drain(fixture, first)
    assert.equal((await listed(fixture)).length, 0)
    answer = 'store and die'
    await first.drain()
    assert.equal((await listed(fixture)).length, 3)
    // All that the next process knows of the burst is what was settled.
    const second = await openRecorder(fixture, folder.path)
    await drain(fixture, second)
    assert.deepEqual(
      (await listed(fixture)).map(({ machine }) => machine),
      ['burst', 'burst', 'burst'],
    )
  })

  test('that were only in the journal when the process died are stored by the next one', async () => {
    await using fixture = await openAppFixture()
    using folder = openTemporaryFolder()
    const dead = await openRecorder(fixture, folder.path)
    await dead.record(click(fixture))
    const next = await openRecorder(fixture, folder.path)
    await next.drain()
    assert.equal((await listed(fixture)).length, 1)
  })

  test('with a damaged line do not delay others, and are quarantined', async () => {
    await using fixture = await openAppFixture()
    using folder = openTemporaryFolder()
    const journal = await openJournal(folder.path)
    await journal.append('{"kind":"cl\u0000')
    const recorder = await openRecorder(fixture, folder.path)
    await recorder.record(click(fixture))
    await recorder.close()
    assert.equal((await listed(fixture)).length, 1)
    assert.equal(await fixture.storage.control.quarantine.count(), 1)
  })

  test('of a domain that no longer exists are quarantined with the reason', async () => {
    await using fixture = await openAppFixture()
    using folder = openTemporaryFolder()
    const recorder = await openRecorder(fixture, folder.path)
    await recorder.record(click(fixture, { domain: 'gone.test' }))
    await recorder.close()
    const [rejected] = await fixture.storage.control.quarantine.list({ afterId: 0, limit: 10 })
    assert.equal(rejected?.connector, 'tracking')
    assert.match(rejected?.reason ?? '', /"gone\.test" is not a known domain/)
  })

  test('hits of a day that is set aside wait, those of other days do not wait for them, and none is lost', async () => {
    await using fixture = await openAppFixture()
    using folder = openTemporaryFolder()
    const badDay = Math.floor(fixture.nowMs / 86_400_000)
    let isSetAside = true
    let calls = 0
    const log = {
      ...fixture.storage.log,
      async append(events: readonly AttributedEvent[]) {
        calls++
        const isBad = ({ event }: AttributedEvent) => Math.floor(event.timestamp / 86_400) === badDay
        const good = events.filter((event) => !isBad(event))
        const result = await fixture.storage.log.append(isSetAside ? good : events)
        if (isSetAside && good.length < events.length) throw new DaysUnavailableError(['2026-01-15'])
        return result
      },
    }
    const recorder = await openRecorder(fixture, folder.path, {
      ingest: {
        ...fixture.storage.control,
        log,
        clock: () => fixture.nowMs,
        retentionMs: 90 * 86_400_000,
        serviceMessageIdField: 'service_message_id',
      },
    })
    for (let waiting = 0; waiting < 5; waiting++) {
      await recorder.record(click(fixture, { target: `https://acme.test/bad/${waiting}` }))
      await drain(fixture, recorder)
    }
    fixture.advance(86_400_000)
    await recorder.record(click(fixture, { target: 'https://acme.test/good' }))
    calls = 0
    await drain(fixture, recorder)
    assert.ok(calls <= 4, `${calls} calls: segments that wait are not all tried each time`)
    assert.deepEqual(
      (await listed(fixture)).map(({ url }) => url),
      ['https://acme.test/good'],
    )
    isSetAside = false
    await drain(fixture, recorder)
    assert.equal((await listed(fixture)).length, 6)
    await recorder.close()
  })
})

test('hits of an erased recipient leave the journal before they reach the log; others are stored', async () => {
  await using fixture = await openAppFixture()
  using folder = openTemporaryFolder()
  const recorder = await openRecorder(fixture, folder.path)
  await recorder.record(click(fixture, { recipient: 'Ann@Example.org' }))
  await recorder.drain()
  await recorder.record(click(fixture, { target: 'https://acme.test/2' }))
  await recorder.record(click(fixture, { recipient: 'bob@example.org' }))
  assert.equal(await recorder.erase('ann@example.ORG'), 2)
  await drain(fixture, recorder)
  fixture.advance(5000)
  await drain(fixture, recorder)
  assert.deepEqual(
    (await listed(fixture)).map((event) => (event as unknown as { recipient: string }).recipient),
    ['bob@example.org'],
  )
  await recorder.close()
})
