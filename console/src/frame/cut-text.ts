/** Shows the whole text of a cell that is too narrow for it as a tooltip. One listener for all cells of the page. */

/** Elements that cut off their text. */
const CUT = '[role="cell"], .truncate, .clamped, td'

export function watchCutText(): () => void {
  const onMove = ({ target, clientX, clientY }: PointerEvent) => {
    if (!(target instanceof HTMLElement)) return
    // A link may cover its row, and the cells with it.
    const cell = target.classList.contains('cover-link')
      ? document.elementsFromPoint(clientX, clientY).find((element) => element.matches('[role="cell"]'))
      : target.closest(CUT)
    const text = cell && isCut(cell) ? (cell.textContent ?? '') : ''
    if (text !== '') {
      if (target.title !== text && (target.title === '' || target.dataset['cut'] !== undefined)) {
        target.title = text
        target.dataset['cut'] = ''
      }
    } else if (target.dataset['cut'] !== undefined) {
      target.removeAttribute('title')
      delete target.dataset['cut']
    }
  }
  document.addEventListener('pointermove', onMove, { passive: true })
  return () => document.removeEventListener('pointermove', onMove)
}

function isCut({ scrollWidth, clientWidth, scrollHeight, clientHeight }: Element): boolean {
  return scrollWidth > clientWidth || scrollHeight > clientHeight + 2
}
