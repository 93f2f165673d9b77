import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listFigures } from '../../../src/stats/figures.ts'
import type { Definitions } from '../api/figures.ts'
import { type Provider, rankRows, toneOfShare } from './provider-ranking.ts'

const definitions = Object.fromEntries(listFigures().map((figure) => [figure.id, figure])) as unknown as Definitions
const names = (rows: readonly Provider[]) => rankRows(definitions, rows).map(({ provider }) => provider)

test('a provider without deliveries is first, whatever the volume of the others', () => {
  const rows = [
    { provider: 'Gmail', totals: { delivered: 90_000, bounced: 300 } },
    { provider: 'Yahoo', totals: { delivered: 5000, deferred: 4000 } },
    { provider: 'Web.de', totals: { bounced: 900 } },
    { provider: 'GMX', totals: { delivered: 20_000, bounced: 100 } },
  ]
  assert.deepEqual(names(rows), ['Web.de', 'Yahoo', 'Gmail', 'GMX'])
})

test('a share of few attempts is neither coloured nor sorted by', () => {
  const rows = [
    { provider: 'tiny', totals: { bounced: 3 } },
    { provider: 'large', totals: { delivered: 1000 } },
  ]
  assert.deepEqual(names(rows), ['large', 'tiny'])
  assert.equal(toneOfShare(definitions, { bounced: 3 }, 'bounced'), undefined)
})

test('shares are coloured by their limits', () => {
  const tone = (bounced: number) => toneOfShare(definitions, { delivered: 1000 - bounced, bounced }, 'bounced')
  assert.deepEqual([49, 50, 100].map(tone), [undefined, 'amber', 'red'])
  assert.equal(toneOfShare(definitions, { delivered: 1000, complaints: 3 }, 'complaints'), 'red')
})
