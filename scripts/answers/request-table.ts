/**
 * Requests written as a table. A line has callers, method, path and queries, and asks for the path once with each query:
 *
 *     acme        {GET,HEAD}  /v1/domains
 *     {acme,bolt} GET         /v1/events   -  limit={1,2}
 *       type=Bounce&limit=5
 *     acme        GET*6       /v1/events   q=order&limit=7  &limit=7
 *
 * `{a,b}` stands for each of its alternatives, `-` for no query, the caller `*` for each of `CALLERS`. An indented line continues
 * the line above it. `GET*6` asks for the first query and follows the cursor for up to six pages; the second query is added to
 * the cursor.
 */

/** Keys of every kind, and none. */
export const CALLERS = 'nobody acme acme-logs acme-domains acme-stats bolt empty ingest admin both revoked'.split(' ')

export interface TableRequest {
  readonly caller: string
  /** Such as `GET /webhooks/acme.test?limit=1`. */
  readonly target: string
  readonly follow?: { readonly pages: number; readonly more: string }
}

export function parseTable(table: string): readonly TableRequest[] {
  const lines = table.replaceAll(/\n[ \t]+/g, ' ').split('\n')
  return lines.filter((line) => line !== '').flatMap(parseLine)
}

function parseLine(line: string): readonly TableRequest[] {
  const [callers = '', method = '', path = '', ...queries] = line.trim().split(/\s+/)
  const names = callers === '*' ? CALLERS : expand(callers)
  const [, pages] = /^GET\*(\d+)$/.exec(method) ?? []
  if (pages !== undefined) {
    const [query, more = ''] = queries
    return names.map((caller) => ({ caller, target: `GET ${path}?${query}`, follow: { pages: Number(pages), more } }))
  }
  const paths = queries.length === 0 ? [path] : queries.map((query) => (query === '-' ? path : `${path}?${query}`))
  const targets = paths.flatMap((one) => expand(`${method} ${one}`))
  return names.flatMap((caller) => targets.map((target) => ({ caller, target })))
}

/** As a shell expands braces: the rightmost alternatives change fastest. */
function expand(text: string): readonly string[] {
  const [, before = '', alternatives, after = ''] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(text) ?? []
  if (alternatives === undefined) return [text]
  return alternatives.split(',').flatMap((one) => expand(`${before}${one}${after}`))
}

/** Alternatives for a query, with each value encoded. */
export function oneOf(values: readonly string[]): string {
  return `{${values.map(encodeURIComponent).join(',')}}`
}

/** The items of a list written over several lines. Items are separated by at least two spaces, and may contain single ones. */
export function listOf(text: string): readonly string[] {
  return text.trim().split(/\s{2,}|\n/)
}
