import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventFilter, isNew, isOlder, parseVersion } from './features.ts'
import { insertSettings, readSettings } from './request-settings.ts'

const OLD = [18, 16] as const
const NEW = [24, 8] as const
/** Servers wait for each other in seconds, not in minutes. */
const PEERS = { connect_timeout_with_failover_ms: 1000, receive_timeout: 3, send_timeout: 3 }

test('a read writes nothing, may be long, and ends with its time, in whole seconds that are not less', () => {
  const settings = { ...PEERS, readonly: 2, max_query_size: 16_777_216 }
  const options = { version: OLD, timeoutMs: 2000, isStrict: false }
  assert.deepEqual(readSettings(options), { ...settings, max_execution_time: 2 })
  assert.equal(readSettings({ ...options, timeoutMs: 2001 })['max_execution_time'], 3)
  assert.equal(readSettings({ ...options, timeoutMs: 1 })['max_execution_time'], 1)
  assert.deepEqual(readSettings({ version: NEW, timeoutMs: 1000, isStrict: true }), {
    ...settings,
    max_execution_time: 1,
    select_sequential_consistency: 1,
    cancel_http_readonly_queries_on_client_close: 1,
  })
})

test('an insert waits for its quorum, three seconds at most, and the servers for each other as much longer', () => {
  const options = { version: OLD, quorum: 2, timeoutMs: 60_000, token: 't' }
  assert.deepEqual(insertSettings(options), {
    ...PEERS,
    receive_timeout: 6,
    insert_distributed_sync: 1,
    insert_quorum: 2,
    insert_quorum_timeout: 3000,
  })
  const { receive_timeout, insert_quorum_timeout } = insertSettings({ ...options, timeoutMs: 1001 })
  assert.deepEqual([receive_timeout, insert_quorum_timeout], [5, 1001])
  assert.equal(insertSettings({ ...options, timeoutMs: 1000 })['receive_timeout'], 4)
})

test('an insert into a single server needs no quorum, and new versions recognize it by its token', () => {
  assert.deepEqual(insertSettings({ version: NEW, quorum: 1, timeoutMs: 3000, token: 't' }), {
    ...PEERS,
    receive_timeout: 6,
    insert_distributed_sync: 1,
    insert_quorum_parallel: 0,
    async_insert: 0,
    insert_deduplication_token: 't',
  })
})

test('a version is new from 24.8 on', () => {
  const versions = ['18.16.1', '23.9', '24.7.1.2915', '24.8.4.13', '24.10.1', '25.1.2', '26.3']
  assert.deepEqual(
    versions.map((text) => isNew(parseVersion(text))),
    [false, false, false, true, true, true, true],
  )
  assert.deepEqual(
    versions.map((text) => eventFilter(parseVersion(text))),
    ['PREWHERE', 'PREWHERE', 'PREWHERE', 'WHERE', 'WHERE', 'WHERE', 'WHERE'],
  )
  assert.ok(!isOlder([24, 8], [24, 8]))
  assert.deepEqual(parseVersion('?'), [Number.NaN, 0])
  assert.deepEqual(parseVersion('24'), [24, 0])
})
