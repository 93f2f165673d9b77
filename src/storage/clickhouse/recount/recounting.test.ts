/** What a recount finds and corrects, on databases that answer as a test says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BatchDraft, DecisionRules } from '../../postgres/batches/batch.ts'
import type { HeldShard } from '../../postgres/batches/held-shard.ts'
import type { Postgres } from '../../postgres/database/postgres.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { firstHourOf } from '../upkeep/day.ts'
import { unpackContent } from '../writing/batch-payload.ts'
import { decideCorrection } from './correction.ts'
import { describeCount } from './count-differences.ts'
import { findTwins } from './find-twins.ts'
import { Recounter } from './recounter.ts'

const DAY = '2026-03-01'
const HOUR = firstHourOf(DAY)

type Rows = readonly (readonly (string | number)[])[]

/** How the hours of a day that have events are asked for. */
const HOURS = 'SELECT intDiv(timestamp, 3600) AS hour'

interface Scene {
  readonly days?: readonly string[]
  readonly folded?: string
  /** Domain, surplus and whether some count is too low, at first sight and under the lock. */
  readonly suspects?: Rows
  readonly wrong?: Rows
  /** Of a domain: counted and events. */
  readonly counts?: Readonly<Record<number, readonly (readonly [counted: number, events: number])[]>>
  readonly erased?: Readonly<Record<number, number>>
  readonly decided?: readonly string[]
  readonly twins?: Rows
  readonly table?: string
}

async function recount(scene: Scene, isRepairing = false) {
  const {
    days = [DAY],
    suspects = [],
    wrong = suspects,
    counts = {},
    erased = {},
    decided = [],
    twins = [],
    table = 'event_hour',
  } = scene
  const held: number[][] = []
  const corrected: number[] = []
  const progress: string[] = []
  let finished = 0
  const answer = (sql: string): Rows => {
    if (sql.includes('system.parts')) return days.map((day) => [day])
    if (sql.startsWith(HOURS)) return sql.includes(`timestamp >= ${HOUR * 3600} `) ? [[HOUR, 1]] : []
    if (sql.includes('HAVING times')) return twins
    const isOfTable = sql.includes(`FROM ${table} WHERE`)
    if (sql.includes('sum(counted - events)')) {
      if (!isOfTable || !sql.includes(`hour >= ${HOUR}`)) return []
      const after = /domain > (-?\d+)/.exec(sql)?.[1]
      const found = after === undefined ? wrong : suspects.filter(([domain]) => Number(domain) > Number(after))
      const wanted = /domain IN \(([\d, ]+)\)/.exec(sql)?.[1]?.split(', ').map(Number)
      return wanted ? found.filter(([domain]) => wanted.includes(Number(domain))) : found
    }
    const domain = Number(/domain = (\d+)/.exec(sql)?.[1])
    return (counts[domain] ?? []).map(([counted, events]) => [domain, HOUR, 1, 'p', 'x', counted, events])
  }
  const clickHouse = {
    version: [24, 8],
    database: 'd',
    shards: 2,
    readFrom: (name: string) => name,
    select: async (sql: string) => answer(sql.trim()).map((row) => row.map(String)),
  } as unknown as ClickHouse
  const db = {
    get: async () => ({ day: scene.folded ?? null }),
    number: async () => -1,
    all: async (sql: string, _: string, numbers: readonly number[] = []) =>
      sql.includes('erased_count')
        ? numbers.flatMap((domain) => (domain in erased ? [{ domain, count: erased[domain] }] : []))
        : decided.map((text) => ({ decided: text })),
  } as unknown as Postgres
  const access = {
    shards: 2,
    async whileIdle<T>(shard: number, work: (own: HeldShard) => Promise<T>): Promise<T> {
      if (finishing()) finished++
      held.push([shard])
      const decide = async (domains: readonly number[]) => void corrected.push(...domains)
      return work({ number: shard, decide } as unknown as HeldShard)
    },
  }
  const finishing = () => progress.length === days.length
  const findings = await new Recounter({ db, clickHouse, access }).run({
    isRepairing,
    onProgress: (day) => void progress.push(day),
  })
  return { findings, corrected, progress, finished, shards: held.flat() }
}

