/** Examines a page at several widths: no axe violation, nothing wider than the screen. Leaves screenshots. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { keepPicture } from './browser.ts'

export type Theme = 'light' | 'dark'

export interface Examination {
  readonly name: string
  readonly theme: Theme
  /** Wide first: there, all parts of a page are on the screen. */
  readonly widths: readonly number[]
}

/** The findings; empty if all is well. */
export async function examinePage(page: Page, { name, theme, widths }: Examination): Promise<readonly string[]> {
  const findings: string[] = []
  for (const width of widths) {
    const where = `${name} at ${width} px in the ${theme} theme`
    await page.setViewportSize({ width, height: width === 360 ? 740 : 900 })
    if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
      findings.push(`${where} is too wide`)
    const hasAll = theme === 'light' || width === widths[0]
    findings.push(...(await findViolations(page, hasAll)).map((violation) => `${where}: ${violation}`))
    await keepPicture(page, `${name}-${width}-${theme}`)
  }
  return findings
}

/**
 * Structure does not depend on the colours: in the second theme, most widths are examined for those alone. Legacy mode: the console
 * has no frames, so axe needs no second page to merge their results.
 */
async function findViolations(page: Page, hasAll: boolean): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (hasAll ? axe : axe.withRules(['color-contrast'])).analyze()
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help} ${html.slice(0, 300)}`))
}

/** Less is good by the definition of Cumulative Layout Shift (https://web.dev/articles/cls). */
export const SHIFT_MAX = 0.1

/** In every page that is loaded from now on. */
export async function noteShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.layoutShift = 0
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.layoutShift += value
    }).observe({ type: 'layout-shift', buffered: true })`)
}

/** Of the page that is loaded, so far. */
export function readShift(page: Page): Promise<number> {
  return page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(window.layoutShift))))',
  )
}
