/** Rows of ClickHouse's format TabSeparated as texts. */

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', r: '\r', n: '\n', t: '\t', '0': '\0' }
const ESCAPED = /\\(.)/gs

export function parseTabSeparated(text: string): readonly (readonly string[])[] {
  if (text === '') return []
  // Tabs and line feeds in values are escaped.
  const rows = text.endsWith('\n') ? text.slice(0, -1) : text
  return rows.split('\n').map((row) => row.split('\t').map(unescapeValue))
}

function unescapeValue(value: string): string {
  if (!value.includes('\\')) return value
  return value.replace(ESCAPED, (_, character: string) => ESCAPES[character] ?? character)
}
