import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { pino } from 'pino'
import { openCheckedDomains } from '../../test/harness/app/checked-domains.ts'
import { createToldDns } from '../../test/harness/app/told-dns.ts'
import { openTestStorage } from '../../test/harness/storage/sqlite-storage.ts'
import type { NewAuditEntry } from '../audit/audit-entry.ts'
import { AuditTrail } from '../audit/audit-trail.ts'
import { VerificationRunner } from '../domains/verification/verification-runner.ts'
import { LOCAL } from '../events/ingest/quarantine-room.ts'
import { createMemorySharedState } from '../storage/memory/memory-shared-state.ts'
import { createMemoryState } from '../storage/memory/memory-state.ts'
import { openMemoryStorage } from '../storage/memory/open-memory-storage.ts'
import { createKey } from '../tenants/create-key.ts'
import { KeyUses } from '../tenants/key-uses.ts'
import { openRetention } from './open-retention.ts'
import { type ScheduleDeps, startSchedule } from './schedule.ts'

const DAY_MS = 86_400_000
const NOW_MS = Date.UTC(2026, 4, 20, 12)
const clock = () => NOW_MS
const PERIODS = { retentionMs: 10 * DAY_MS, auditRetentionMs: 20 * DAY_MS }
const silent = pino({ level: 'silent' })
const noKeyUses = { flush: async () => undefined }
const noAudit = { flush: async () => undefined }
const noHits = { drain: async () => undefined }
const NOTHING_REMOVED = { days: [], rejected: 0, auditEntries: 0 }
const ON_TIME = { phase: 'on_time', clockMs: 0, timeMs: 0, offMs: 0, believedInMs: 0 } as const
const noRetention = {
  earliestMs: NOW_MS,
  refresh: async () => undefined,
  run: async () => ({ ...NOTHING_REMOVED, status: { ...ON_TIME, completedAtMs: 0, cutoffMs: 0 } }),
}
const IDLE = { keyUses: noKeyUses, audit: noAudit, hits: noHits, retention: noRetention }

type Given = Pick<ScheduleDeps, 'storage' | 'keyUses' | 'logger'> & Partial<Pick<ScheduleDeps, 'audit' | 'retention'>>

/** With the checks of a storage that has no domains. */
function start(deps: Given) {
  const { domains } = deps.storage.control
  const verifications = new VerificationRunner({ domains, dns: createToldDns(() => undefined), clock })
  return startSchedule({ ...IDLE, verifications, clock, ...deps })
}

function eventAt(timeMs: number) {
  const event = {
    id: 'm1',
    timestamp: timeMs / 1000,
    type: 'Reception',
    domain_name: 'a.example',
    recipient: 'x@b.example',
  } as const
  return { domainNumber: 1, event }
}

test('at start, days and rejected records older than the retention are removed; newer ones are kept', async () => {
  await using storage = await openTestStorage(clock)
  await storage.log.append([eventAt(NOW_MS - 12 * DAY_MS), eventAt(NOW_MS - 2 * DAY_MS)])
  const record = (text: string) => [
    { payload: Buffer.from(text), connector: 'native', source: LOCAL, reason: 'is not valid JSON' },
  ]
  await storage.control.quarantine.add(record('old'), NOW_MS - 12 * DAY_MS)
  await storage.control.quarantine.add(record('young'), NOW_MS - 2 * DAY_MS)

  const retention = await openRetention(storage, PERIODS, clock)
  const schedule = start({ storage, keyUses: noKeyUses, logger: silent, retention })
  await schedule.stop()

  const query = { domains: [{ number: 1, name: 'a.example' }], messageId: 'm1', limit: 10, budgetMs: 1000 }
  assert.equal((await storage.log.listMessage(query)).events.length, 1)
  const rest = await storage.control.quarantine.list({ afterId: 0, limit: 10 })
  assert.deepEqual(
    rest.map(({ payload }) => Buffer.from(payload).toString()),
    ['young'],
  )
})

test('at start, audit entries older than their own retention are removed in steps; sums are written every half minute', async (t) => {
  await using storage = await openTestStorage(clock)
  const store = storage.control.audit
  const entry = (timeMs: number): NewAuditEntry => ({
    kind: 'administration',
    timeMs,
    lastTimeMs: timeMs,
    count: 1,
    actor: { type: 'local' },
    action: 'backUp',
    outcome: 'success',
    status: 200,
    requestId: 'r',
  })
  await store.add(Array.from({ length: 2500 }, () => entry(NOW_MS - 21 * DAY_MS)))
  await store.add([entry(NOW_MS - 19 * DAY_MS)])
  const audit = new AuditTrail({ store, keys: storage.control.keys, clock, onLost: assert.fail })
  t.mock.timers.enable({ apis: ['setInterval'] })
  const retention = await openRetention(storage, PERIODS, clock)
  const schedule = start({ storage, keyUses: noKeyUses, audit, logger: silent, retention })
  audit.count({ ...entry(0), kind: 'denied' })
  t.mock.timers.tick(30_000)
  await schedule.stop()
  const { entries } = await store.list({ filters: {}, limit: 10 })
  assert.deepEqual(
    entries.map(({ kind, timeMs }) => [kind, timeMs]),
    [
      ['denied', NOW_MS],
      ['administration', NOW_MS - 19 * DAY_MS],
    ],
  )
})

