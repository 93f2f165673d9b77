/** Says why retention removes less than is due, and what to do; undefined if it does not. */

import { PROGRAM } from '../../lib/program-name.ts'
import type { RetentionStatus } from './retention.ts'
import { STEP_MS } from './retention-time.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const CONFIRM = `${PROGRAM} retention run --confirm`

export function describeRetention({ phase, offMs, believedInMs }: RetentionStatus): string | undefined {
  if (phase === 'on_time') return undefined
  if (phase === 'catching_up')
    return (
      `Retention is catching up and removes at most ${STEP_MS / DAY_MS} days of events in each run. If the clock or ` +
      `ENVELOG_RETENTION is wrong, correct it now. If both are right, nothing has to be done; ${CONFIRM} removes everything ` +
      'that is due at once.'
    )
  const days = count(Math.round(Math.abs(offMs) / DAY_MS), 'day')
  const hours = count(Math.ceil(believedInMs / HOUR_MS), 'hour')
  return (
    `The clock is ${days} ${offMs > 0 ? 'ahead of' : 'behind'} the time that the last run of retention, or the newest event, leads ` +
    `to expect. Retention removes nothing early: it waits for ${hours} of running time. If the clock is wrong, correct it. If it is right, ` +
    `nothing has to be done; ${CONFIRM} ends the wait.`
  )
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
