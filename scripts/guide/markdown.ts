/**
 * Markdown as HTML, written from the tokens of a parser: text is escaped where it is written, and HTML in a document is shown as text.
 * Also returns what the search and the navigation need.
 */
import { marked, type Token, type Tokens } from 'marked'
import { escapeHtml, slugOf, TABLE_END, TABLE_START } from '../../src/http/docs/site/html.ts'
import type { PageHeading } from '../../src/http/docs/site/page.ts'

export interface RenderedSection {
  /** Empty for what comes before the first heading below the title. */
  readonly heading: string
  readonly id: string
  readonly text: string
}

export interface RenderedMarkdown {
  readonly html: string
  readonly headings: readonly PageHeading[]
  readonly sections: readonly RenderedSection[]
  /** Ids of all headings. */
  readonly ids: ReadonlySet<string>
}

/** Where a link or an image of the document leads; undefined: shown without a link. */
export type ResolveLink = (target: string) => string | undefined

/** Deeper ones are in the text only. */
const NAVIGATION_DEPTH = 3

export function renderMarkdown(markdown: string, resolve: ResolveLink): RenderedMarkdown {
  const writer = new Writer(resolve)
  const html = writer.blocks(marked.lexer(markdown))
  return { html, headings: writer.headings, sections: writer.sections, ids: writer.ids }
}

/** As it is read: without marks of Markdown. */
export function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'br') return ' '
      const { tokens: inner, text } = token as { readonly tokens?: readonly Token[]; readonly text?: string }
      if (inner) return plainText(inner)
      return token.type === 'text' ? decodeEntities(text ?? '') : (text ?? '')
    })
    .join('')
}

/** The parser leaves these in texts; in code they are meant as they are. */
function decodeEntities(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}

class Writer {
  readonly headings: PageHeading[] = []
  readonly ids = new Set<string>()
  readonly #sections: { heading: string; id: string; texts: string[] }[] = [{ heading: '', id: '', texts: [] }]
  readonly #resolve: ResolveLink

  constructor(resolve: ResolveLink) {
    this.#resolve = resolve
  }

  get sections(): readonly RenderedSection[] {
    return this.#sections
      .map(({ heading, id, texts }) => ({ heading, id, text: texts.join(' ').replaceAll(/\s+/g, ' ').trim() }))
      .filter(({ heading, text }) => heading !== '' || text !== '')
  }

  blocks(tokens: readonly Token[]): string {
    return tokens.map((token) => this.#block(token)).join('')
  }

  #block(token: Token): string {
    switch (token.type) {
      case 'space':
      case 'def':
        return ''
      case 'heading':
        return this.#heading(token as Tokens.Heading)
      case 'paragraph':
        return `<p>${this.#text(token.tokens ?? [])}</p>\n`
      case 'text':
        return this.#text(token.tokens ?? [token])
      case 'code':
        return this.#code(token as Tokens.Code)
      case 'list':
        return this.#list(token as Tokens.List)
      case 'blockquote':
        return `<blockquote>${this.blocks(token.tokens ?? [])}</blockquote>\n`
      case 'table':
        return this.#table(token as Tokens.Table)
      case 'hr':
        return '<hr>\n'
      case 'html':
        return isComment(token.raw) ? '' : `<p>${escapeHtml(this.#note(token.raw))}</p>\n`
      default:
        return `<p>${escapeHtml(this.#note(token.raw))}</p>\n`
    }
  }

  #heading({ depth, tokens }: Tokens.Heading): string {
    const text = plainText(tokens)
    const id = this.#newId(slugOf(text))
    const html = this.#inline(tokens)
    if (depth === 1) return `<h1 id="${escapeHtml(id)}">${html}</h1>\n`
    this.#sections.push({ heading: text, id, texts: [] })
    if (depth <= NAVIGATION_DEPTH)
      this.headings.push({ id, html: html.replaceAll(/<\/?a\b[^>]*>/g, ''), isSub: depth > 2 })
    // A link to itself, to copy.
    return `<h${depth} id="${escapeHtml(id)}">${html}<a class="anchor" href="#${escapeHtml(id)}" aria-label="Link to this section">#</a></h${depth}>\n`
  }

  /** As forges do: the second of the same name has the suffix -1. */
  #newId(slug: string): string {
    let id = slug
    for (let count = 1; this.ids.has(id); count++) id = `${slug}-${count}`
    this.ids.add(id)
    return id
  }

  #code({ text }: Tokens.Code): string {
    return `<pre><code>${escapeHtml(this.#note(text))}</code></pre>\n`
  }

  #list({ ordered, start, items }: Tokens.List): string {
    const tag = ordered ? 'ol' : 'ul'
    const first = ordered && typeof start === 'number' && start !== 1 ? ` start="${start}"` : ''
    const written = items.map((item) => `<li>${this.blocks(item.tokens)}</li>`)
    return `<${tag}${first}>\n${written.join('\n')}\n</${tag}>\n`
  }

  #table({ header, rows }: Tokens.Table): string {
    // The corner of a table with names on both sides is empty, and not a header.
    const names = header
      .map(({ tokens }) => (tokens.length === 0 ? '<td></td>' : `<th scope="col">${this.#text(tokens)}</th>`))
      .join('')
    const body = rows.map((cells) => `<tr>${cells.map(({ tokens }) => `<td>${this.#text(tokens)}</td>`).join('')}</tr>`)
    return `${TABLE_START}<thead><tr>${names}</tr></thead>\n<tbody>\n${body.join('\n')}\n</tbody>${TABLE_END}\n`
  }

  /** Inline tokens that are searched. */
  #text(tokens: readonly Token[]): string {
    this.#note(plainText(tokens))
    return this.#inline(tokens)
  }

  #note(text: string): string {
    this.#sections.at(-1)?.texts.push(text)
    return text
  }

  #inline(tokens: readonly Token[]): string {
    return tokens.map((token) => this.#piece(token)).join('')
  }

  #piece(token: Token): string {
    switch (token.type) {
      case 'text':
      case 'escape':
        return token.type === 'text' && token.tokens
          ? this.#inline(token.tokens)
          : escapeHtml(decodeEntities((token as Tokens.Text).text))
      case 'codespan':
        return `<code>${escapeHtml((token as Tokens.Codespan).text)}</code>`
      case 'strong':
        return `<strong>${this.#inline(token.tokens ?? [])}</strong>`
      case 'em':
        return `<em>${this.#inline(token.tokens ?? [])}</em>`
      case 'del':
        return `<del>${this.#inline(token.tokens ?? [])}</del>`
      case 'br':
        return '<br>'
      case 'link':
        return this.#link(token as Tokens.Link)
      case 'image':
        return this.#image(token as Tokens.Image)
      case 'html':
        return isComment(token.raw) ? '' : escapeHtml(token.raw)
      default:
        return escapeHtml(token.raw)
    }
  }

  #link({ href, tokens }: Tokens.Link): string {
    const url = this.#resolve(href)
    const html = this.#inline(tokens)
    return url === undefined ? html : `<a href="${escapeHtml(url)}">${html}</a>`
  }

  #image({ href, text }: Tokens.Image): string {
    const url = this.#resolve(href)
    const alt = escapeHtml(decodeEntities(text))
    return url === undefined ? alt : `<img src="${escapeHtml(url)}" alt="${alt}" loading="lazy">`
  }
}

function isComment(html: string): boolean {
  return /^<!--(?:(?!-->).)*-->$/s.test(html.trim())
}
