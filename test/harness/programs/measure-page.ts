/** How much work an action is for a page, whatever else the machine does. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Times the processor time of loading the page. An action that is slower by its design is far beyond. */
export const LAG_IN_LOADS_MAX = 1

/** Returns how long the page's thread is at work because of an action, in milliseconds, until the second frame after it. */
export async function openMeasure(page: Page): Promise<(act: () => Promise<unknown>) => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
  }
  const settle = () => page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  return async (act) => {
    // Work left over from what was done before is not this action's.
    await settle()
    const before = await read()
    await act()
    await settle()
    return (await read()) - before
  }
}

/** What was measured, for the report, and whether any of it is too slow. */
export interface Lag {
  readonly times: string
  readonly isLagging: boolean
}

const LOOKS_MAX = 3

/** Looks again at what lags: what is slow by its design is slow every time, but a busy machine can double the time of any action once. */
export async function requireNoLag(look: () => Promise<Lag>): Promise<string> {
  const all: string[] = []
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const { times, isLagging } = await look()
    all.push(times)
    if (!isLagging) return times
  }
  assert.fail(all.join('; '))
}
