/** Two recordings side by side: missing answers, additional ones, and those that differ. */

/** One request and its answer: a line of a recording, which is NDJSON. */
export interface Line {
  /** The request: unique within a recording, and the same in all recordings. */
  readonly name: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Comparison {
  readonly differences: readonly { readonly name: string; readonly what: string }[]
  /** Requests that only the second recording has. */
  readonly added: readonly string[]
  /** Answers that differ only in texts for people. Always 0 unless `ignoresWords` is set. */
  readonly reworded: number
}

/** Members of answers that hold sentences. An `error` that is a status is a number, and compared as one. */
const WORDS = new Set('message error explanation meaning reason warnings problem problems lines'.split(' '))
const WORDS_OF_DOCUMENTS = new Set(['description', 'summary', 'title', 'x-pattern-words', 'x-above-maximum'])

const SHOWN_LENGTH = 160

export function parseLines(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}

/** With `ignoresWords`, texts for people count as equal if both sides have one. */
export function compare(before: readonly Line[], after: readonly Line[], { ignoresWords = false } = {}): Comparison {
  const found = new Map(after.map((line) => [line.name, line]))
  const known = new Set(before.map(({ name }) => name))
  const differences: { name: string; what: string }[] = []
  let reworded = 0
  for (const line of before) {
    const other = found.get(line.name)
    const exact = other === undefined ? 'it is missing' : findDifference(line, other)
    if (exact === undefined) continue
    const remaining =
      ignoresWords && other !== undefined ? findDifference(withoutWords(line), withoutWords(other)) : exact
    if (remaining === undefined) reworded += 1
    else differences.push({ name: line.name, what: remaining })
  }
  return { differences, added: after.map(({ name }) => name).filter((name) => !known.has(name)), reworded }
}

function findDifference(one: Line, other: Line): string | undefined {
  if (one.status !== other.status) return `status ${one.status}, now ${other.status}: ${shorten(other.body)}`
  const headers = findInValues(one.headers, other.headers, 'headers')
  if (headers !== undefined) return headers
  if (one.body === other.body) return undefined
  const [first, second] = [parse(one.body), parse(other.body)]
  if (first === undefined || second === undefined) return findInTexts(one.body, other.body)
  return findInValues(first, second, 'body') ?? 'body: the same members in another order or spacing'
}

/** The path of the first difference between two JSON values, whatever the order of members. */
function findInValues(one: unknown, other: unknown, path: string): string | undefined {
  if (isObject(one) && isObject(other) && Array.isArray(one) === Array.isArray(other)) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const difference = findInValues(one[key], other[key], `${path}.${key}`)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  return one === other ? undefined : `${path}: ${show(one)}, now ${show(other)}`
}

function findInTexts(one: string, other: string): string {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const from = Math.max(0, at - 40)
  return `body at ${at}: ${show(one.slice(from, from + SHOWN_LENGTH))}, now ${show(other.slice(from, from + SHOWN_LENGTH))}`
}

function withoutWords(line: Line): Line {
  if (line.headers['content-type']?.startsWith('text/html')) return { ...line, body: line.body === '' ? '' : '<html>' }
  const value = parse(line.body)
  if (!isObject(value)) return line
  const isDocument = /^OpenAPI |\/openapi\//.test(line.name)
  return { ...line, body: JSON.stringify(value, (key, member: unknown) => blank(key, member, isDocument)) }
}

function blank(key: string, member: unknown, isDocument: boolean): unknown {
  const isSentence = isDocument ? WORDS_OF_DOCUMENTS.has(key) : WORDS.has(key)
  if (!isSentence) return member
  if (typeof member === 'string' && member !== '') return '<words>'
  const isList = Array.isArray(member) && member.length > 0 && member.every((text) => typeof text === 'string')
  return isList ? ['<words>'] : member
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : shorten(JSON.stringify(value))
}

function shorten(text: string): string {
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text
}
