/** How much work an action is for a page, whatever else the machine does. */
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
