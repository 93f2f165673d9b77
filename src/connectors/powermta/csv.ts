/** Comma separated values (RFC 4180), one record at a time. */

const QUOTE = '"'

/** Then the record goes on in the next line: a value with a line break in it stands in quotes. */
export function hasOpenQuote(text: string): boolean {
  let isInQuotes = false
  for (let at = text.indexOf(QUOTE); at !== -1; at = text.indexOf(QUOTE, at + 1)) isInQuotes = !isInQuotes
  return isInQuotes
}

/** Undefined where quotes are not where they may be: something is missing, or was added by another hand. */
export function parseRecord(text: string): readonly string[] | undefined {
  if (!text.includes(QUOTE)) return text.split(',')
  const values: string[] = []
  let at = 0
  for (;;) {
    const end = text[at] === QUOTE ? endOfQuoted(text, at) : endOfPlain(text, at)
    if (end === undefined) return undefined
    const value = text.slice(at, end)
    values.push(value.startsWith(QUOTE) ? value.slice(1, -1).replaceAll('""', QUOTE) : value)
    if (end === text.length) return values
    if (text[end] !== ',') return undefined
    at = end + 1
  }
}

function endOfPlain(text: string, start: number): number | undefined {
  const comma = text.indexOf(',', start)
  const end = comma === -1 ? text.length : comma
  const quote = text.indexOf(QUOTE, start)
  return quote !== -1 && quote < end ? undefined : end
}

/** Behind the closing quote; two in a row stand for one of the value. */
function endOfQuoted(text: string, start: number): number | undefined {
  let at = text.indexOf(QUOTE, start + 1)
  while (at !== -1 && text[at + 1] === QUOTE) at = text.indexOf(QUOTE, at + 2)
  return at === -1 ? undefined : at + 1
}