test('a clock that jumped while the server was stopped removes nothing, and a warning says why', async () => {
  await using storage = await openTestStorage(clock)
  await storage.log.append([eventAt(NOW_MS - 2 * DAY_MS)])
  await (await openRetention(storage, PERIODS, clock)).run()
  const ahead = await openRetention(storage, PERIODS, () => NOW_MS + 100 * DAY_MS)
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  await start({ storage, keyUses: noKeyUses, logger, retention: ahead }).stop()
  assert.equal(lines.length, 1)
  assert.match(lines.join(), /100 days ahead/)
  assert.equal(storage.capabilities.days?.count, 1)
})

test('of several servers one runs retention, and the others learn what it did; after a failure another one may', async () => {
  const state = createMemoryState()
  let isFailing = true
  let runs = 0
  const openServer = async () => {
    const storage = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id', state, isShared: true })
    const retention = await openRetention(storage, PERIODS, clock)
    const counted = {
      earliestMs: NOW_MS,
      refresh: () => retention.refresh(),
      run() {
        runs++
        return isFailing ? Promise.reject(new Error('no')) : retention.run()
      },
    }
    return { storage, retention, counted }
  }
  const servers = await Promise.all([openServer(), openServer(), openServer()])
  const startAll = async () => {
    for (const { storage, counted } of servers) {
      await start({ storage, keyUses: noKeyUses, logger: silent, retention: counted }).stop()
    }
  }
  await startAll()
  assert.equal(runs, 3)
  isFailing = false
  await startAll()
  assert.equal(runs, 4)
  assert.deepEqual(
    servers.map(({ retention }) => retention.status.completedAtMs),
    [NOW_MS, NOW_MS, NOW_MS],
  )
})

test('once an hour, counts of days that are over are summed up where the engine wants it, until the server stops', async (t) => {
  const memory = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id', isShared: true })
  const runs: { nowMs: number; signal: AbortSignal }[] = []
  const closing = { run: async (nowMs: number, signal: AbortSignal) => void runs.push({ nowMs, signal }) }
  const storage = { ...memory, capabilities: { ...memory.capabilities, closing } }
  t.mock.timers.enable({ apis: ['setInterval'] })
  const schedule = start({ storage, keyUses: noKeyUses, logger: silent })
  t.mock.timers.tick(3_599_000)
  assert.equal(runs.length, 0)
  t.mock.timers.tick(1000)
  assert.deepEqual(
    runs.map(({ nowMs, signal }) => [nowMs, signal.aborted]),
    [[NOW_MS, false]],
  )
  await schedule.stop()
  assert.equal(runs[0]?.signal.aborted, true)
})

test('the last uses of keys are saved every half minute', async (t) => {
  await using storage = await openTestStorage(clock)
  const keyUses = new KeyUses(storage.control.keys)
  const { id } = await createKey({ keys: storage.control.keys, clock }, 'operator', ['ingest'])
  t.mock.timers.enable({ apis: ['setInterval'] })
  const schedule = start({ storage, keyUses, logger: silent })

  keyUses.record(id, NOW_MS)
  t.mock.timers.tick(30_000)
  await schedule.stop()
  assert.equal((await storage.control.keys.findKey(id))?.lastUsedAtMs, NOW_MS)
})

test('a task that fails is logged and retried; a task that is still running is not started again', async (t) => {
  const { lines, logger } = collectLines()
  await using storage = await openTestStorage(clock)
  const first = Promise.withResolvers<undefined>()
  let runs = 0
  const keyUses = { flush: () => (++runs === 1 ? first.promise : Promise.resolve()) }
  t.mock.timers.enable({ apis: ['setInterval'] })
  const schedule = start({ storage, keyUses, logger })

  t.mock.timers.tick(30_000)
  t.mock.timers.tick(30_000)
  assert.equal(runs, 1)
  first.reject(new Error('disk full'))
  await new Promise(setImmediate)
  t.mock.timers.tick(30_000)
  assert.equal(runs, 2)
  await schedule.stop()
  assert.equal(lines.length, 1)
  assert.match(lines.join(), /disk full.*write key uses.*retried automatically/)

  t.mock.timers.tick(90_000)
  assert.equal(runs, 2)
})

