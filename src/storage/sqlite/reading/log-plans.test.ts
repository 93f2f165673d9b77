/** A page over many domains costs the page, not the window: every statement asks the index meant for it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ExplainingDatabase } from '../../../../test/harness/explaining-database.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { EmailEvent } from '../../../events/event.ts'
import type { LogConditions } from '../../../events/log-query.ts'
import { dayOfTimestamp, positionRange } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { DaySummary } from '../days/day-summary.ts'
import { TextCandidates } from '../text-index/text-candidates.ts'
import { defineTextFunctions } from '../text-index/text-search.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'
import { eventColumns } from './event-text.ts'
import { LOG_THRESHOLDS, type LogDay, planLogDay } from './log-day-plan.ts'
import { LogDayReader } from './log-day-reader.ts'
import { RememberedTexts } from './remembered-texts.ts'

const NOON = 1_772_366_400
const DAY = dayOfTimestamp(NOON)
/** Have nine of ten events. */
const LARGE = Array.from({ length: 100 }, (_, index) => index + 1)
/** Have the rest. */
const SMALL = Array.from({ length: 50 }, (_, index) => index + 1001)

function event(index: number): EmailEvent {
  const type = index % 20 < 2 ? 'Bounce' : 'Delivery'
  const response_code = type === 'Bounce' ? 550 : 250
  const message = { id: `m${index}`, recipient: `user${index}@b.test`, subject: `Weekly report ${index}` }
  return { ...message, timestamp: NOON + (index % 5000), type, domain_name: 'a.test', response_code }
}

function domainOf(index: number): number {
  return (index % 10 === 0 ? SMALL[(index / 10) % SMALL.length] : LARGE[index % LARGE.length]) ?? 0
}

describe('the plan of a page over many domains', () => {
  const folder = openTemporaryFolder()
  let db: ExplainingDatabase
  let day: LogDay

  before(() => {
    const files = new DayFiles(folder.path)
    const writers = new DayWriters(files, () => false)
    const rows = Array.from({ length: 20_000 }, (_, index) =>
      toEventRow({ domainNumber: domainOf(index), event: event(index) }),
    )
    writers.store([rows], 0)
    writers.close()
    db = new ExplainingDatabase(files.path(DAY), { readOnly: true })
    defineTextFunctions(db)
    day = {
      db,
      summary: DaySummary.load(db),
      candidates: new TextCandidates(db),
      texts: new RememberedTexts(db),
      thresholds: LOG_THRESHOLDS,
    }
  })

  after(() => {
    db.close()
    folder[Symbol.dispose]()
  })

  const kindOf = (domains: readonly number[], conditions: LogConditions) => {
    const plan = planLogDay(day, domains, conditions)
    return plan.kind === 'stretches' ? plan.driver.index : plan.kind
  }

  test('one who has much of the day walks it, one who has little asks the index of each domain', () => {
    assert.equal(kindOf(LARGE, {}), 'walk')
    assert.equal(kindOf([...LARGE, ...SMALL], {}), 'walk')
    assert.equal(kindOf(SMALL, {}), 'event')
    assert.equal(kindOf(LARGE.slice(1, 2), {}), 'event')
    assert.equal(kindOf(LARGE, { types: ['Bounce'] }), 'event_by_type')
    assert.equal(kindOf(LARGE, { codes: [{ from: 500, to: 599 }] }), 'event_by_code')
  })

  test('what the day does not have is not looked for', () => {
    assert.equal(kindOf([9999], {}), 'nothing')
    assert.equal(kindOf(LARGE, { types: ['Feedback'] }), 'nothing')
    assert.equal(kindOf(LARGE, { codes: [{ from: 400, to: 499 }] }), 'nothing')
    assert.equal(kindOf(LARGE, { messageId: 'no such' }), 'nothing')
    assert.equal(kindOf(LARGE, { anyText: 'zzznothing' }), 'nothing')
  })

  test('few messages that may match are looked at one by one, many are met on the way', () => {
    assert.equal(kindOf(LARGE, { anyText: 'USER1234@' }), 'candidates')
    assert.equal(kindOf(LARGE, { anyText: 'm1231' }), 'candidates')
    assert.equal(kindOf(LARGE, { messageId: 'm1231' }), 'candidates')
    assert.equal(kindOf(LARGE, { anyText: 'weekly' }), 'walk')
    assert.equal(kindOf(SMALL, { subject: 'we' }), 'event')
  })

  const reads: readonly [string, readonly number[], LogConditions, RegExp][] = [
    [
      'the walk goes by position',
      LARGE,
      {},
      /SEARCH e USING (COVERING )?INDEX event_by_position \(position>\? AND position<\?\)/,
    ],
    ['time', SMALL, {}, /PRIMARY KEY \(domain=\? AND position>\? AND position<\?\)/],
    [
      'type',
      LARGE,
      { types: ['Bounce'] },
      /INDEX event_by_type \(domain=\? AND type=\? AND position>\? AND position<\?\)/,
    ],
    [
      'code',
      LARGE,
      { codes: [{ from: 550, to: 559 }] },
      /INDEX event_by_code \(domain=\? AND response_code=\? AND position>\? AND position<\?\)/,
    ],
  ]
  for (const [name, domains, conditions, index] of reads) {
    test(`${name}: with the whole of its index, in slices that are bounded`, () => {
      db.plans.length = 0
      const names = new Map(domains.map((domain) => [domain, '"a.test"']))
      const reader = new LogDayReader(DAY, day, eventColumns('service_message_id'), names)
      const { from, to } = positionRange(DAY, NOON, NOON + 10_000)
      let found = 0
      for (const slice of reader.search(conditions, from, to, 101)) found += slice.events.length
      assert.equal(found, 101)
      const plans = db.plans.filter(({ sql }) => /(FROM|JOIN) event e (NOT )?INDEXED/.test(sql))
      assert.ok(plans.length > 0)
      for (const { plan } of plans) {
        assert.match(plan, index)
        assert.doesNotMatch(plan, /SCAN e\b/)
        if (name.includes('walk')) assert.doesNotMatch(plan, /TEMP B-TREE/)
      }
    })
  }
})
