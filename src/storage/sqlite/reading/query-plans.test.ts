/** Listing a page costs the page, not the window: every statement walks the index meant for it, and none sorts a window. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ExplainingDatabase } from '../../../../test/harness/explaining-database.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../../events/event.ts'
import { dayOfTimestamp, positionRange } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { hashId, toEventRow } from '../writing/event-row.ts'
import { DayReader } from './day-reader.ts'
import { SEARCH_THRESHOLDS } from './day-search.ts'
import { type SearchFilters, toEventSearch } from './event-search.ts'
import { SearchStatements } from './search-statements.ts'

const NOON = 1_772_366_400
const DAY = dayOfTimestamp(NOON)
const DOMAIN = { number: 1, nameJson: '"a.test"' }

function event(index: number): EmailEvent {
  const type = index % 6 === 0 ? 'Bounce' : 'Delivery'
  const response_code = type === 'Bounce' ? 550 : 250
  const message = { id: `m${index}`, recipient: `user${index}@b.test`, subject: `Weekly report ${index}` }
  return { ...message, timestamp: NOON + (index % 100), type, domain_name: 'a.test', response_code }
}

describe('the plan of a listing', () => {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  let db: ExplainingDatabase
  let reader: DayReader

  before(() => {
    const writers = new DayWriters(files, () => false)
    const rows = Array.from({ length: 4000 }, (_, index) => toEventRow({ domainNumber: 1, event: event(index) }))
    writers.store([rows], 0)
    writers.close()
    db = new ExplainingDatabase(files.path(DAY), { readOnly: true })
    reader = new DayReader(DAY, db, new SearchStatements('service_message_id'), SEARCH_THRESHOLDS)
    assert.equal(reader.summary.events, 4000)
  })

  after(() => {
    reader.close()
    folder[Symbol.dispose]()
  })

  /** Plans of the statements that read events, and how many events they found. */
  function search(filters: SearchFilters): { readonly plans: readonly string[]; readonly found: number } {
    db.plans.length = 0
    const { from, to } = positionRange(DAY, NOON, NOON + 1000)
    let found = 0
    for (const slice of reader.search(DOMAIN, toEventSearch(filters), from, to, 51)) found += slice.events.length
    const plans = db.plans.filter(({ sql }) => sql.includes('FROM event e')).map(({ plan }) => plan)
    return { plans, found }
  }

  const walks: readonly { readonly name: string; readonly filters: SearchFilters; readonly index: RegExp }[] = [
    {
      name: 'newest first',
      filters: {},
      index: /SEARCH e USING PRIMARY KEY \(domain=\? AND position>\? AND position<\?\)/,
    },
    {
      name: 'one type',
      filters: { types: ['Bounce'] },
      index: /INDEX event_by_type \(domain=\? AND type=\? AND position>\? AND position<\?\)/,
    },
    { name: 'a common type', filters: { types: ['Delivery'] }, index: /PRIMARY KEY \(domain=/ },
    { name: 'several types', filters: { types: ['Bounce', 'Delivery'] }, index: /PRIMARY KEY \(domain=/ },
    {
      name: 'a code',
      filters: { responseCode: 550 },
      index: /INDEX event_by_code \(domain=\? AND response_code=\? AND position>\? AND position<\?\)/,
    },
    { name: 'the common code', filters: { responseCode: 250 }, index: /PRIMARY KEY \(domain=/ },
    { name: 'type and code', filters: { types: ['Bounce'], responseCode: 550 }, index: /INDEX event_by_code/ },
    {
      name: 'type and the common code',
      filters: { types: ['Delivery'], responseCode: 250 },
      index: /PRIMARY KEY \(domain=/,
    },
    { name: 'a common text', filters: { subject: 'weekly' }, index: /PRIMARY KEY \(domain=/ },
    { name: 'a short text', filters: { subject: 'we' }, index: /PRIMARY KEY \(domain=/ },
    {
      name: 'a type and a common text',
      filters: { types: ['Bounce'], subject: 'weekly' },
      index: /INDEX event_by_type/,
    },
  ]

  for (const { name, filters, index } of walks) {
    test(`${name}: walks its index and sorts nothing`, () => {
      const { plans, found } = search(filters)
      assert.equal(found, 51)
      assert.ok(plans.length > 0)
      for (const plan of plans) {
        assert.match(plan, index)
        assert.doesNotMatch(plan, /TEMP B-TREE|SCAN e\b/)
      }
    })
  }

  test('a rare text: looks at the events of the messages that may have it', () => {
    const { plans, found } = search({ recipient: 'USER1234@' })
    assert.equal(found, 1)
    assert.equal(plans.length, 0)
    const planOf = (text: string) => db.plans.find(({ sql }) => sql.includes(text))?.plan ?? ''
    assert.match(planOf('message_signature'), /SEARCH s USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\)/)
    assert.match(planOf('json_each(?) k'), /SEARCH e USING INDEX event_of_message \(message=\?\)/)
  })

  test('a type that the day does not have: no index of events is touched', () => {
    const { plans, found } = search({ types: ['Feedback'], subject: 'weekly' })
    assert.deepEqual({ plans, found }, { plans: [], found: 0 })
  })

  test('a message: its own index, then its events', () => {
    db.plans.length = 0
    assert.equal(reader.listByMessage(DOMAIN, 'm7', hashId('m7')).length, 1)
    assert.match(
      db.plans.find(({ sql }) => sql.includes('m.id = ?'))?.plan ?? '',
      /INDEX message_by_identity \(identity>\? AND identity<\?\)[\s\S]*INDEX event_of_message \(message=\?\)/,
    )
  })
})
