/** Finds addresses in the headers and fields of a report. */

const LENGTH_MAX = 10_000
const COUNT_MAX = 100
/** Longer than RFC 5321 section 4.5.3.1 allows: servers accept more, and signed return paths need it. */
const LOCAL_PART_MAX = 400
const DOMAIN_MAX = 255

/** Characters that end an address, besides white space. The domain may be an address literal in square brackets. */
const LOCAL_PART_ENDS = tableOf('<>,;:"()[]\\@')
const DOMAIN_ENDS = tableOf('<>,;:"()\\@')

/** In order of appearance. Searches from @ to @, so that a long text without any costs little. */
export function findAddresses(text: string | undefined): readonly string[] {
  const found: string[] = []
  if (text === undefined) return found
  const length = Math.min(text.length, LENGTH_MAX)
  for (let at = text.indexOf('@'); at !== -1 && at < length; at = text.indexOf('@', at + 1)) {
    if (found.length === COUNT_MAX) break
    const start = localPartStart(text, at)
    const end = domainEnd(text, at, length)
    const address = text.slice(start, end)
    if (start < at && end > at + 1 && !found.includes(address)) found.push(address)
  }
  return found
}

function localPartStart(text: string, at: number): number {
  const min = Math.max(0, at - LOCAL_PART_MAX)
  let start = at
  while (start > min && !isEnd(text.charCodeAt(start - 1), LOCAL_PART_ENDS)) start -= 1
  return start
}

function domainEnd(text: string, at: number, length: number): number {
  const max = Math.min(length, at + 1 + DOMAIN_MAX)
  let end = at + 1
  while (end < max && !isEnd(text.charCodeAt(end), DOMAIN_ENDS)) end += 1
  while (text[end - 1] === '.') end -= 1
  return end
}

function isEnd(code: number, ends: Uint8Array): boolean {
  return code < ends.length ? ends[code] === 1 : /\s/.test(String.fromCharCode(code))
}

function tableOf(marks: string): Uint8Array {
  const codes = Uint8Array.from({ length: 128 }, (_, code) => code)
  return codes.map((code) => Number(/\s/.test(String.fromCharCode(code)) || marks.includes(String.fromCharCode(code))))
}
