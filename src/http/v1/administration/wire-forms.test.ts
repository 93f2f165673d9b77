/** How the administration shows what is stored. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '../../../audit/audit-entry.ts'
import type { QuarantinedRecord } from '../../../events/ingest/quarantine-store.ts'
import { NOTHING_REMOVED, type Removal } from '../../../events/removal/removal.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { ApiKeyRecord } from '../../../tenants/key-store.ts'
import { toWireEntry } from './audit/audit-log.wire.ts'
import { toKeyChange } from './key-limits-body.ts'
import { toWireKey } from './keys.wire.ts'
import { Jobs } from './maintenance/jobs.ts'
import { unwritable } from './maintenance/unwritable.ts'
import { toWireRecord } from './quarantine.wire.ts'
import { toWireRemoval } from './removal/removals.wire.ts'
import { toWireTenant } from './tenants.wire.ts'

const DAY_MS = 86_400_000
const [FIRST_DAY, SECOND_DAY] = ['1970-01-02T00:00:00.000Z', '1970-01-03T00:00:00.000Z']

test('a removal is running, finished, or incomplete if something could not be examined', () => {
  const removal: Removal = {
    id: 'r1',
    kind: 'domain',
    object: 'a.test',
    domainNumbers: [1],
    requestedBy: 'key',
    requestedAtMs: DAY_MS,
    stage: 'events',
    result: { ...NOTHING_REMOVED, events: 3, units: ['2026-01-01', '2026-01-02'], quarantined: 4, hits: 5 },
  }
  const { backups, ...running } = toWireRemoval(removal)
  assert.deepEqual(running, {
    id: 'r1',
    kind: 'domain',
    object: 'a.test',
    state: 'running',
    requestedBy: 'key',
    requestedAt: FIRST_DAY,
    finishedAt: null,
    events: 3,
    dayCount: 2,
    quarantined: 4,
    hits: 5,
    days: ['2026-01-01', '2026-01-02'],
    deletedFiles: [],
    problems: [],
  })
  assert.match(backups, /before this is finished may still contain it/)
  const finished = toWireRemoval({ ...removal, finishedAtMs: 2 * DAY_MS })
  assert.deepEqual([finished.state, finished.finishedAt], ['finished', SECOND_DAY])
  assert.match(finished.backups, new RegExp(`made before ${SECOND_DAY} still contain it`))
  const problems = [{ unit: '2026-01-01', problem: 'damaged' }]
  const incomplete = toWireRemoval({ ...removal, finishedAtMs: DAY_MS, result: { ...removal.result, problems } })
  assert.deepEqual([incomplete.state, incomplete.problems], ['incomplete', [{ day: '2026-01-01', problem: 'damaged' }]])
})

test('a key is shown without its hash; what it lacks is null or empty', () => {
  const bare: ApiKeyRecord = { id: 'k1', secretHash: new Uint8Array(32), scopes: ['read'], createdAtMs: DAY_MS }
  const shown = {
    id: 'k1',
    name: null,
    tenant: null,
    scopes: ['read'],
    networks: [],
    createdAt: FIRST_DAY,
    expiresAt: null,
    lastUsedAt: null,
    revokedAt: null,
  }
  assert.deepEqual(toWireKey(bare), shown)
  const tenant = { id: 't1', clientId: 'c1', name: 'acme', createdAtMs: 0 }
  const times = { expiresAtMs: DAY_MS, lastUsedAtMs: 2 * DAY_MS, revokedAtMs: DAY_MS }
  assert.deepEqual(toWireKey({ ...bare, ...times, name: 'mail', tenant, networks: ['192.0.2.0/24'] }), {
    ...shown,
    name: 'mail',
    tenant: { id: 't1', name: 'acme' },
    networks: ['192.0.2.0/24'],
    expiresAt: FIRST_DAY,
    lastUsedAt: SECOND_DAY,
    revokedAt: FIRST_DAY,
  })
})

test('a tenant is shown with the time of its suspension, if it is suspended', () => {
  const tenant = { id: 't1', clientId: 'c1', name: 'acme', createdAtMs: DAY_MS, quotas: { keys: 5 } }
  const shown = {
    id: 't1',
    clientId: 'c1',
    name: 'acme',
    createdAt: FIRST_DAY,
    quotas: { domains: null, keys: 5, eventsPerDay: null },
    suspendedAt: null,
    retentionDays: null,
  }
  assert.deepEqual(toWireTenant(tenant), shown)
  assert.deepEqual(toWireTenant({ ...tenant, suspendedAtMs: 2 * DAY_MS, retentionDays: 7 }), {
    ...shown,
    suspendedAt: SECOND_DAY,
    retentionDays: 7,
  })
})

test('a quarantined record is cut above 16 KiB unless it is asked for as a whole, and names its tenant', () => {
  const names = new Map([['t1', 'acme']])
  const record = (bytes: string, tenantId?: string): QuarantinedRecord => ({
    id: 7,
    rejectedAtMs: DAY_MS,
    times: 2,
    connector: 'native',
    source: { kind: 'key', name: 'k1' },
    reason: 'no such domain',
    payload: Buffer.from(bytes),
    ...(tenantId !== undefined && { tenantId }),
  })
  assert.deepEqual(toWireRecord(record('{}'), names, false), {
    id: 7,
    rejectedAt: FIRST_DAY,
    times: 2,
    connector: 'native',
    source: 'key k1',
    reason: 'no such domain',
    tenant: null,
    payload: '{}',
    isCut: false,
  })
  assert.equal(toWireRecord(record('', 't1'), names, false).tenant, 'acme')
  assert.equal(toWireRecord(record('', 'removed'), names, false).tenant, '')
  for (const [length, isWhole, shown, isCut] of [
    [16_384, false, 16_384, false],
    [16_385, false, 16_384, true],
    [16_385, true, 16_385, false],
  ] as const) {
    const { payload, isCut: wasCut } = toWireRecord(record('x'.repeat(length)), names, isWhole)
    assert.deepEqual([payload.length, wasCut], [shown, isCut])
  }
  // The mark at the start of a text is a part of the whole.
  assert.equal(toWireRecord(record('\ufeffa'), names, true).payload, '\ufeffa')
  assert.equal(toWireRecord(record('\ufeffa'), names, false).payload, 'a')
})

test('an entry of the audit log has null for what is not known', () => {
  const entry: AuditEntry = {
    id: 1,
    timeMs: DAY_MS,
    lastTimeMs: 2 * DAY_MS,
    count: 3,
    kind: 'denied',
    actor: { type: 'unknown' },
    action: 'signIn',
    outcome: 'refused',
    status: 401,
    requestId: 'r',
  }
  const { actor, object, time, lastTime } = toWireEntry(entry)
  assert.deepEqual(actor, { type: 'unknown', id: null, name: null, address: null })
  assert.deepEqual([object, time, lastTime], [null, FIRST_DAY, SECOND_DAY])
  const known = { type: 'operator', id: 'k', name: 'mail', address: '::1' } as const
  const named = toWireEntry({ ...entry, actor: known, object: 'o' })
  assert.deepEqual([named.actor, named.object], [known, 'o'])
})

test('when a key expires is a duration from now, a time, or never', () => {
  assert.deepEqual(toKeyChange({}, DAY_MS), {})
  assert.deepEqual(toKeyChange({ name: 'a', networks: [] }, DAY_MS), { name: 'a', networks: [] })
  assert.deepEqual(toKeyChange({ expires: null }, DAY_MS), { expiresAtMs: null })
  assert.deepEqual(toKeyChange({ expires: '1d' }, DAY_MS), { expiresAtMs: 2 * DAY_MS })
  assert.deepEqual(toKeyChange({ expires: '1970-01-03T00:00:00Z' }, DAY_MS), { expiresAtMs: 2 * DAY_MS })
  assert.throws(() => toKeyChange({ expires: 'soon' }, DAY_MS), /"soon" is not a duration or a time/)
})

test('a job waits for itself and for those that it excludes, and no longer when they are done', () => {
  const jobs = new Jobs()
  const backup = jobs.begin('backup', 'repair')
  for (const [asked, ...others] of [['backup'], ['recount', 'backup']] as const)
    assert.throws(() => jobs.begin(asked, ...others), { code: 'conflict', message: /^A backup is already running/ })
  jobs.begin('recount')[Symbol.dispose]()
  backup[Symbol.dispose]()
  jobs.begin('backup')
})

test('only an error of the system is a file that cannot be written', () => {
  const error = Object.assign(new Error('no space'), { syscall: 'write' })
  const refusal = unwritable('backup', error)
  assert.ok(refusal instanceof AppError && refusal.code === 'storage_unavailable' && refusal.cause === error)
  assert.equal(refusal.message, 'The backup cannot be written: no space')
  for (const other of [new Error('no space'), { syscall: 'write' }, undefined])
    assert.equal(unwritable('backup', other), undefined)
})
