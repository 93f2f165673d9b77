import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addCheck, type CheckResult, HISTORY_MAX, type PastChecks, toCheckResult } from './check-history.ts'

const right: CheckResult = { outcome: 'all_right', wrong: [] }
const wrong: CheckResult = { outcome: 'record_wrong', wrong: ['DKIM'] }

test('checks in a row with the same result are one entry; a different one begins another', () => {
  const results = [wrong, wrong, right, right, right, wrong, { ...wrong, wrong: ['DKIM', 'SPF'] as const }]
  const history = results.reduce<readonly PastChecks[]>((past, result, at) => addCheck(past, result, at), [])
  assert.deepEqual(history, [
    { outcome: 'record_wrong', wrong: ['DKIM', 'SPF'], firstAtMs: 6, lastAtMs: 6, checks: 1 },
    { outcome: 'record_wrong', wrong: ['DKIM'], firstAtMs: 5, lastAtMs: 5, checks: 1 },
    { outcome: 'all_right', wrong: [], firstAtMs: 2, lastAtMs: 4, checks: 3 },
    { outcome: 'record_wrong', wrong: ['DKIM'], firstAtMs: 0, lastAtMs: 1, checks: 2 },
  ])
})

test('the oldest entries are dropped', () => {
  let history: readonly PastChecks[] = []
  for (let at = 0; at < HISTORY_MAX * 3; at++) history = addCheck(history, at % 2 === 0 ? wrong : right, at)
  assert.equal(history.length, HISTORY_MAX)
  assert.equal(history[0]?.firstAtMs, HISTORY_MAX * 3 - 1)
})

test('a result names each purpose that has a wrong record once', () => {
  const record = (purpose: 'DKIM' | 'SPF' | 'MX', status: 'valid' | 'invalid' | 'unknown') =>
    ({ type: 'TXT', name: '', value: '', purpose, required: true, status, actual: [] }) as const
  const records = [
    record('DKIM', 'invalid'),
    record('DKIM', 'invalid'),
    record('SPF', 'valid'),
    record('MX', 'unknown'),
  ]
  assert.deepEqual(toCheckResult('record_wrong', records), { outcome: 'record_wrong', wrong: ['DKIM'] })
})