describe('a recount', () => {
  test('without differences finds nothing, in days that are not removed', async () => {
    const { findings, progress, shards } = await recount({
      days: ['2026-03-02', DAY, '2026-02-28'],
      folded: '2026-02-28',
    })
    assert.deepEqual([findings, progress, shards], [[], [DAY, '2026-03-02'], []])
  })

  test('names each count that differs, by table, and looks at it while nothing is decided about its shard', async () => {
    const scene = {
      suspects: [
        [4, 2, 0],
        [5, 1, 1],
      ],
      counts: {
        4: [[5, 3]],
        5: [
          [1, 2],
          [3, 1],
        ],
      },
    } as const
    const { findings, shards, corrected } = await recount(scene)
    assert.deepEqual(findings, [
      `${DAY}: domain 4, hour 0, Delivery: counter 5, events 3`,
      `${DAY}: domain 5, hour 0, Delivery: counter 1, events 2`,
      `${DAY}: domain 5, hour 0, Delivery: counter 3, events 1`,
    ])
    assert.deepEqual([shards, corrected], [[0, 1], []])
    const sending = await recount({ ...scene, table: 'sending_hour' })
    assert.match(sending.findings[0] ?? '', /hour 0, origin "x", Delivery/)
  })

  test('leaves alone what is right when it is looked at again', async () => {
    const { findings } = await recount({ suspects: [[4, 2, 0]], wrong: [] })
    assert.deepEqual(findings, [])
  })

  test('corrects what differs, and finishes that; not on days with events that are there twice', async () => {
    const scene = { suspects: [[4, 2, 0]], counts: { 4: [[5, 3]] } } as const
    const { corrected, finished } = await recount(scene, true)
    assert.deepEqual([corrected, finished], [[4], 2])
    const twins = [[4, 2, 'm']]
    const twice = await recount({ ...scene, twins }, true)
    assert.deepEqual([twice.corrected, twice.findings.length], [[], 2])
    assert.equal(twice.findings[0], `${DAY}: domain 4, an event of message "m" is stored 2 times`)
  })

  for (const [what, scene, isFound] of [
    ['as many as were erased', { suspects: [[4, 3, 0]], erased: { 4: 3 } }, false],
    ['more than were erased', { suspects: [[4, 4, 0]], erased: { 4: 3 } }, true],
    ['fewer than were erased', { suspects: [[4, 2, 0]], erased: { 4: 3 } }, true],
    [
      'fewer, while more of the day are being erased',
      { suspects: [[4, 2, 0]], erased: { 4: 3 }, decided: [`{"day":"${DAY}"}`] },
      false,
    ],
    [
      'as many, while more of the day are being erased',
      { suspects: [[4, 3, 0]], erased: { 4: 3 }, decided: [`{"day":"${DAY}"}`] },
      false,
    ],
    [
      'more, while more of the day are being erased',
      { suspects: [[4, 4, 0]], erased: { 4: 3 }, decided: [`{"day":"${DAY}"}`] },
      true,
    ],
    [
      'fewer, while some of another day are being erased',
      { suspects: [[4, 2, 0]], erased: { 4: 3 }, decided: ['{"day":"2026-03-02"}'] },
      true,
    ],
    ['fewer, of those with an origin', { suspects: [[4, 2, 0]], erased: { 4: 3 }, table: 'sending_hour' }, false],
    ['none, of those with an origin', { suspects: [[4, 0, 0]], erased: { 4: 3 }, table: 'sending_hour' }, true],
    ['as many, and one count is too low', { suspects: [[4, 3, 1]], erased: { 4: 3 } }, true],
  ] as const satisfies readonly (readonly [string, Scene, boolean])[]) {
    test(`of a domain with erased events ${isFound ? 'finds' : 'finds nothing in'} a surplus of ${what}`, async () => {
      const { findings } = await recount({ ...scene, counts: { 4: [[1, 2]] } })
      assert.equal(findings.length, isFound ? 1 : 0)
    })
  }

  test('lowers no count of a domain with erased events: which of them are theirs is not known', async () => {
    const scene = { suspects: [[4, 9, 0]], erased: { 4: 3 } } as const
    const unclear = await recount({ ...scene, counts: { 4: [[5, 3]] } }, true)
    assert.match(unclear.findings[0] ?? '', /domain 4: the counters do not match the stored events plus 3 erased ones/)
    assert.deepEqual([unclear.findings.length, unclear.corrected], [1, []])
    const low = await recount(
      {
        ...scene,
        counts: {
          4: [
            [5, 3],
            [1, 2],
          ],
        },
      },
      true,
    )
    assert.deepEqual([low.findings.length, low.corrected], [1, [4]])
  })

  test('looks at fifty domains under one lock', async () => {
    const suspects = Array.from({ length: 101 }, (_, index) => [index * 2, 1, 0])
    const { shards } = await recount({ suspects, counts: {} })
    assert.deepEqual(shards, [0, 0, 0])
  })

  test('names at most a thousand', async () => {
    const suspects = Array.from({ length: 3 }, (_, index) => [index + 1, 1, 0])
    const many = Array.from({ length: 600 }, () => [2, 1] as const)
    const { findings } = await recount({ suspects, counts: { 1: many, 2: many, 3: many } })
    assert.equal(findings.length, 1000)
  })
})

