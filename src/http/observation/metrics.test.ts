import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import type { CheckedDomain } from '../../domains/verification/verify-domain.ts'
import { createMetrics, type Metrics } from './metrics.ts'

/** The samples of all counters, and of what is measured in seconds. */
async function readSamples(metrics: Metrics): Promise<ReadonlyMap<string, number>> {
  const { text } = await metrics.render()
  const lines = text
    .split('\n')
    .filter((line) => /^envelog_(?:[a-z_]+_total|[a-z]+_(?:request_)?duration_|streams)/.test(line))
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

async function open() {
  const { storage } = await openMemoryScene()
  let commit = (_durationMs: number): void => assert.fail()
  const observation = {
    onCommit(listener: typeof commit) {
      commit = listener
    },
    disk: async () => ({ freeBytes: 1, sizeBytes: 1, walBytes: 1 }),
  }
  const metrics = createMetrics({ ...storage, observation })
  return { metrics, commit }
}

test('counters whose labels are known begin with zero, so that the first event is an increase', async () => {
  const { metrics } = await open()
  const samples = await readSamples(metrics)
  assert.deepEqual(
    [...samples].filter(([, value]) => value !== 0),
    [],
  )
  for (const sample of [
    'envelog_ingest_records_total{connector="kumomta",outcome="stored"}',
    'envelog_ingest_records_total{connector="report",outcome="skipped"}',
    'envelog_http_connections_closed_total{reason="stalled"}',
    'envelog_domain_checks_total{trigger="asked",outcome="all_right"}',
    'envelog_tracking_hits_total{kind="click",outcome="lost"}',
    'envelog_reports_total{kind="reply",outcome="ignored"}',
    'envelog_key_refusals_total{reason="expired"}',
    'envelog_audit_lost_total',
    'envelog_domains_broken_total',
    'envelog_streams_open',
  ])
    assert.ok(samples.has(sample), sample)
})

test('everything is counted once, under its labels; durations are in seconds', async () => {
  const { metrics, commit } = await open()
  const before = { isActive: true, isApproved: true, isVerified: true }
  const check = (after: object) =>
    ({ trigger: 'scheduled', findings: { outcome: 'record_wrong' }, before, after }) as unknown as CheckedDomain
  metrics.observeRequest({ route: '/x', method: 'GET', status: 200, durationMs: 2000 })
  metrics.countRefusedConnection(431)
  metrics.countClosedConnection('idle')
  metrics.countIngest('kumomta', { stored: 2, duplicates: 3, rejected: [{ index: 0, error: '' }], skipped: 5 })
  metrics.countIngest('kumomta', { stored: 2, duplicates: 0, rejected: [] })
  metrics.countReport({ kind: 'delivery', outcome: 'tied' })
  metrics.countCheck(check({ ...before, failingSinceMs: 1 }))
  metrics.countCheck(check(before))
  metrics.countHit('open', 'machine')
  metrics.countLostAudit()
  metrics.countKeyRefusal('revoked')
  metrics.countStreams(1)
  metrics.countStreams(1)
  metrics.countStreams(-1)
  commit(3000)
  const samples = await readSamples(metrics)
  const counted = [...samples].filter(([name, value]) => value !== 0 && !name.includes('_bucket'))
  assert.deepEqual(Object.fromEntries(counted), {
    'envelog_http_requests_total{route="/x",method="GET",status="200"}': 1,
    'envelog_http_requests_total{route="(malformed)",method="(none)",status="431"}': 1,
    'envelog_http_request_duration_seconds_sum{route="/x"}': 2,
    'envelog_http_request_duration_seconds_count{route="/x"}': 1,
    'envelog_http_connections_closed_total{reason="idle"}': 1,
    'envelog_ingest_records_total{connector="kumomta",outcome="stored"}': 4,
    'envelog_ingest_records_total{connector="kumomta",outcome="duplicate"}': 3,
    'envelog_ingest_records_total{connector="kumomta",outcome="rejected"}': 1,
    'envelog_ingest_records_total{connector="kumomta",outcome="skipped"}': 5,
    'envelog_reports_total{kind="delivery",outcome="tied"}': 1,
    'envelog_domain_checks_total{trigger="scheduled",outcome="record_wrong"}': 2,
    envelog_domains_broken_total: 1,
    'envelog_tracking_hits_total{kind="open",outcome="machine"}': 1,
    envelog_audit_lost_total: 1,
    'envelog_key_refusals_total{reason="revoked"}': 1,
    envelog_streams_open: 1,
    envelog_commit_duration_seconds_sum: 3,
    envelog_commit_duration_seconds_count: 1,
  })
  assert.equal(metrics.ingestMinutes.list().at(-1)?.stored, 4)
  // Rules for alerts and dashboards refer to them.
  const buckets = [...samples.keys()].filter((name) => name.startsWith('envelog_commit_duration_seconds_bucket'))
  assert.deepEqual(
    buckets.map((name) => /le="([^"]+)"/.exec(name)?.[1]),
    ['0.001', '0.0025', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '30', '+Inf'],
  )
})

test('a label of the build says which version runs', async () => {
  const { metrics } = await open()
  const { text, contentType } = await metrics.render()
  assert.match(text, /^envelog_build_info\{version="[^"]+",node="[^"]+"\} 1$/m)
  assert.match(contentType, /^text\/plain/)
})
