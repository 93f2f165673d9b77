/** One endpoint of the API as HTML: what it does, parameters, body, responses, errors and examples. */
import { describedHtml, escapeHtml, slugOf, TABLE_END, TABLE_START } from '../site/html.ts'
import type { Answer, Content, Endpoint, Parameter } from './openapi-document.ts'
import { fieldsHtml, rowHtml, typeHtml } from './schema-view.ts'

const KINDS: Readonly<Record<string, string>> = { path: 'Path', query: 'Query', header: 'Headers', cookie: 'Cookies' }

/** The id of its section, such as `get-v1-events`. */
export function endpointId({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return slugOf(`${method} ${path}`.replaceAll(/[/{}. ]+/g, ' ').trim())
}

export function endpointName({ method, path }: Pick<Endpoint, 'method' | 'path'>): string {
  return `<span class="method method-${method.toLowerCase()}">${escapeHtml(method)}</span> <code>${escapeHtml(path).replaceAll('/', '/<wbr>')}</code>`
}

export function endpointHtml(endpoint: Endpoint, example: string | undefined): string {
  const { operation } = endpoint
  const { summary = '', description = '', parameters = [], requestBody, responses = {} } = operation
  const id = endpointId(endpoint)
  const successes = Object.entries(responses).filter(([status]) => Number(status) < 400)
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  return [
    `<section class="endpoint" aria-labelledby="${id}">`,
    `<h2 id="${id}">${endpointName(endpoint)}<a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h2>`,
    `<p class="summary">${describedHtml(summary)}</p>`,
    description === '' ? '' : `<p>${describedHtml(description)}</p>`,
    ...Object.entries(KINDS).map(([place, title]) => parametersHtml(title, parameters, place)),
    requestBody?.content ? bodyHtml('Request body', requestBody.content) : '',
    ...successes.map(([status, answer]) => answerHtml(status, answer)),
    errors.length === 0 ? '' : errorsHtml(errors),
    example === undefined ? '' : `<h3>Example</h3>\n${example}`,
    '</section>',
  ]
    .filter(Boolean)
    .join('\n')
}

function parametersHtml(title: string, parameters: readonly Parameter[], place: string): string {
  const shown = parameters.filter((parameter) => parameter.in === place)
  if (shown.length === 0) return ''
  const rows = shown.map(({ name, schema = {}, required = false, description }) =>
    rowHtml(name, schema, required, description),
  )
  const head =
    '<thead><tr><th scope="col">parameter</th><th scope="col">type</th><th scope="col">description</th></tr></thead>'
  return `<h3>${title}</h3>\n${TABLE_START}${head}\n<tbody>\n${rows.join('\n')}\n</tbody>${TABLE_END}`
}

function bodyHtml(title: string, content: Content): string {
  return `<h3>${title}</h3>\n${contentHtml(content)}`
}

function contentHtml(content: Content): string {
  return Object.entries(content)
    .map(
      ([type, { schema = {} }]) =>
        `<p><code>${escapeHtml(type)}</code>: ${typeHtml(schema)}</p>\n${fieldsHtml(schema.items ?? schema)}`,
    )
    .join('\n')
}

function answerHtml(status: string, { description = '', headers = {}, content }: Answer): string {
  const names = Object.entries(headers).map(
    ([name, header]) => `<li><code>${escapeHtml(name)}</code>: ${describedHtml(header.description ?? '')}</li>`,
  )
  return [
    `<h3>Response ${escapeHtml(status)}</h3>`,
    `<p>${describedHtml(description)}</p>`,
    content ? contentHtml(content) : '',
    names.length === 0 ? '' : `<details><summary>Headers</summary><ul>${names.join('')}</ul></details>`,
  ]
    .filter(Boolean)
    .join('\n')
}

/** All have the same body. */
function errorsHtml(errors: readonly (readonly [string, Answer])[]): string {
  const items = errors.map(
    ([status, { description = '' }]) => `<dt>${escapeHtml(status)}</dt><dd>${describedHtml(description)}</dd>`,
  )
  const statuses = errors.map(([status]) => escapeHtml(status)).join(', ')
  return `<details class="errors"><summary>Errors: ${statuses}</summary><dl>${items.join('\n')}</dl></details>`
}
