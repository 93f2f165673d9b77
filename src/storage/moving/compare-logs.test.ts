/** Two logs in memory, of which one lacks something. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import type { LogQuery } from '../../events/log/log-query.ts'
import { burst, openModel, type TestedLog } from '../contract/log-scene.ts'
import { type ComparedLogs, compareLogs } from './compare-logs.ts'

const HOUR = 3600
const START = 1_772_323_200
const DOMAINS = [1, 2].map((number) => ({ number, name: `${number}.test` }))
const [FIRST = assert.fail(), SECOND = assert.fail()] = DOMAINS

function makeEvents(): readonly AttributedEvent[] {
  return Array.from({ length: 120 }, (_, index) => burst(index, index % 3 === 0 ? SECOND : FIRST, START + index * 60))
}

async function openLog(events: readonly AttributedEvent[]): Promise<TestedLog> {
  const log = openModel()
  await log.append(events)
  return log
}

async function compare(target: TestedLog, given: Partial<ComparedLogs> = {}) {
  const window = { startTimestamp: START, endTimestamp: START + 2 * HOUR }
  const source = await openLog(makeEvents())
  return compareLogs({ source, target, domains: DOMAINS, window, pages: 30, seed: 3, ...given })
}

/** The same time of the last change, which the model takes from its clock. */
function withTimes(log: TestedLog): TestedLog {
  return Object.assign(Object.create(log) as TestedLog, {
    async counts(numbers: readonly number[]) {
      const counts = await log.counts(numbers)
      return new Map([...counts].map(([number, own]) => [number, { ...own, changedAtMs: 1 }]))
    },
    list: (query: LogQuery) => log.list(query),
    series: (query: Parameters<TestedLog['series']>[0]) => log.series(query),
  })
}

const compareTimed = async (target: TestedLog, given: Partial<ComparedLogs> = {}) =>
  compare(withTimes(target), { source: withTimes(await openLog(makeEvents())), ...given })

describe('two logs', () => {
  test('with the same events do not differ, and every page is reported', async () => {
    let pages = 0
    const found = await compareTimed(await openLog(makeEvents()), { onPage: () => pages++ })
    assert.deepEqual([found.differences, found.domains, found.pages, pages], [[], 2, 30, 30])
    assert.ok(found.events > 100)
  })

  test('of which one has an event less differ by counts, by hours, and by pages', async () => {
    const { differences } = await compareTimed(await openLog(makeEvents().filter((_, index) => index !== 0)), {
      pages: 5,
    })
    assert.match(
      differences[0] ?? '',
      /^counts of 2\.test: expected reception 0, delivery 40, .*, actual reception 0, delivery 39/,
    )
    assert.match(differences[1] ?? '', /^events by \w+ \(2026-03-01T00(?: .*)?\): expected \d+, actual \d+$/)
    assert.ok(!differences.some((text) => text.startsWith('counts of 1.test')))
  })

  test('of which one has nothing differ at most twenty times', async () => {
    const { differences, events } = await compareTimed(await openLog([]), { pages: 1000 })
    assert.equal(differences.length, 20)
    assert.match(differences[0] ?? '', /^counts of 1\.test: expected .*, actual none$/)
    assert.ok(events < 1000)
  })

  test('of which one has more differ as well', async () => {
    const { differences } = await compareTimed(await openLog([...makeEvents(), burst(999, FIRST, START + 60)]), {
      pages: 0,
    })
    assert.match(differences[0] ?? '', /^counts of 1\.test/)
    assert.ok(differences.some((text) => text.startsWith('events by ')))
  })

  test('with different pages: the report names the first event that differs, and shows nothing of its content', async () => {
    const list = (change: (texts: string[]) => void) => {
      const events = openLog(makeEvents())
      return async (query: LogQuery) => {
        const page = await (await events).list(query)
        const texts = [...page.events]
        if (query.after === undefined) change(texts)
        return { ...page, events: texts }
      }
    }
    const differencesOf = async (change: (texts: string[]) => void) => {
      const target = withTimes(await openLog(makeEvents()))
      Object.assign(target, { list: list(change) })
      return (await compareTimed(target, { pages: 40 })).differences
    }
    const swapped = await differencesOf((texts) => texts.splice(0, 2, ...texts.slice(0, 2).reverse()))
    assert.ok(swapped.length > 0)
    assert.match(
      swapped[0] ?? '',
      /^page of \d\.test, until \d+, \{.*\}: event 1: expected Delivery message-\d+ at \d+, actual Delivery/,
    )
    const shorter = await differencesOf((texts) => texts.splice(-1))
    assert.match(shorter[0] ?? '', /event \d+: expected Delivery message-\d+ at \d+, actual missing/)
    const longer = await differencesOf((texts) => void texts.push('{"id":"x","type":"Bounce","timestamp":1}'))
    assert.match(
      longer.find((text) => text.includes('missing')) ?? '',
      /event \d+: expected missing, actual Bounce x at 1/,
    )
  })

  test('whose pages come in different pieces are the same', async () => {
    const log = await openLog(makeEvents())
    const target = withTimes(log)
    const list = (query: LogQuery) => log.list({ ...query, limit: Math.min(7, query.limit) })
    Object.assign(target, { list })
    assert.deepEqual((await compareTimed(target)).differences, [])
  })

  test('without domains have nothing to compare', async () => {
    const found = await compareTimed(await openLog([]), { domains: [] })
    assert.deepEqual(found, { domains: 0, pages: 0, events: 0, differences: [] })
  })

  test('of many domains are compared in parts', async () => {
    const domains = Array.from({ length: 450 }, (_, index) => ({ number: index + 1, name: `${index + 1}.test` }))
    const asked: number[] = []
    const target = withTimes(await openLog(makeEvents()))
    const counts = target.counts.bind(target)
    Object.assign(target, {
      counts(numbers: readonly number[]) {
        asked.push(numbers.length)
        return counts(numbers)
      },
    })
    assert.deepEqual((await compareTimed(target, { domains, pages: 1 })).differences, [])
    assert.deepEqual(asked, [200, 200, 50])
  })
})
