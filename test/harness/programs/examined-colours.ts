/**
 * Which elements of a page look like one whose colours were examined before, in this process. Most of the time of an examination
 * goes into contrasts, and nearly all elements of a page are those of the frame or of the row above.
 */
import type { Page } from 'playwright-core'

/** Marks the elements to examine. */
export const UNEXAMINED = '[data-unexamined]'

/** In the page: the elements that were looked at, by index. It may have others by the time of the next question. */
const LOOKED_AT = 'window.lookedAt'

/** Parents come before their children: [index of the parent, what decides about contrast, has a text]. */
type Element = readonly [parent: number, style: number, hasText: boolean]

interface Elements {
  readonly styles: readonly string[]
  readonly elements: readonly Element[]
}

/** By style and that of all elements around it; of what is covered, also by that of what covers it. */
const numbers = new Map<string, number>()
const examined = new Set<number>()

export interface Marks {
  readonly isEmpty: boolean
  /** Once they are examined. False if the page has replaced one of them by then: none counts as examined. */
  remember(): Promise<boolean>
}

/** Elements with a text of their own that are covered, or like no other. */
export async function markUnexamined(page: Page): Promise<Marks> {
  const { styles, elements } = await page.evaluate<Elements>(ELEMENTS)
  const looks: number[] = []
  for (const [parent, style] of elements) looks.push(numberOf(`${looks[parent] ?? ''} ${styles[style]}`))
  const candidates = [...elements.keys()].filter((index) => elements[index]?.[2] && !examined.has(looks[index] ?? 0))
  const covers = new Map(candidates.length === 0 ? [] : await page.evaluate<[number, number[]][]>(coversOf(candidates)))
  const marked: number[] = []
  const marking = new Set<number>()
  for (const index of candidates) {
    const look = looks[index] ?? 0
    const cover = covers.get(index)
    // Axe does not judge what is covered, which says nothing about one that is not, or only in part.
    const seen = cover ? numberOf(`${look} below ${cover.map((top) => looks[top]).join()}`) : look
    if (!examined.has(seen) && !marking.has(seen)) marked.push(index)
    if (!cover?.includes(-1)) marking.add(seen)
  }
  // With all that is in them.
  await page.evaluate(`(() => {
    const marked = new Set(${JSON.stringify(marked)})
    for (const [index, element] of ${LOOKED_AT}.entries())
      element.toggleAttribute('data-unexamined', marked.has(index) || element.parentElement?.hasAttribute('data-unexamined') === true)
  })()`)
  return {
    isEmpty: marked.length === 0,
    async remember() {
      const isThere = `${JSON.stringify(marked)}.every((index) => ${LOOKED_AT}[index].isConnected)`
      if (!(await page.evaluate<boolean>(isThere))) return false
      for (const seen of marking) examined.add(seen)
      return true
    },
  }
}

function numberOf(style: string): number {
  const number = numbers.get(style) ?? numbers.size
  numbers.set(style, number)
  return number
}

/** Texts for screen readers alone are in a box of one pixel. */
const ELEMENTS = `(() => {
  const canBeSeen = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true })) return false
    const { width, height } = element.getBoundingClientRect()
    return (width > 1 && height > 1) || getComputedStyle(element).overflow === 'visible'
  }
  const all = [...document.querySelectorAll('*')]
  ${LOOKED_AT} = all
  const indexes = new Map(all.map((element, index) => [element, index]))
  const styles = new Map()
  const elements = all.map((element) => {
    const { display, visibility, color, backgroundColor, backgroundImage, fontSize, fontWeight, opacity, filter, textShadow, textDecorationLine, mixBlendMode, position } = getComputedStyle(element)
    const style = [element.tagName, element.getAttribute('class'), element.matches(':disabled, [aria-disabled=true]'), display, visibility, color, backgroundColor, backgroundImage, fontSize, fontWeight, opacity, filter, textShadow, textDecorationLine, mixBlendMode, position].join()
    if (!styles.has(style)) styles.set(style, styles.size)
    const text = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ data }) => data.trim()).join('') || element.value || element.placeholder || ''
    // Axe does not judge single signs.
    return [indexes.get(element.parentElement) ?? -1, styles.get(style), String(text).length > 1 && canBeSeen(element)]
  })
  return { styles: [...styles.keys()], elements }
})()`

/**
 * Those in the middle of which there is something else, with what is there and at the corners; -1 where there is nothing else. Asked only
 * about some: the browser takes long to find what is at a point.
 */
function coversOf(candidates: readonly number[]): string {
  return `(() => {
    const all = ${LOOKED_AT}
    return ${JSON.stringify(candidates)}.flatMap((index) => {
      const { left, right, top, bottom } = all[index].getBoundingClientRect()
      const coverAt = (x, y) => {
        const cover = document.elementFromPoint(x, y)
        return cover === null || all[index].contains(cover) ? -1 : all.indexOf(cover)
      }
      const middle = coverAt((left + right) / 2, (top + bottom) / 2)
      if (middle === -1) return []
      const corners = [left + 1, right - 1].flatMap((x) => [top + 1, bottom - 1].map((y) => coverAt(x, y)))
      return [[index, [middle, ...corners]]]
    })
  })()`
}