describe('a correction', () => {
  async function decide(table: 'event_hour' | 'sending_hour', rules: Partial<DecisionRules> = {}) {
    let drafted: BatchDraft | undefined
    const held = {
      async decide(_: readonly number[], draft: (given: DecisionRules) => Promise<BatchDraft | undefined>) {
        drafted = await draft({ cutDay: '0000-01-01', closedDay: undefined, removedDomains: new Set(), ...rules })
      },
    } as unknown as HeldShard
    await decideCorrection(held, table, [{ domain: 4, hour: HOUR, type: 1, provider: 'p', counted: 5, events: 3 }])
    return drafted
  }

  test('adds the difference to the counts, also to those of closed days', async () => {
    const drafted = (await decide('event_hour', { closedDay: DAY })) ?? assert.fail()
    assert.deepEqual([drafted.events, drafted.domainNumbers], [0, new Set([4])])
    assert.deepEqual(drafted.closedCounts, [{ domain: 4, bounce: 0, delivery: -2, reception: 0 }])
    const { counts, events } = await unpackContent(drafted.payload)
    assert.deepEqual([events.bytes.length, counts.map(([table]) => table)], [0, ['event_hour']])
    assert.ok(Buffer.from(counts[0]?.[1] ?? []).includes(Buffer.from('feffffffffffffff', 'hex')))
    assert.deepEqual((await decide('event_hour'))?.closedCounts, [])
    const sending = await decide('sending_hour', { closedDay: DAY })
    assert.deepEqual(sending?.closedCounts, [])
  })

  test('is not made for a day that is being removed', async () => {
    assert.equal(await decide('event_hour', { cutDay: '2026-03-02' }), undefined)
    assert.ok(await decide('event_hour', { cutDay: DAY }))
  })
})

test('a count is described by its hour, its origin and its type', () => {
  const count = { domain: 4, hour: HOUR + 5, type: 1, provider: '', counted: 5, events: 3 }
  assert.equal(
    describeCount(DAY, { ...count, origin: '' }),
    `${DAY}: domain 4, hour 5, origin (others), Delivery: counter 5, events 3`,
  )
  assert.equal(
    describeCount(DAY, { ...count, classification: '' }),
    `${DAY}: domain 4, hour 5, Delivery: counter 5, events 3`,
  )
})

test('events that are stored twice are looked for hour by hour, a busy one in parts, up to a hundred', async () => {
  const asked: string[] = []
  const find = (events: number, twins: Rows) => {
    asked.splice(0)
    const select = async (sql: string) => {
      asked.push(sql)
      if (sql.startsWith(HOURS)) return events === 0 ? [] : [[String(HOUR + 23), String(events)]]
      return twins.map((row) => row.map(String))
    }
    return findTwins({ readFrom: () => 'event', select } as unknown as ClickHouse, DAY, 10)
  }
  assert.deepEqual(await find(0, []), [])
  const day = `timestamp >= ${HOUR * 3600} AND timestamp < ${(HOUR + 24) * 3600} `
  assert.deepEqual([asked.length, asked[0]?.includes(day)], [1, true])
  assert.equal((await find(10, [[1, 2, 'm']])).length, 1)
  assert.deepEqual(
    asked.slice(1).map((sql) => /key % (\d+) = (\d+)/.exec(sql)?.slice(1).join()),
    ['1,0'],
  )
  const hour = `timestamp >= ${(HOUR + 23) * 3600} AND timestamp < ${(HOUR + 24) * 3600} `
  assert.ok(asked[1]?.includes(hour))
  assert.equal((await find(21, [[1, 2, 'm']])).length, 3)
  assert.deepEqual(
    asked.slice(1).map((sql) => /key % (\d+) = (\d+)/.exec(sql)?.slice(1).join()),
    ['3,0', '3,1', '3,2'],
  )
  const many = Array.from({ length: 60 }, () => [1, 2, 'm'])
  assert.equal((await find(31, many)).length, 100)
  assert.equal(asked.length, 3)
  assert.equal((await find(31, [...many, ...many.slice(20)])).length, 100)
  assert.equal(asked.length, 2)
})
