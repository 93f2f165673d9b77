import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { CONNECTOR_NAMES } from '../../connectors/registry.ts'
import { VERSION } from '../../lib/version.ts'
import type { Storage } from '../../storage/storage.ts'

test('health is 200 as soon as requests are served, whatever the state of storage', async () => {
  const wrapStorage = (storage: Storage): Storage => ({
    ...storage,
    health: { writable: false, queuedEvents: 7 },
  })
  await using fixture = await openAppFixture({ wrapStorage })
  const answer = await fixture.get('/healthz', null)
  assert.deepEqual([answer.statusCode, answer.json()], [200, { status: 'ok', version: VERSION }])
})

test('readiness is 200 while storage can commit, and 503 with the usual error body while it cannot', async () => {
  let writable = true
  const wrapStorage = (storage: Storage): Storage => ({
    ...storage,
    get health() {
      return { writable, queuedEvents: 0 }
    },
  })
  await using fixture = await openAppFixture({ wrapStorage })
  const ready = await fixture.get('/readyz', null)
  assert.deepEqual([ready.statusCode, ready.json()], [200, { status: 'ready', version: VERSION }])
  writable = false
  const unready = await fixture.get('/readyz', null)
  assert.deepEqual([unready.statusCode, unready.json()], [503, { error: 503, message: 'Storage cannot commit' }])
})

test('a server that shares its databases with others is ready while it reaches them, also if nothing can be stored', async () => {
  const health = { writable: true, queuedEvents: 0, unreachable: [] as string[] }
  const wrapStorage = (storage: Storage): Storage => ({ ...storage, health })
  await using fixture = await openAppFixture({ wrapStorage })
  const ask = async () => {
    const { statusCode, ...response } = await fixture.get('/readyz', null)
    return [statusCode, response.json<{ message?: string }>().message]
  }
  health.writable = false
  assert.deepEqual(await ask(), [200, undefined])
  health.unreachable.push('PostgreSQL')
  assert.deepEqual(await ask(), [503, 'PostgreSQL cannot be reached'])
  health.writable = true
  health.unreachable.push('ClickHouse')
  assert.deepEqual(await ask(), [503, 'PostgreSQL and ClickHouse cannot be reached'])
})

test('metrics count requests by route pattern, method and status, and never by path', async () => {
  await using fixture = await openAppFixture()
  await fixture.get('/webhooks/acme.test')
  await fixture.get('/webhooks/acme.test?limit=2')
  await fixture.get('/webhooks/nowhere.test')
  await fixture.get('/webhooks/acme.test', null)
  await fixture.get('/some/strange/path')
  const { body, headers } = await fixture.get('/metrics', null)
  assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/)
  for (const [labels, count] of [
    ['route="/webhooks/:domain",method="GET",status="200"', 2],
    ['route="/webhooks/:domain",method="GET",status="400"', 1],
    ['route="/webhooks/:domain",method="GET",status="401"', 1],
    ['route="(none)",method="GET",status="404"', 1],
  ] as const) {
    assert(body.includes(`envelog_http_requests_total{${labels}} ${count}\n`), labels)
  }
  assert(body.includes('envelog_http_request_duration_seconds_count{route="/webhooks/:domain"} 4\n'))
  assert.doesNotMatch(body, /acme|nowhere|strange/)
})

test('the counters of every connector exist from the start, at zero', async () => {
  await using fixture = await openAppFixture()
  const { body } = await fixture.get('/metrics', null)
  for (const connector of CONNECTOR_NAMES) {
    for (const outcome of ['stored', 'duplicate', 'rejected', 'skipped']) {
      assert(
        body.includes(`envelog_ingest_records_total{connector="${connector}",outcome="${outcome}"} 0\n`),
        connector,
      )
    }
  }
})

test('metrics show the current state of storage and the process', async () => {
  let queuedEvents = 7
  const wrapStorage = (storage: Storage): Storage => ({
    ...storage,
    get health() {
      return { writable: false, queuedEvents, reads: { running: 2, waiting: 5, waitedMs: 1500 } }
    },
    capabilities: {
      days: { count: 3, list: async () => [] },
      troubles: { list: () => [], follow: () => undefined, takenBack: 2, accept: async () => undefined },
    },
  })
  await using fixture = await openAppFixture({ wrapStorage })
  const first = (await fixture.get('/metrics', null)).body
  assert.match(first, /envelog_storage_writable 0\n/)
  assert.match(first, /envelog_storage_queued_events 7\n/)
  assert.match(first, /envelog_storage_day_files 3\n/)
  assert.match(first, /envelog_storage_day_files_taken_back_total 2\n/)
  assert.match(first, /envelog_reads_running 2\n/)
  assert.match(first, /envelog_reads_waiting 5\n/)
  assert.match(first, /process_resident_memory_bytes \d/)
  queuedEvents = 8
  const second = (await fixture.get('/metrics', null)).body
  assert.match(second, /envelog_storage_queued_events 8\n/)
  assert.match(second, /envelog_reads_waited_seconds_total 1.5\n/)
})

test('metrics count removals that are not finished', async () => {
  await using fixture = await openAppFixture()
  const { removals } = fixture.storage.control
  const add = (id: string) =>
    removals.addRecipient('a@b.test', 'digest', { id, requestedBy: 'local', requestedAtMs: 1 })
  for (const id of ['one', 'two', 'three']) await add(id)
  await removals.finish('two', 2)
  assert.match((await fixture.get('/metrics', null)).body, /envelog_removals_unfinished 2\n/)
})

test('two apps in one process have separate counters', async () => {
  await using one = await openAppFixture()
  await using other = await openAppFixture()
  await one.get('/healthz', null)
  assert.doesNotMatch((await other.get('/metrics', null)).body, /route="\/healthz"/)
})
