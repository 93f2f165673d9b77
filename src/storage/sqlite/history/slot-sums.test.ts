import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES } from '../../../events/event.ts'
import type { SeriesQuery } from '../../../stats/series.ts'
import { CountsReader, packCounts, type SlotCount } from './packed-counts.ts'
import { SlotSums } from './slot-sums.ts'

const [A, B] = [EVENT_TYPES[0], EVENT_TYPES[1]] as const
const QUERY: SeriesQuery = { fromHour: 0, toHour: 1, byDay: false, domainNumbers: [], filters: {}, group: 'type' }

function countOf(slot: number, type: number, count: number, provider?: string, classification?: string): SlotCount {
  return { slot, type, count, provider, classification }
}

/** What is added up of the counts of one period after another, four slots of six hours each. */
function sumsOf(query: Partial<SeriesQuery>, ...periods: readonly (readonly [number, number, ...SlotCount[]])[]) {
  const sums = new SlotSums(4, { ...QUERY, ...query })
  let isWhole = true
  for (const [period, domain, ...counts] of periods) {
    const reader = CountsReader.of(packCounts(counts))
    while (reader?.next()) isWhole = sums.add(period, domain, reader) && isWhole
  }
  const found: (readonly [number, number | string, number])[] = []
  sums.addTo((hour, key, count) => found.push([hour, key, count]), 6)
  return { isWhole, found }
}

const COUNTS = [
  countOf(0, 0, 1, 'p', 'x'),
  countOf(0, 1, 2, 'q', 'x'),
  countOf(3, 0, 4, 'q', 'y'),
  countOf(3, 0, 8, 'p', 'y'),
]

test('counts are added up by the hour at which their slot begins, and by what they are grouped by', () => {
  for (const [group, expected] of [
    [
      'type',
      [
        [24, 0, 1],
        [42, 0, 12],
        [24, 1, 2],
      ],
    ],
    [
      'provider',
      [
        [24, 'p', 1],
        [42, 'p', 8],
        [24, 'q', 2],
        [42, 'q', 4],
      ],
    ],
    [
      'classification',
      [
        [24, 'x', 3],
        [42, 'y', 12],
      ],
    ],
    [
      'domain',
      [
        [24, 7, 3],
        [42, 7, 12],
      ],
    ],
  ] as const) {
    assert.deepEqual(sumsOf({ group }, [1, 7, ...COUNTS]), { isWhole: true, found: expected }, group)
  }
})

test('counts of another type, provider or classification are left out', () => {
  for (const [filters, expected] of [
    [
      { types: [A] },
      [
        [0, 7, 1],
        [18, 7, 12],
      ],
    ],
    [{ types: [B] }, [[0, 7, 2]]],
    [
      { types: [A, B] },
      [
        [0, 7, 3],
        [18, 7, 12],
      ],
    ],
    [
      { providers: ['q'] },
      [
        [0, 7, 2],
        [18, 7, 4],
      ],
    ],
    [{ classifications: ['x'] }, [[0, 7, 3]]],
    [{ types: [A], providers: ['p'], classifications: ['y'] }, [[18, 7, 8]]],
    [{ providers: [] }, []],
  ] as const) {
    assert.deepEqual(sumsOf({ group: 'domain', filters }, [0, 7, ...COUNTS]), { isWhole: true, found: expected })
  }
})

test('without the texts that it needs, a count is refused; others do not need them', () => {
  const bare = [0, 7, countOf(1, 0, 5)] as const
  for (const query of [
    { group: 'provider' },
    { group: 'classification' },
    { filters: { providers: ['p'] } },
    { filters: { classifications: ['x'] } },
  ] as const) {
    assert.deepEqual(sumsOf(query, bare), { isWhole: false, found: [] })
    assert.equal(sumsOf(query, [0, 7, countOf(1, 0, 5, 'p')]).isWhole, false)
  }
  assert.deepEqual(sumsOf({}, bare), { isWhole: true, found: [[6, 0, 5]] })
  assert.deepEqual(sumsOf({ filters: { types: [A] } }, bare), { isWhole: true, found: [[6, 0, 5]] })
  // Not of this type: its texts do not matter.
  assert.equal(sumsOf({ group: 'provider', filters: { types: [B] } }, bare).isWhole, true)
})

test('periods and domains in any order are added to what is there', () => {
  const one = countOf(0, 0, 1)
  const { found } = sumsOf({}, [2, 7, one], [0, 7, one], [2, 8, one, one], [0, 9, one])
  assert.deepEqual(found, [
    [48, 0, 3],
    [0, 0, 2],
  ])
})
