import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COLUMNS } from '../../search/log-look.ts'
import { COLUMN_SIZES, fitColumns } from './fit-columns.ts'

const ALL = { columns: COLUMNS }
const shownAt = (look: object, widthPx: number) => fitColumns(look, widthPx).columns.join(' ')

test('columns are in the order of the screen, whatever was chosen first', () => {
  assert.equal(shownAt({ columns: ['provider', 'domain', 'code'] }, 1500), 'time event code recipient domain provider')
  assert.equal(shownAt({ columns: [] }, 1500), 'time event recipient')
})

test('without room for all, those chosen first are left out; time, event and recipient never', () => {
  assert.equal(shownAt({}, 1200), 'time event code recipient subject response provider')
  assert.equal(shownAt({}, 830), 'time event code recipient subject provider')
  // Beside an open message, on a screen of 1280 px.
  assert.equal(shownAt({}, 612), 'time event code recipient subject')
  assert.equal(
    shownAt({ columns: ['provider', 'code', 'subject', 'response'] }, 860),
    'time event recipient subject response',
  )
})

test('what is shown always fits', () => {
  for (let widthPx = 600; widthPx < 2000; widthPx += 50) {
    const { columns, layout } = fitColumns(ALL, widthPx)
    const neededPx = columns.reduce((sum, name) => sum + COLUMN_SIZES[name].minPx + 16, 32)
    assert.ok(layout === 'wide' && neededPx <= widthPx, `${columns.join(' ')} in ${widthPx} px`)
  }
})

test('a narrow row has a line for each text, at most three, and is as high as its lines', () => {
  assert.deepEqual(fitColumns({}, 360).columns, ['time', 'event', 'code', 'recipient', 'subject'])
  assert.equal(fitColumns({}, 360).rowPx, 76)
  assert.equal(shownAt(ALL, 360), 'time event code recipient response classification provider')
  assert.equal(fitColumns(ALL, 360).rowPx, 112)
  assert.equal(fitColumns({ columns: [] }, 360).rowPx, 58)
})

test('compact rows are lower, in both layouts', () => {
  for (const widthPx of [360, 1280]) {
    assert.ok(fitColumns({ density: 'compact' }, widthPx).rowPx < fitColumns({}, widthPx).rowPx)
  }
})
