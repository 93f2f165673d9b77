/** The pages of the API reference, from the OpenAPI documents that this server serves. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describedHtml, escapeHtml } from '../site/html.ts'
import { renderPage } from '../site/page.ts'
import { GUIDE_URL, REFERENCE_URL, type SearchSection, type Site } from '../site/site.ts'
import { endpointHtml, endpointId, endpointName } from './endpoint-view.ts'
import { listEndpoints, type OpenapiDocument } from './openapi-document.ts'
import { fieldsHtml, schemaId, typeHtml } from './schema-view.ts'

/** A part of the API: a document and its name. */
export interface ReferencePart {
  readonly name: string
  readonly document: OpenapiDocument
}

export function partUrl(name: string): string {
  return `${REFERENCE_URL}/reference/${name}`
}

/** The page of one part: its endpoints, then the schemas that they name. Each of them in a turn of the thread, because there are many. */
export async function renderPart(site: Site, { name, document }: ReferencePart): Promise<string> {
  const endpoints = listEndpoints(document)
  const schemas = Object.entries(document.components?.schemas ?? {})
  const content = [
    `<p class="crumb"><a href="${REFERENCE_URL}">API reference</a></p>`,
    `<h1>${escapeHtml(partTitle(document))}</h1>`,
    `<p>${describedHtml(document.info.description ?? '')} <a href="/openapi/${escapeHtml(name)}.json">OpenAPI document</a></p>`,
    ...(await inTurns(endpoints, (endpoint) =>
      endpointHtml(endpoint, site.examples[`${endpoint.method} ${endpoint.path}`]),
    )),
    schemas.length === 0 ? '' : '<h2 id="schemas">Schemas</h2>',
    ...(await inTurns(
      schemas,
      ([schema, definition]) =>
        `<section class="schema"><h3 id="${escapeHtml(schemaId(schema))}">${escapeHtml(schema)}</h3>\n` +
        `<p>${describedHtml(definition.description ?? '')}</p>\n${fieldsHtml(definition) || `<p>${typeHtml(definition)}</p>`}</section>`,
    )),
  ]
  const headings = [
    ...endpoints.map((endpoint) => ({ id: endpointId(endpoint), html: endpointName(endpoint) })),
    ...(schemas.length === 0 ? [] : [{ id: 'schemas', html: 'Schemas' }]),
  ]
  const title = `${partTitle(document)}: API reference`
  return renderPage(site, { title, url: REFERENCE_URL, content: content.filter(Boolean).join('\n'), headings })
}

async function inTurns<T>(items: readonly T[], render: (item: T) => string): Promise<readonly string[]> {
  const rendered: string[] = []
  for (const item of items) {
    rendered.push(render(item))
    await nextTurn()
  }
  return rendered
}

/** The first page: every endpoint of every part. */
export function renderOverview(site: Site, parts: readonly ReferencePart[]): string {
  const content = [
    '<h1>API reference</h1>',
    '<p>Every endpoint, parameter and field of this server, from the schemas that it checks requests with. Send the API key in the ' +
      `<code>Authorization</code> header. <a href="${GUIDE_URL}/api">The API</a> describes what you can rely on, ` +
      `<a href="${GUIDE_URL}/errors">Errors</a> the errors, and <a href="${GUIDE_URL}/examples">Examples</a> has a call of every ` +
      'endpoint. Programs read the <a href="/openapi/index.json">OpenAPI documents</a>.</p>',
    ...parts.map(({ name, document }) => {
      const rows = listEndpoints(document).map(
        (endpoint) =>
          `<li><a href="${partUrl(name)}#${endpointId(endpoint)}">${endpointName(endpoint)}</a><span>${describedHtml(endpoint.operation.summary ?? '')}</span></li>`,
      )
      return `<section><h2 id="${escapeHtml(name)}"><a href="${partUrl(name)}">${escapeHtml(partTitle(document))}</a></h2>\n<p>${describedHtml(document.info.description ?? '')}</p>\n<ul class="endpoints">${rows.join('\n')}</ul></section>`
    }),
  ]
  const headings = parts.map(({ name, document }) => ({ id: name, html: escapeHtml(partTitle(document)) }))
  return renderPage(site, { title: 'API reference', url: REFERENCE_URL, content: content.join('\n'), headings })
}

/** What the search finds of the reference. */
export function listReferenceSections(parts: readonly ReferencePart[]): readonly SearchSection[] {
  return parts.flatMap(({ name, document }) =>
    listEndpoints(document).map((endpoint) => {
      const { summary = '', description = '', parameters = [] } = endpoint.operation
      const words = [
        summary,
        description,
        ...parameters.map((parameter) => `${parameter.name}: ${parameter.description ?? ''}`),
      ]
      return {
        page: 'API reference',
        heading: `${endpoint.method} ${endpoint.path}`,
        url: `${partUrl(name)}#${endpointId(endpoint)}`,
        text: words.join(' ').replaceAll('`', ''),
      }
    }),
  )
}

/** `Envelog: event log` is `Event log` here. */
function partTitle({ info }: OpenapiDocument): string {
  const title = info.title.replace(/^Envelog: /, '')
  return title.slice(0, 1).toUpperCase() + title.slice(1)
}
