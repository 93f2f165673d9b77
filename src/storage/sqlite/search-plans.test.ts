import { describe } from 'node:test'
import { openTestStorage } from '../../../test/harness/storage/sqlite-storage.ts'
import { systemClock } from '../../lib/clock.ts'
import { erasureContract } from '../contract/erasure.contract.ts'
import { eventLogContract } from '../contract/event-log.contract.ts'
import { type OpenLog, shareLog } from '../contract/log-scene.ts'
import { SEARCH_THRESHOLDS, type SearchThresholds } from './reading/day-plan.ts'
import { SEARCH_COSTS, type SearchCosts } from './reading/text-driver.ts'

/** The contract holds for every plan of a search. */
function openWith(changes: Partial<SearchThresholds>, costs: Partial<SearchCosts> = {}): OpenLog {
  const searchThresholds = { ...SEARCH_THRESHOLDS, ...changes, costs: { ...SEARCH_COSTS, ...costs } }
  return () => openTestStorage(systemClock, { searchThresholds })
}

const VARIANT = { numRuns: 40, isThorough: false }

function holdsWith(...thresholds: Parameters<typeof openWith>): void {
  const openEmpty = openWith(...thresholds)
  eventLogContract(shareLog(openEmpty), { ...VARIANT, openEmpty })
}

const SMALL_SLICES = { sliceRows: 3, sortedMax: 20, fewEvents: 0 }

/** With a log for each test that stores many events: those of all others would be many slices. */
function holdsInSmallSlices(changes: Partial<SearchThresholds>): void {
  const open = openWith({ ...SMALL_SLICES, ...changes })
  eventLogContract(open, { ...VARIANT, openForFew: shareLog(open), isInterruptedEarly: true })
}

describe('using the text index for every text, and abandoning it early', () => {
  holdsWith({ candidatesMax: 3, fewEvents: 0 }, { statement: 0, wrongCandidate: 0, match: 0 })
})

describe('reading every message of the domain for every text', () => {
  holdsWith({ candidatesMax: 0 }, { statement: 0, scannedMessage: 0, match: 0 })
})

describe('using the text index for every text, after erasing', () => {
  erasureContract(openWith({ candidatesMax: 3, fewEvents: 0 }, { statement: 0, wrongCandidate: 0, match: 0 }), {
    numRuns: 20,
  })
})

describe('with slices of three events, walking every day', () => {
  holdsInSmallSlices({ walkShare: Number.POSITIVE_INFINITY })
})

describe('with slices of three events, reading the index of each domain', () => {
  holdsInSmallSlices({ candidatesMax: 3, walkShare: 0 })
})
