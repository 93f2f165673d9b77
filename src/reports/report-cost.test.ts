/** The processor time of hostile mail in the whole intake, relative to an ordinary mail of the same size. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleDomain } from '../../test/harness/app/sample-domain.ts'
import { writeComplaint, writeDeliveryReport } from '../../test/harness/mail/written-report.ts'
import { openTestStorage } from '../../test/harness/storage/sqlite-storage.ts'
import { createKnowledge } from '../classification/knowledge.ts'
import { readReport } from '../connectors/report/read-report.ts'
import { createSigner } from '../lib/sealing/signer.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { createReferences } from './reference.ts'
import { createReportIntake, REPORT_BYTES_MAX, type ReportIntake } from './report-intake.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)
const ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const SOURCE = { kind: 'smtp', name: '192.0.2.1' } as const
/** Without bounds it was 5 seconds, or thousands of times an ordinary mail. */
const RATIO_MAX = 60

async function openIntake() {
  const clock = () => NOW_MS
  const storage = await openTestStorage(clock)
  const tenant = await createTenant({ keys: storage.control.keys, clock }, 'Acme')
  await storage.control.domains.create(sampleDomain(tenant.id, 'acme.test', { isApproved: true, isVerified: true }))
  const intake = createReportIntake({
    ...storage.control,
    log: storage.log,
    clock,
    retentionMs: 90 * 86_400_000,
    serviceMessageIdField: 'service_message_id',
    references: createReferences(createSigner(Buffer.alloc(32, 7), 'report reference')),
    allowsUnsigned: true,
    knowledge: createKnowledge(),
    readReport,
  })
  return { ...intake, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() }
}

/** Microseconds of processor time, the least of several times. */
async function costOf({ examine }: Pick<ReportIntake, 'examine'>, message: Uint8Array): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage()
    for (let times = 0; times < 3; times++) await examine(message, SOURCE)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 3)
  }
  return least
}

const forged = (count: number) =>
  Array.from({ length: count }, (_, n) => `l${ID}${n}-${'0'.repeat(20)}@bounces.acme.test`).join('>, <')

function complaint(recipients: number): Uint8Array {
  const addresses = (field: number) => Array.from({ length: 100 }, (_, n) => `${field}${n}@b.c`).join(',')
  const fields = Array.from({ length: recipients / 100 }, (_, field) => `Original-Rcpt-To: ${addresses(field)}`)
  return writeComplaint({ to: forged(10), fields, timeMs: NOW_MS })
}

function bounce(recipients: number): Uint8Array {
  const outcomes = Array.from({ length: recipients }, (_, n) => ({ recipient: `r${n}@example.org` }))
  return writeDeliveryReport({ to: forged(10), outcomes, timeMs: NOW_MS })
}

const words = 'These are the words of a letter that came back.\r\n'
const ordinary = Buffer.concat([
  writeDeliveryReport({ to: forged(1), outcomes: [{ recipient: 'bob@example.org' }], timeMs: NOW_MS }),
  Buffer.from(words.repeat(REPORT_BYTES_MAX / words.length)),
]).subarray(0, REPORT_BYTES_MAX)

test('forged references with any number of recipients cost a small multiple of an ordinary mail', async (context) => {
  await using intake = await openIntake()
  const yardstick = await costOf(intake, ordinary)
  for (const [name, write, size] of [
    ['complaint', complaint, 20_000],
    ['bounce', bounce, 100],
  ] as const) {
    const half = await costOf(intake, write(size))
    const whole = await costOf(intake, write(2 * size))
    context.diagnostic(`${name}: ${half} µs, ${whole} µs; ordinary: ${yardstick} µs`)
    assert.ok(whole <= RATIO_MAX * yardstick, `${name}: ${whole} µs, an ordinary mail ${yardstick} µs`)
    assert.ok(whole <= 3 * Math.max(half, yardstick), `${name}: ${whole} µs, half of it ${half} µs`)
  }
})
