/** Marks the heading that is being read in the list of headings. */

/** A heading above this line, in pixels, has been reached. */
const LINE = 96

export function watchPosition(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.toc a')]
  const headings = links.flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)))
    return heading ? [{ link, heading }] : []
  })
  if (headings.length === 0) return
  let isWaiting = false
  const mark = () => {
    isWaiting = false
    const reached = headings.filter(({ heading }) => heading.getBoundingClientRect().top <= LINE).at(-1)
    for (const { link } of headings) {
      if (link === reached?.link) link.setAttribute('aria-current', 'location')
      else link.removeAttribute('aria-current')
    }
  }
  addEventListener(
    'scroll',
    () => {
      if (!isWaiting) requestAnimationFrame(mark)
      isWaiting = true
    },
    { passive: true },
  )
  mark()
}
