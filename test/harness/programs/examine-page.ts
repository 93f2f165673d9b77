/** Examines a page in both themes and at several widths: no axe violation, nothing wider than the screen. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { keepPicture } from './browser.ts'
import { markUnexamined, UNEXAMINED } from './examined-colours.ts'

export interface Examination {
  readonly name: string
  readonly widths: readonly number[]
}

/** The findings; empty if all is well. The page is loaded once: it follows the theme of the system and the size of its window. */
export async function examinePage(page: Page, { name, widths }: Examination): Promise<readonly string[]> {
  const findings: string[] = []
  const examined = new Set<string>()
  for (const width of widths) {
    await page.setViewportSize({ width, height: width === 360 ? 740 : 900 })
    for (const theme of ['light', 'dark'] as const) {
      const where = `${name} at ${width} px in the ${theme} theme`
      // Otherwise colours would be examined on their way from one theme to the other.
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
        findings.push(`${where} is too wide`)
      // What is the same at another width has been examined there.
      const appearance = await page.evaluate<string>(APPEARANCE)
      const violations = examined.has(appearance) ? [] : await findViolations(page, theme)
      examined.add(appearance)
      findings.push(...violations.map((violation) => `${where}: ${violation}`))
      await keepPicture(page, `${name}-${width}-${theme}`)
    }
  }
  return findings
}

/** All that axe judges, except positions: every element with its attributes, texts and style. */
const APPEARANCE = `JSON.stringify([...document.querySelectorAll('*')].map((element) => {
  const { display, visibility, color, backgroundColor, backgroundImage, fontSize, fontWeight, opacity, overflow } = getComputedStyle(element)
  const attributes = [...element.attributes].filter(({ name }) => !['style', 'width', 'height'].includes(name) && !element.closest('svg'))
  const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data)
  return [element.tagName, attributes.map(({ name, value }) => [name, value]), texts, display, visibility, color, backgroundColor, backgroundImage, fontSize, fontWeight, opacity, overflow]
}))`

const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** In the second theme nothing but colours has changed. */
async function findViolations(page: Page, theme: 'light' | 'dark'): Promise<readonly string[]> {
  const others = theme === 'light' ? await analyze((await openAxe(page)).disableRules(COLOUR_RULES)) : []
  if (!(await markUnexamined(page))) return others
  return [...others, ...(await analyze((await openAxe(page)).include(UNEXAMINED).withRules(COLOUR_RULES)))]
}

/**
 * Legacy mode: the console has no frames, so axe needs no second page to merge their results. Without the options, most of the time
 * goes into describing what is right.
 */
async function openAxe(page: Page): Promise<AxeBuilder> {
  // A page that has it needs no other: reading the script takes as long as a small page.
  const isThere = await page.evaluate<boolean>('typeof axe === "object"')
  const axe = new AxeBuilder({ page, ...(isThere && { axeSource: 'undefined' }) })
  return axe.setLegacyMode().options({ resultTypes: ['violations'], selectors: false })
}

async function analyze(axe: AxeBuilder): Promise<readonly string[]> {
  const { violations } = await axe.analyze()
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
