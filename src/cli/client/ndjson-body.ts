/** Records as the body of an ingest request: one line each, whatever is in them. */

const NEWLINE = 0x0a
const SPACE = 0x20
const SEPARATOR = Buffer.from('\n')

export interface NdjsonBody {
  readonly body: Buffer
  /** The index of a record by the line that it became. */
  readonly indexOf: (line: number) => number
}

/**
 * A body that begins with a JSON object is read line by line; anything else might be taken for one JSON text over several lines,
 * or refused as a whole. So the first object goes first, and if there is none, the first record travels as a JSON string.
 */
export function toNdjson(records: readonly Buffer[]): NdjsonBody {
  const lines = records.map(toLine)
  const first = lines.findIndex(isObject)
  const [front] = lines.splice(Math.max(first, 0), 1)
  if (front) lines.unshift(first === -1 ? Buffer.from(JSON.stringify(front.toString())) : front)
  const parts = lines.flatMap((line) => [SEPARATOR, line]).slice(1)
  return {
    body: Buffer.concat(parts),
    indexOf: (line) => (line === 0 ? Math.max(first, 0) : line <= first ? line - 1 : line),
  }
}

/** Outside of JSON strings a line break is as good as a blank, and inside of them it is not allowed. */
function toLine(record: Buffer): Buffer {
  let at = record.indexOf(NEWLINE)
  if (at === -1) return record
  const line = Buffer.from(record)
  for (; at !== -1; at = line.indexOf(NEWLINE, at)) line[at] = SPACE
  return line
}

function isObject(line: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(line.toString())
    return value instanceof Object && !Array.isArray(value)
  } catch {
    return false
  }
}
