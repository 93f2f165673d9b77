/**
 * Which elements of a page look like one whose colours were examined before, in this process. Most of the time of an examination
 * goes into contrasts, and nearly all elements of a page are those of the frame or of the row above.
 */
import type { Page } from 'playwright-core'

/** Marks the elements to examine. */
export const UNEXAMINED = '[data-unexamined]'

/** Parents come before their children: [index of the parent, what decides about contrast, text, is covered by something]. */
type Element = readonly [parent: number, style: string, hasText: boolean, isCovered: boolean]

/** By style and that of all elements around it. */
const numbers = new Map<string, number>()
const examined = new Set<number>()

/** False if there are none: elements with a text of their own that are covered, or like no other. */
export async function markUnexamined(page: Page): Promise<boolean> {
  const styles: number[] = []
  const marked: number[] = []
  const unexamined = new Set<number>()
  for (const [index, [parent, style, hasText, isCovered]] of (await page.evaluate<Element[]>(ELEMENTS)).entries()) {
    const number = numberOf(`${styles[parent] ?? ''} ${style}`)
    styles.push(number)
    if (!hasText || examined.has(number)) continue
    // Axe does not judge what is covered; one of them says nothing about the others.
    if (isCovered || !unexamined.has(number)) marked.push(index)
    if (!isCovered) unexamined.add(number)
  }
  for (const number of unexamined) examined.add(number)
  await page.evaluate(`(() => {
    const marked = new Set(${JSON.stringify(marked)})
    for (const [index, element] of [...document.querySelectorAll('*')].entries()) element.toggleAttribute('data-unexamined', marked.has(index))
  })()`)
  return marked.length > 0
}

function numberOf(style: string): number {
  const number = numbers.get(style) ?? numbers.size
  numbers.set(style, number)
  return number
}

const ELEMENTS = `(() => {
  const all = [...document.querySelectorAll('*')]
  const indexes = new Map(all.map((element, index) => [element, index]))
  return all.map((element) => {
    const { display, visibility, color, backgroundColor, backgroundImage, fontSize, fontWeight, opacity, filter, textShadow, textDecorationLine, mixBlendMode, position } = getComputedStyle(element)
    const style = [element.tagName, element.getAttribute('class'), element.matches(':disabled, [aria-disabled=true]'), display, visibility, color, backgroundColor, backgroundImage, fontSize, fontWeight, opacity, filter, textShadow, textDecorationLine, mixBlendMode, position]
    const text = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data.trim()).join('') || element.value || element.placeholder || ''
    const { x, y, width, height } = element.getBoundingClientRect()
    const top = document.elementFromPoint(x + width / 2, y + height / 2)
    // Axe does not judge single signs.
    return [indexes.get(element.parentElement) ?? -1, style.join(), String(text).length > 1, top !== null && !element.contains(top)]
  })
})()`