test('due domains are checked every few seconds, never in two rounds at once', async (t) => {
  await using domains = await openCheckedDomains()
  const { storage, dns } = domains
  const verifications = new VerificationRunner({ domains: storage.control.domains, dns, clock: domains.clock })
  const domain = await domains.add('example.com', { recheck: { atMs: domains.clock(), step: 0 } })
  domains.publish(domain)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const schedule = startSchedule({ ...IDLE, storage, verifications, clock: domains.clock, logger: silent })
  assert.equal(dns.sessions, 0)
  t.mock.timers.tick(5000)
  t.mock.timers.tick(5000)
  while (!(await domains.find(domain.id)).isVerified) await new Promise(setImmediate)
  await schedule.stop()
  assert.equal(dns.sessions, 1)
  t.mock.timers.tick(60_000)
  assert.equal(dns.sessions, 1)
})

test('a server whose clock differs from the one of the database leaves domain checks to others, and says so once', async (t) => {
  const { lines, logger } = collectLines()
  await using domains = await openCheckedDomains()
  const { dns, clock: databaseClock } = domains
  const { control, log, capabilities } = domains.storage
  const shared = createMemorySharedState(createMemoryState(), databaseClock)
  let offMs = 0
  const ownClock = () => databaseClock() + offMs
  const verifications = new VerificationRunner({ domains: control.domains, dns, clock: ownClock })
  const domain = await domains.add('example.com', { recheck: { atMs: databaseClock(), step: 0 } })
  t.mock.timers.enable({ apis: ['setInterval'] })
  const storage = { control, log, capabilities, shared }
  const schedule = startSchedule({ ...IDLE, storage, verifications, clock: ownClock, logger })
  for (const days of [-3, 3]) {
    offMs = days * DAY_MS
    t.mock.timers.tick(5000)
    // Longer than the round takes.
    for (let turn = 0; turn < 1000; turn++) await new Promise(setImmediate)
  }
  assert.deepEqual(await domains.find(domain.id), domain)
  const reports = lines.filter((line) => line.includes('"domain checks"'))
  assert.equal(reports.length, 1)
  assert.match(reports.join(), /clocks of this server \(.*\) and of PostgreSQL \(.*\) differ/)
  offMs = 60_000
  t.mock.timers.tick(5000)
  while ((await domains.find(domain.id)).lastVerificationCheckedAtMs === undefined) await new Promise(setImmediate)
  await schedule.stop()
  assert.equal(dns.sessions, 1)
})

test('stopping does not wait for DNS: a running check is aborted and stays due', async (t) => {
  const asked = Promise.withResolvers<void>()
  await using domains = await openCheckedDomains(() => async (_name, signal) => {
    asked.resolve()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { kind: 'unreachable', reason: 'cancelled' }
  })
  const { storage, dns, clock: domainClock } = domains
  const verifications = new VerificationRunner({ domains: storage.control.domains, dns, clock: domainClock })
  const domain = await domains.add('example.com', { recheck: { atMs: domainClock(), step: 0 } })
  t.mock.timers.enable({ apis: ['setInterval'] })
  const schedule = startSchedule({ ...IDLE, storage, verifications, clock: domainClock, logger: silent })
  t.mock.timers.tick(5000)
  await asked.promise
  await schedule.stop()
  assert.deepEqual(await domains.find(domain.id), domain)
  assert.deepEqual(await storage.control.domains.claimDue(domainClock(), 10, 1), [domain.id])
})

test('a check that fails with an error is logged and postponed', async (t) => {
  const { lines, logger } = collectLines()
  await using domains = await openCheckedDomains()
  const { storage, clock: domainClock } = domains
  const domain = await domains.add('example.com', { recheck: { atMs: domainClock(), step: 0 } })
  const verifications = { recheck: () => Promise.reject(new TypeError('x is undefined')), close: async () => undefined }
  t.mock.timers.enable({ apis: ['setInterval'] })
  const schedule = startSchedule({ ...IDLE, storage, verifications, clock: domainClock, logger })
  t.mock.timers.tick(5000)
  while ((await domains.find(domain.id)).recheck?.step === 0) await new Promise(setImmediate)
  await schedule.stop()
  assert.match(lines.join(), new RegExp(`x is undefined.*${domain.id}.*failed unexpectedly`))
})

/** What is logged, line by line. */
function collectLines() {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  return { lines, logger: pino(sink) }
}
