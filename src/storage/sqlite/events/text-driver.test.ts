import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { Database } from '../database.ts'
import { dayOfTimestamp } from './day.ts'
import { DayFiles } from './day-files.ts'
import { DayWriters } from './day-writers.ts'
import { toEventRow } from './event-row.ts'
import { chooseTextDriver, SEARCH_COSTS, type TextTask } from './text-driver.ts'
import { defineTextFunctions, matchExpression } from './text-search.ts'
import { TrigramSample, toTrigrams } from './trigram-sample.ts'

const NOON = 1_772_366_400
const MESSAGES = 20_000
const LARGE = { domain: 1, messages: MESSAGES - 50, rows: MESSAGES - 50 }
const SMALL = { domain: 2, messages: 50, rows: 50 }

const folder = openTemporaryFolder()
let db: Database
let sample: TrigramSample

before(() => {
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false)
  const rows = Array.from({ length: MESSAGES }, (_, index) => {
    const event = { id: `m${index}`, timestamp: NOON, type: 'Delivery' as const, domain_name: 'a.test' }
    const texts = { recipient: `user${index}@b.test`, subject: 'Weekly report' }
    return toEventRow({
      domainNumber: index < SMALL.messages ? SMALL.domain : LARGE.domain,
      event: { ...event, ...texts },
    })
  })
  writers.store([rows], 0)
  writers.close()
  db = files.openForReading(dayOfTimestamp(NOON), 1000)
  defineTextFunctions(db)
  sample = new TrigramSample(db)
  sample.drawWhenGrown(MESSAGES)
})

after(() => {
  db.close()
  folder[Symbol.dispose]()
})

function choose(domain: Pick<TextTask, 'domain' | 'messages' | 'rows'>, text: string, changes: Partial<TextTask> = {}) {
  const task = { ...domain, costOfRow: 0.6, wanted: 51, trigrams: toTrigrams(text), candidatesMax: 1000, ...changes }
  return chooseTextDriver(task, sample, SEARCH_COSTS)
}

test('what nearly every message has is met on the way', () => {
  assert.equal(choose(LARGE, 'weekly').kind, 'walk')
  assert.equal(choose(SMALL, 'weekly').kind, 'walk')
})

test('the few messages of a small domain are looked at, one and all', () => {
  assert.equal(choose(SMALL, 'nobody@nowhere').kind, 'scan')
})

test('in a large domain the index is asked, and not for the long list of the domain', () => {
  const driver = choose(LARGE, 'nobody@nowhere')
  assert.equal(driver.kind, 'index')
  assert.ok(!driver.match.includes(matchExpression([], LARGE.domain)), driver.match)
})

test('the list of the domain is asked for where it leaves fewer candidates', () => {
  const medium = { domain: 1, messages: 1500, rows: 3000 }
  const driver = choose(medium, 'user12', { wanted: 10_000 })
  assert.equal(driver.kind, 'index')
  assert.ok(driver.match.includes(matchExpression([], medium.domain)), driver.match)
})

test('few events of a type are walked rather than asked for', () => {
  assert.equal(choose({ ...LARGE, rows: 5 }, 'nobody@nowhere').kind, 'walk')
})

test('a text that too many messages may have is not asked of the index', () => {
  assert.notEqual(choose(LARGE, 'report', { candidatesMax: 1, wanted: MESSAGES }).kind, 'index')
})
