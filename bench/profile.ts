/**
 * node bench/profile.ts [--events N]: where the time goes, without a server and without the peer: the cost of an event on its
 * way in, by step and statement, and of each kind of question to the store.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { native } from '../src/connectors/native/native.ts'
import type { EmailEvent } from '../src/events/event.ts'
import { parseEvent } from '../src/events/ingest/parse-event.ts'
import { splitRecords } from '../src/events/ingest/split-records.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createSeededRandom } from '../src/lib/seeded-random.ts'
import { openControlDatabase } from '../src/storage/sqlite/control/control-database.ts'
import { openDataFolder } from '../src/storage/sqlite/manifest/check-days.ts'
import { openSqliteStorage } from '../src/storage/sqlite/open-sqlite-storage.ts'
import { LogReads } from '../src/storage/sqlite/read-pool/log-reads.ts'
import { unpackCounts } from '../src/storage/sqlite/read-pool/packed-counts.ts'
import { SEARCH_THRESHOLDS } from '../src/storage/sqlite/reading/day-plan.ts'
import { DayWriters } from '../src/storage/sqlite/writing/day-writers.ts'
import { type EventRow, toEventRow } from '../src/storage/sqlite/writing/event-row.ts'
import { RowPack, unpackRows } from '../src/storage/sqlite/writing/packed-rows.ts'
import { type DirectLog, openDirectLog } from './envelog/direct-log.ts'
import { StatementTimes } from './envelog/statement-times.ts'
import { Figures, timed } from './load/figures.ts'
import { inGroups } from './load/in-groups.ts'
import { makeQuestions, QUERY_ROWS } from './questions/one-domain.ts'
import { prepare } from './rows/queries.ts'
import { POST_EVENTS } from './traffic/fresh-events.ts'
import { DOMAIN_NAMES, generateTraffic, trafficWindow } from './traffic/traffic.ts'

/** The size of groups under the load of the benchmark. */
const GROUP_EVENTS = 3200
const SAMPLES = 5000
/** With fewer events, some questions would find too little to be asked. */
const EVENTS_MIN = 10_000
const SEED = 1
const SERVICE_MESSAGE_ID_FIELD = 'service_message_id'

const count = readCount()
/** A small log gets a short run, for trying it out and for tests. */
const rounds = count < 50_000 ? 4 : 40

const window = trafficWindow(Math.floor(Date.now() / 1000))
const domains = new Map(DOMAIN_NAMES.map((name, index) => [name, index + 1]))
const events = [...generateTraffic(SEED, count, window)]
const times = new StatementTimes()
const dataDir = mkdtempSync(join(tmpdir(), 'envelog-profile-'))
try {
  process.stdout.write('microseconds per event\n')
  const rows = profileServing(events)
  profileWriting(rows)
  await profileQuestions()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

function readCount(): number {
  try {
    const { values } = parseArgs({ options: { events: { type: 'string', default: '200000' } } })
    const events = Number(values.events)
    if (Number.isSafeInteger(events) && events >= EVENTS_MIN) return events
    throw new Error(`--events must be a number of at least ${EVENTS_MIN}`)
  } catch (error) {
    process.stderr.write(`profile: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(2)
  }
}

/** The serving thread's work on posts, and the cost of passing rows to the writing thread. */
function profileServing(all: readonly EmailEvent[]): readonly EventRow[] {
  const bodies = inGroups(all, POST_EVENTS).map((post) =>
    Buffer.from(post.map((event) => JSON.stringify(event)).join('\n')),
  )
  const told = step('parse', () =>
    bodies.flatMap((body) => splitRecords(body).flatMap((record) => native.toEvents(record.value))),
  )
  const checked = step('check', () => told.map(({ event }) => parseEvent(event, SERVICE_MESSAGE_ID_FIELD)))
  const rows = step('make rows', () => checked.map((event) => toEventRow({ domainNumber: numberOf(event), event })))
  step('hand over', () => {
    for (const group of inGroups(rows, GROUP_EVENTS)) {
      const pack = new RowPack()
      for (const request of inGroups(group, POST_EVENTS)) pack.addRequest(request)
      unpackRows(structuredClone(pack.finish()))
    }
  })
  return rows
}

function profileWriting(rows: readonly EventRow[]): void {
  // As the writing thread opens it: days that no control store knows of are not read.
  const control = openControlDatabase(dataDir)
  const writers = new DayWriters(openDataFolder(dataDir, control).files, () => false)
  times.start()
  step('write', () => {
    for (const group of inGroups(rows, GROUP_EVENTS)) writers.store(inGroups(group, POST_EVENTS), 0)
  })
  for (const { kind, ms } of times.take()) if (microseconds(ms) >= 0.1) line(`  ${kind}`, microseconds(ms))
  // Finishes compaction, as an idle server does.
  while (writers.compact(Number.MAX_SAFE_INTEGER) === 0);
  writers.close()
  control.close()
}

async function profileQuestions(): Promise<void> {
  const storage = await openSqliteStorage({
    dataDir,
    clock: systemClock,
    serviceMessageIdField: SERVICE_MESSAGE_ID_FIELD,
  })
  await using opened = new AsyncDisposableStack()
  opened.defer(() => storage.close())
  const samples = events.filter((_, index) => index % Math.max(1, Math.floor(count / SAMPLES)) === 0)
  // On this thread, where statements can be timed; a server has threads for it, and the newest pages in memory.
  const reads = new LogReads(
    { dataDir, serviceMessageIdField: SERVICE_MESSAGE_ID_FIELD, thresholds: SEARCH_THRESHOLDS },
    { onTrouble: ({ detail }) => process.stderr.write(`${detail}\n`) },
  )
  const log: DirectLog = {
    list: (query) => reads.list(query),
    listMessage: (query) => reads.listMessage(query),
    counts: async (numbers) => unpackCounts(await reads.counts(numbers)),
  }
  const side = openDirectLog({ log, control: storage.control }, { tenantId: '', domains })
  process.stdout.write('\nmicroseconds per question (p50), of which statements (mean)\n')
  for (const row of QUERY_ROWS) {
    const questions = makeQuestions(row, { samples, window, random: createSeededRandom(SEED) })
    const prepared = await Promise.all(questions.map((question) => prepare(side, question)))
    for (const question of prepared) await question.ask()
    times.take()
    const asked = new Figures()
    for (let round = 0; round < rounds; round++) {
      for (const question of prepared) asked.add(await timed(() => question.ask()))
    }
    line(row, asked.median * 1000)
    for (const { kind, calls, ms } of times.take()) {
      const each = (ms * 1000) / asked.count
      if (each >= 1) line(`  ${kind}, ${(calls / asked.count).toFixed(1)} times`, each)
    }
  }
}

function step<T>(name: string, work: () => T): T {
  const started = performance.now()
  const result = work()
  line(name, microseconds(performance.now() - started))
  return result
}

function microseconds(ms: number): number {
  return (ms * 1000) / count
}

function line(name: string, figure: number): void {
  process.stdout.write(`${name.padEnd(60)}${figure.toFixed(1).padStart(8)}\n`)
}

function numberOf({ domain_name: name }: EmailEvent): number {
  return domains.get(name) ?? 0
}
