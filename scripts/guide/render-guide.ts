/** All pages of the guide, from the documents of the repository. */
import { marked, type Tokens } from 'marked'
import { type DocumentationPage, renderPage } from '../../src/http/docs/site/page.ts'
import { GUIDE_URL, type SearchSection, type Site } from '../../src/http/docs/site/site.ts'
import { type GuideDocument, listGroups, readGuideDocuments } from './contents.ts'
import { Links } from './links.ts'
import { plainText, type RenderedMarkdown, renderMarkdown } from './markdown.ts'

export interface Guide {
  readonly site: Site
  /** HTML by path below the folder of pages, such as `operations.html`. */
  readonly pages: ReadonlyMap<string, string>
  readonly sections: readonly SearchSection[]
  /** Paths from the root of the repository. */
  readonly images: readonly string[]
  /** Dead links: they are shown as text, so that one of them does not cost the whole guide. A test fails for them. */
  readonly problems: readonly string[]
}

export interface GuideFiles {
  readonly script: string
  readonly style: string
}

/** The only page that lists the documents itself. */
const EXAMPLES = 'docs/examples.md'

export function renderGuide(root: string, files: GuideFiles): Guide {
  const documents = readGuideDocuments(root)
  const links = new Links(root, documents)
  const rendered = new Map(
    documents.map((document) => [document, renderMarkdown(document.text, links.resolverFor(document))]),
  )
  const examples = documents.find(({ path }) => path === EXAMPLES)
  const site: Site = {
    groups: listGroups(documents),
    ...files,
    examples: examples ? listExamples(examples.text) : {},
  }
  const pages = new Map(
    [...rendered].map(([document, content]) => [fileOf(document), renderPage(site, toPage(document, content))]),
  )
  const sections = [...rendered].flatMap(([document, content]) => toSections(document, content))
  return {
    site,
    pages,
    sections,
    images: [...links.images],
    problems: [...links.problems, ...deadAnchors(links, rendered)],
  }
}

function fileOf({ url }: GuideDocument): string {
  return url === GUIDE_URL ? 'index.html' : `${url.slice(GUIDE_URL.length + 1)}.html`
}

function toPage({ title, url }: GuideDocument, { html, headings }: RenderedMarkdown): DocumentationPage {
  return { title, url, content: html, headings }
}

function toSections({ title, url }: GuideDocument, { sections }: RenderedMarkdown): readonly SearchSection[] {
  return sections.map(({ heading, id, text }) => ({
    page: title,
    heading,
    url: id === '' ? url : `${url}#${id}`,
    text,
  }))
}

function deadAnchors(links: Links, rendered: ReadonlyMap<GuideDocument, RenderedMarkdown>): readonly string[] {
  const ids = new Map([...rendered].map(([{ path }, content]) => [path, content.ids]))
  return links.anchors
    .filter(({ to, id }) => !ids.get(to)?.has(id))
    .map(({ from, to, id }) => `${from} links to a heading that does not exist: ${to}#${id}`)
}

/** The sections of docs/examples.md, which are named after endpoints, for the API reference. */
function listExamples(markdown: string): Readonly<Record<string, string>> {
  const examples: Record<string, string> = {}
  let endpoint = ''
  for (const token of marked.lexer(markdown)) {
    if (token.type === 'heading') endpoint = plainText((token as Tokens.Heading).tokens)
    else if (/^[A-Z]+ \//.test(endpoint))
      examples[endpoint] = (examples[endpoint] ?? '') + renderMarkdown(token.raw, () => undefined).html
  }
  return examples
}
