/** Examines a page in both themes and at several widths: no axe violation, nothing wider than the screen. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { keepPicture } from './browser.ts'
import { markUnexamined, UNEXAMINED } from './examined-colours.ts'

export interface Examination {
  readonly name: string
  readonly widths: readonly number[]
}

const THEMES = ['light', 'dark'] as const

/** The findings; empty if all is well. The page is loaded once: it follows the theme of the system and the size of its window. */
export async function examinePage(page: Page, { name, widths }: Examination): Promise<readonly string[]> {
  const findings: string[] = []
  const examined = new Set<string>()
  const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches")
  const themes = isDark ? THEMES.toReversed() : THEMES
  for (const [index, width] of widths.entries()) {
    await page.setViewportSize({ width, height: width === 360 ? 740 : 900 })
    // Each width begins with the theme that the page has already: another one draws all of it again.
    for (const theme of index % 2 === 0 ? themes : themes.toReversed()) {
      const where = `${name} at ${width} px in the ${theme} theme`
      // Otherwise colours would be examined on their way from one theme to the other.
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      if (!(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')))
        findings.push(`${where} is too wide`)
      // What is the same at another width or in the other theme has been examined there.
      const { structure, colours } = await page.evaluate<Appearance>(APPEARANCE)
      const isNew = { structure: !examined.has(structure), colours: !examined.has(structure + colours) }
      const violations = await findViolations(page, isNew)
      examined.add(structure).add(structure + colours)
      findings.push(...violations.map((violation) => `${where}: ${violation}`))
      await keepPicture(page, `${name}-${width}-${theme}`)
    }
  }
  return findings
}

/** All that axe judges, except positions: every element with its attributes, texts and style. Which digits a text has makes no difference: counts and times go on meanwhile. */
interface Appearance {
  /** As hashes: the texts themselves are as long as the page. */
  readonly structure: string
  readonly colours: string
}

const APPEARANCE = `(async () => {
  const structure = []
  const colours = []
  for (const element of document.querySelectorAll('*')) {
    const { display, visibility, color, backgroundColor, backgroundImage, fontSize, fontWeight, opacity, overflow } = getComputedStyle(element)
    const names = element.closest('svg') ? [] : element.getAttributeNames()
    const attributes = names.filter((name) => !['style', 'width', 'height', 'data-unexamined'].includes(name))
    const texts = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data.replaceAll(/\\d/g, '0'))
    structure.push([element.tagName, attributes.map((name) => [name, element.getAttribute(name)]), texts, display, visibility, fontSize, fontWeight, opacity, overflow])
    colours.push([color, backgroundColor, backgroundImage])
  }
  const hash = async (value) =>
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(value)))).toHex()
  return { structure: await hash(structure), colours: await hash(colours) }
})()`

const LOOKS_MAX = 10
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Of a page in which one or both have not been examined; again if it was drawn anew meanwhile. */
async function findViolations(page: Page, isNew: { structure: boolean; colours: boolean }): Promise<readonly string[]> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const marks = isNew.colours ? await markUnexamined(page) : undefined
    const hasColours = marks?.isEmpty === false
    if (!(isNew.structure || hasColours)) return []
    // A page that has it needs no other: reading the script takes as long as a small page.
    if (!(await page.evaluate<boolean>('typeof axe === "object"'))) await page.evaluate(AXE)
    const off = hasColours ? [] : COLOUR_RULES
    const violations = isNew.structure
      ? await runAxe(page, ':root', { rules: Object.fromEntries(off.map((rule) => [rule, { enabled: false }])) })
      : await runAxe(page, UNEXAMINED, { runOnly: { type: 'rule', values: COLOUR_RULES } })
    if (!hasColours || (await marks.remember())) return violations
  }
  throw new Error('the page was drawn anew whenever its colours were examined')
}

/** Colours are examined only of marked elements. */
const AXE = `${readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')}
axe.configure({ rules: [
  { id: 'color-contrast', selector: '${UNEXAMINED}' },
  { id: 'link-in-text-block', selector: 'a[href]${UNEXAMINED}, [role=link]${UNEXAMINED}' },
] })`

/**
 * Without the options, most of the time goes into describing what is right and into reading style sheets, which no rule of these needs.
 * The console has no frames. `context`: what to examine; all of it may have gone since it was marked.
 */
function runAxe(page: Page, context: string, options: object): Promise<readonly string[]> {
  const all = { ...options, resultTypes: ['violations'], selectors: false, preload: { assets: ['media'] } }
  return page.evaluate(`document.querySelector('${context}') === null ? [] :
    axe.run('${context}', ${JSON.stringify(all)}).then(({ violations }) =>
      violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => id + ': ' + help + ' ' + html.slice(0, 300))))`)
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
