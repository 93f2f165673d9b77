import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { createMetrics } from './metrics.ts'

test('metrics of the process are measured once, however many servers it has had, and each of them shows them', async (t) => {
  await using fixture = await openAppFixture()
  const timers = t.mock.method(globalThis, 'setInterval')
  const texts = await Promise.all([1, 2].map(async () => (await createMetrics(fixture.storage).render()).text))
  assert.equal(timers.mock.callCount(), 0)
  for (const text of texts) {
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds', 'envelog_http_requests_total'])
      assert.equal(text.split(`# TYPE ${name} `).length, 2, name)
  }
})
