import { describe } from 'node:test'
import { openTestStorage } from '../../../../test/harness/sqlite-storage.ts'
import { systemClock } from '../../../lib/clock.ts'
import { manyDomainsContract, tenantLogContract } from '../../contract/tenant-log.contract.ts'
import { LOG_THRESHOLDS, type LogThresholds } from './log-day-plan.ts'

const WALKING = { walkShare: Number.POSITIVE_INFINITY }
const ASKING_EACH_DOMAIN = { walkShare: 0 }
const SMALL = { candidatesMax: 3, fewEvents: 0, sliceRows: 3 }

function openWith(changes: Partial<LogThresholds>) {
  return () => openTestStorage(systemClock, { logThresholds: { ...LOG_THRESHOLDS, ...changes } })
}

describe('as it is', () => {
  tenantLogContract(openWith({}))
  manyDomainsContract(openWith({}))
})

describe('with slices of three events, asking the search index for every text, and walking every day', () => {
  tenantLogContract(openWith({ ...SMALL, ...WALKING }), { numRuns: 30 })
  manyDomainsContract(openWith(WALKING))
})

describe('with slices of three events, and asking the index of each domain', () => {
  tenantLogContract(openWith({ ...SMALL, ...ASKING_EACH_DOMAIN }), { numRuns: 30 })
  manyDomainsContract(openWith(ASKING_EACH_DOMAIN))
})
