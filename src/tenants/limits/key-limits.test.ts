import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { changeLimits, isAllowedFrom, isExpired, type KeyChange, NETWORKS_MAX, parseKeyChange } from './key-limits.ts'

const NOW_MS = Date.UTC(2026, 0, 15)

function refusal(change: KeyChange): string {
  try {
    parseKeyChange(change, NOW_MS)
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'invalid_request')
    return error.message
  }
  return assert.fail(`${JSON.stringify(change).slice(0, 200)} was accepted`)
}

test('a name can have any printable characters, and none that reach a terminal as commands', () => {
  assert.deepEqual(parseKeyChange({ name: 'mailer 1 “grün” 🚀' }, NOW_MS), { name: 'mailer 1 “grün” 🚀' })
  assert.deepEqual(parseKeyChange({ name: '' }, NOW_MS), { name: '' })
  assert.equal(parseKeyChange({ name: 'a'.repeat(100) }, NOW_MS).name?.length, 100)
  for (const name of [
    '\u001b[2J',
    'a\nb',
    'a\tb',
    'a\0',
    '\u009b1m',
    'a\u202eb',
    '\u200b',
    ' a',
    'a ',
    'a'.repeat(101),
  ])
    assert.match(refusal({ name }), /name of a key/)
  assert.ok(refusal({ name: 'x'.repeat(10_000_000) }).length < 200)
})

test('an end is in the future and before the year 10000', () => {
  assert.match(refusal({ expiresAtMs: NOW_MS }), /not in the future/)
  assert.match(refusal({ expiresAtMs: 0 }), /1970-01-01T00:00:00.000Z is not in the future/)
  for (const expiresAtMs of [Date.UTC(10_000, 0, 1), 8.64e15, 8.65e15, 1e30, Number.POSITIVE_INFINITY])
    assert.match(refusal({ expiresAtMs }), /9999/)
  for (const expiresAtMs of [NOW_MS + 1, Date.UTC(9999, 11, 31)])
    assert.deepEqual(parseKeyChange({ expiresAtMs }, NOW_MS), { expiresAtMs })
  assert.match(refusal({ expiresAtMs: Date.UTC(9999, 11, 31) + 1 }), /9999/)
  assert.deepEqual(parseKeyChange({ expiresAtMs: null }, NOW_MS), { expiresAtMs: null })
})

test('networks are addresses and CIDR blocks, at most fifty, each once', () => {
  const networks = ['192.0.2.7', '10.0.0.0/8', '2001:db8::/32']
  assert.deepEqual(parseKeyChange({ networks: [...networks, '10.0.0.0/8'] }, NOW_MS), { networks })
  for (const wrong of [
    '',
    'localhost',
    '10.0.0.0/33',
    '::/129',
    '10.0.0/8',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    'fe80::1%eth0',
  ])
    assert.match(refusal({ networks: [...networks, wrong] }), /is not a network/)
  assert.ok(refusal({ networks: ['\u001b'.repeat(1_000_000)] }).length < 1000)
  const many = Array.from({ length: 10_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`)
  assert.match(refusal({ networks: many }), /at most 50 networks; these are 10000/)
  assert.equal(parseKeyChange({ networks: many.slice(0, NETWORKS_MAX) }, NOW_MS).networks?.length, NETWORKS_MAX)
})

test('empty values and null remove a limit, absent ones leave it', () => {
  const limits = { name: 'a', expiresAtMs: 5, networks: ['::1'] }
  assert.deepEqual(changeLimits(limits, {}), limits)
  assert.deepEqual(changeLimits(limits, { name: '', expiresAtMs: null, networks: [] }), {})
  assert.deepEqual(changeLimits({}, limits), limits)
})

test('a key is expired from its end on, as the clock says: set back, it is valid again', () => {
  assert.equal(isExpired({}, Number.MAX_SAFE_INTEGER), false)
  assert.equal(isExpired({ expiresAtMs: NOW_MS }, NOW_MS - 1), false)
  assert.equal(isExpired({ expiresAtMs: NOW_MS }, NOW_MS), true)
  assert.equal(isExpired({ expiresAtMs: NOW_MS }, NOW_MS - 1), false)
})

test('a key with networks is allowed from them in any notation, and from nowhere else', () => {
  const key = { networks: ['192.0.2.0/24', '2001:db8::/32'] }
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8:1::1']) assert.ok(isAllowedFrom(key, address))
  for (const address of ['192.0.3.7', '::1', '127.0.0.1', '', 'unknown', undefined, '2001:db9::1', '::192.0.2.7'])
    assert.equal(isAllowedFrom(key, address), false)
  assert.ok(isAllowedFrom({}, undefined))
})

test('the networks of a key are prepared once, not with every request', () => {
  const networks = Array.from({ length: NETWORKS_MAX }, (_, index) => `10.${index}.0.0/16`)
  const processorTime = (keyOf: () => { readonly networks: readonly string[] }) => {
    const before = process.cpuUsage()
    for (let call = 0; call < 5000; call++) assert.ok(isAllowedFrom(keyOf(), '10.0.0.1'))
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const key = { networks }
  assert.ok(3 * processorTime(() => key) < processorTime(() => ({ networks })))
})
