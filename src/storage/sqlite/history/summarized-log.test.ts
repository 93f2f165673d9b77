/** Answers from the history index are those of every event log. */
import { describe } from 'node:test'
import { openSummarizedLog } from '../../../../test/harness/storage/summarized-log.ts'
import { arrivalsContract } from '../../contract/arrivals.contract.ts'
import { deliveryTimesContract } from '../../contract/delivery-times.contract.ts'
import { eventLogContract } from '../../contract/event-log.contract.ts'
import { findingsContract } from '../../contract/findings.contract.ts'
import { repliesContract } from '../../contract/replies.contract.ts'
import { sendingContract } from '../../contract/sending.contract.ts'
import { seriesContract } from '../../contract/series.contract.ts'

describe('with days in the history index', () => {
  eventLogContract(() => openSummarizedLog(), { numRuns: 15, isThorough: false })
  arrivalsContract(() => openSummarizedLog(), { numRuns: 8 })
  seriesContract(() => openSummarizedLog(), { numRuns: 12 })
  repliesContract(() => openSummarizedLog())
  deliveryTimesContract(() => openSummarizedLog())
  findingsContract(() => openSummarizedLog())
  sendingContract(() => openSummarizedLog())
})
