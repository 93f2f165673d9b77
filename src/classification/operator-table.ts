/** Reads the operator's own tables: a JSON file with one list. All its problems are reported at once. */

export type TablePart = Readonly<Record<string, unknown>>

const PROBLEMS_SHOWN = 20

/**
 * The parts of `{"<listName>": [part, …]}`; `findProblems` returns none for a part of type T. Throws an Error that lists
 * all problems; its message continues "the file …".
 */
export function parseTable<T>(
  json: string,
  listName: string,
  findProblems: (part: TablePart) => readonly string[],
): readonly T[] {
  const parts = readList(json, listName)
  const problems = parts.flatMap((part, index) => {
    const found = isPart(part) ? findProblems(part) : ['must be an object']
    return found.map((problem) => `${listName}[${index}]: ${problem}`)
  })
  if (problems.length === 0) return parts as readonly T[]
  const shown = problems.slice(0, PROBLEMS_SHOWN).join('; ')
  const more = problems.length > PROBLEMS_SHOWN ? `; and ${problems.length - PROBLEMS_SHOWN} more` : ''
  throw new Error(`has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}: ${shown}${more}`)
}

function readList(json: string, listName: string): readonly unknown[] {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw new Error(`is not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const list = isPart(value) && Object.keys(value).length === 1 ? value[listName] : undefined
  if (!Array.isArray(list)) throw new Error(`must contain one JSON object with one list: {"${listName}": [...]}`)
  return list
}

function isPart(value: unknown): value is TablePart {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function unknownNames(part: TablePart, known: readonly string[]): string[] {
  return Object.keys(part)
    .filter((name) => !known.includes(name))
    .map((name) => `unknown name ${JSON.stringify(name)} (known: ${known.join(', ')})`)
}

export function isTextList(value: unknown): value is string | readonly string[] {
  if (typeof value === 'string') return true
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
}

export function asList(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value
}
