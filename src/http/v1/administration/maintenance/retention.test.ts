import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAppFixture } from '../../../../../test/harness/app/app-fixture.ts'
import type { AuditPage } from '../audit/audit-log.wire.ts'
import type { RetentionRunView, RetentionStatusView } from './retention.wire.ts'

const DAY_MS = 86_400_000

test('a clock that jumped is visible to the operator, waits, and can be confirmed', async () => {
  await using fixture = await openAppFixture()
  const get = async () => (await fixture.get('/v1/admin/retention', fixture.operatorKey)).json<RetentionStatusView>()
  const run = (body: object) =>
    fixture.post('/v1/admin/retention/run', fixture.operatorKey, { payload: JSON.stringify(body) })
  await fixture.ingest([fixture.event()])
  const first = (await run({})).json<RetentionRunView>()
  assert.deepEqual([first.removedDays, first.retention.phase, first.retention.explanation], [[], 'on_time', null])
  assert.equal(first.retention.lastRunAt, new Date(fixture.nowMs).toISOString())
  assert.equal(first.retention.removedBefore, new Date(fixture.nowMs - 90 * DAY_MS).toISOString())

  assert.deepEqual([first.retention.retentionDays, first.retention.clockOffsetSeconds], [90, 0])

  fixture.setClock(100 * DAY_MS)
  const jumped = await get()
  assert.equal(jumped.phase, 'waiting')
  assert.equal(jumped.believedInSeconds, 86_400)
  assert.ok(Math.abs(jumped.clockOffsetSeconds - 8_640_000) < 60)
  assert.match(jumped.explanation ?? '', /^The clock is 100 days ahead/)
  assert.match((await fixture.get('/metrics', null)).body, /^envelog_retention_phase\{phase="waiting"\} 1$/m)
  assert.deepEqual((await run({})).json<RetentionRunView>().removedDays, [])

  const confirmed = (await run({ confirmClock: true })).json<RetentionRunView>()
  assert.equal(confirmed.removedDays.length, 1)
  assert.equal((await get()).phase, 'on_time')
  const audit = await fixture.get('/v1/admin/audit?action=runRetention', fixture.operatorKey)
  assert.deepEqual(
    audit.json<AuditPage>().entries.map(({ object }) => object),
    ['clock confirmed', 'ordinary run', 'ordinary run'],
  )
})

test('a body that is not understood is refused, and nothing runs', async () => {
  await using fixture = await openAppFixture()
  const payload = JSON.stringify({ confirm: true })
  const answer = await fixture.post('/v1/admin/retention/run', fixture.operatorKey, { payload })
  assert.equal(answer.statusCode, 400)
  assert.match(answer.body, /known: confirmClock/)
  const status = (await fixture.get('/v1/admin/retention', fixture.operatorKey)).json<RetentionStatusView>()
  assert.equal(status.lastRunAt, null)
})
