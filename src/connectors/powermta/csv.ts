/** Comma-separated values (RFC 4180), one record at a time. */

const QUOTE = '"'

/** If so, the record continues on the next line: values with line breaks are quoted. */
export function hasOpenQuote(text: string): boolean {
  let isInQuotes = false
  for (let at = text.indexOf(QUOTE); at !== -1; at = text.indexOf(QUOTE, at + 1)) isInQuotes = !isInQuotes
  return isInQuotes
}

/** Undefined if a quote is not at the start or end of a value: the record is incomplete or was edited. */
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
  // Only within the value: each character is examined once.
  return text.slice(start, end).includes(QUOTE) ? undefined : end
}

/** The position after the closing quote; a doubled quote is an escaped one. */
function endOfQuoted(text: string, start: number): number | undefined {
  let at = text.indexOf(QUOTE, start + 1)
  while (at !== -1 && text[at + 1] === QUOTE) at = text.indexOf(QUOTE, at + 2)
  return at === -1 ? undefined : at + 1
}
