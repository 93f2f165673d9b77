/**
 * A page of the documentation: header with search, navigation, content, and the headings of the page.
 *
 * It works without scripts, except for the search; the navigation on narrow screens is a popover.
 */
import { escapeHtml } from './html.ts'
import { GUIDE_URL, type NavGroup, type NavLink, REFERENCE_URL, type Site } from './site.ts'

export interface PageHeading {
  readonly id: string
  /** HTML, without links. */
  readonly html: string
  readonly isSub?: boolean
}

export interface DocumentationPage {
  readonly title: string
  readonly url: string
  /** HTML. */
  readonly content: string
  readonly headings: readonly PageHeading[]
}

const MARK =
  '<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><path class="mark-body" d="M3 6.5h18v12H3z"/>' +
  '<path class="mark-flap" d="m3.5 7 8.5 6.5L20.5 7"/></svg>'

export function renderPage(site: Site, page: DocumentationPage): string {
  const { title, url, content, headings } = page
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Envelog</title>
${headLinks(site)}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top">
<button type="button" class="menu-button" popovertarget="navigation">Contents</button>
<a class="brand" href="${GUIDE_URL}" aria-label="envelog Docs">${MARK}<span class="brand-word">envelog</span> <span class="brand-part">Docs</span></a>
<div class="search" id="search"></div>
<nav class="top-links" aria-label="Site"><a href="${REFERENCE_URL}">API</a><a href="/">Console</a></nav>
<button type="button" class="theme-button" id="theme" hidden></button>
</header>
<div class="frame">
<nav class="side" id="navigation" popover aria-label="Documentation">
${site.groups.map((group) => navGroup(group, url)).join('\n')}
</nav>
<main class="content" id="content" tabindex="-1">
<article>
${content}
</article>
</main>
${tableOfContents(headings)}</div>
</body>
</html>
`
}

/** The theme is applied before the first paint; see console/public/assets/theme.js. */
function headLinks({ script, style }: Site): string {
  if (script === undefined || style === undefined) return ''
  return `<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<script src="/assets/theme.js"></script>
<link rel="stylesheet" href="${escapeHtml(style)}">
<script type="module" src="${escapeHtml(script)}"></script>
`
}

function navGroup({ title, links, home }: NavGroup, current: string): string {
  const isHere = home === undefined || links.some(({ url }) => url === current)
  const shown = isHere ? links : [home]
  const items = shown.map((link) => `<li>${navLink(link, current)}</li>`).join('')
  return `<section class="nav-group"><h2>${escapeHtml(title)}</h2><ul>${items}</ul></section>`
}

function navLink({ title, url }: NavLink, current: string): string {
  return `<a href="${escapeHtml(url)}"${url === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a>`
}

function tableOfContents(headings: readonly PageHeading[]): string {
  if (headings.length < 2) return ''
  const items = headings.map(
    ({ id, html, isSub }) => `<li${isSub ? ' class="sub"' : ''}><a href="#${escapeHtml(id)}">${html}</a></li>`,
  )
  return `<nav class="toc" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>\n`
}
