/**
 * The parts of a MIME message (RFC 2045, 2046) by their positions, so that everything else can stay byte for byte.
 *
 * @typedef {object} MimePart
 * @property {string} type In lower case, such as text/html.
 * @property {ReadonlyMap<string, string>} parameters
 * @property {string} encoding In lower case; 7bit if none is given.
 * @property {boolean} isAttachment
 * @property {ReadonlyMap<string, string>} fields All header fields, by name in lower case.
 * @property {number} start Of the content, after the empty line.
 * @property {number} end
 */

const DEPTH_MAX = 20
/** Far more than real messages have; further parts are left unchanged. */
const PARTS_MAX = 1000

/** Containers and attached messages whose content must not change: signed, encrypted, delivery status notifications. */
const SEALED = /^(?:multipart\/(?:signed|encrypted|report)|message\/|application\/)/

/**
 * The leaf parts that may be changed, in their order. `message` has one character per byte.
 *
 * @type {(message: string) => readonly MimePart[]}
 */
export function listLeaves(message) {
  /** @type {MimePart[]} */
  const leaves = []
  let parts = 0
  /** @type {(start: number, end: number, depth: number) => void} */
  const walk = (start, end, depth) => {
    parts += 1
    if (depth > DEPTH_MAX || parts > PARTS_MAX) return
    const part = readPart(message, start, end)
    if (SEALED.test(part.type)) return
    const boundary = part.parameters.get('boundary')
    if (!part.type.startsWith('multipart/')) leaves.push(part)
    else if (boundary) for (const [from, to] of splitParts(message, part, boundary)) walk(from, to, depth + 1)
  }
  walk(0, message.length, 0)
  return leaves
}

/** @type {(message: string, start: number, end: number) => MimePart} */
export function readPart(message, start, end) {
  const [separator] = /^\r?\n/.exec(message.slice(start, start + 2)) ?? []
  const [headerEnd, bodyStart] =
    separator === undefined ? findEmptyLine(message, start, end) : [start, start + separator.length]
  const fields = readFields(message.slice(start, headerEnd))
  const { value: type, parameters } = readParameters(fields.get('content-type') ?? 'text/plain')
  const disposition = readParameters(fields.get('content-disposition') ?? '')
  return {
    type,
    parameters,
    encoding: (fields.get('content-transfer-encoding') ?? '7bit').trim().toLowerCase(),
    isAttachment: disposition.value === 'attachment',
    fields,
    start: bodyStart,
    end,
  }
}

/** @type {(message: string, start: number, end: number) => readonly [headerEnd: number, bodyStart: number]} */
function findEmptyLine(message, start, end) {
  const pattern = /\n\r?\n/g
  pattern.lastIndex = start
  const found = pattern.exec(message)
  if (!found || found.index >= end) return [end, end]
  return [found.index, Math.min(end, found.index + found[0].length)]
}

/**
 * Unfolded; if a name is repeated, the first one counts.
 *
 * @type {(header: string) => Map<string, string>}
 */
function readFields(header) {
  /** @type {Map<string, string>} */
  const fields = new Map()
  for (const line of header.replaceAll(/\r?\n(?=[ \t])/g, '').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trimEnd().toLowerCase()
    if (colon > 0 && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim())
  }
  return fields
}

/**
 * RFC 2045 section 5.1, comments left out.
 *
 * @type {(field: string) => { value: string, parameters: Map<string, string> }}
 */
function readParameters(field) {
  /** @type {Map<string, string>} */
  const parameters = new Map()
  const text = field.replaceAll(/\([^()"]*\)/g, '')
  const value = (/^[^;]*/.exec(text)?.[0] ?? '').trim().toLowerCase()
  for (const [, name = '', quoted, plain] of text.matchAll(/;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g)) {
    const key = name.toLowerCase()
    if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '')
  }
  return { value, parameters }
}

/**
 * Between the delimiter lines; the line end before a delimiter belongs to the delimiter (RFC 2046 section 5.1.1).
 *
 * @type {(message: string, part: MimePart, boundary: string) => readonly (readonly [from: number, to: number])[]}
 */
function splitParts(message, { start, end }, boundary) {
  /** @type {(readonly [number, number])[]} */
  const ranges = []
  const delimiter = `--${boundary}`
  let from
  for (let at = message.indexOf(delimiter, start); at !== -1 && at < end; at = message.indexOf(delimiter, at + 1)) {
    if (at !== start && message.charAt(at - 1) !== '\n') continue
    const line = /^(--)?[ \t]*(\r?\n|$)/.exec(message.slice(at + delimiter.length, at + delimiter.length + 80))
    if (!line) continue
    if (from !== undefined) ranges.push([from, Math.max(from, at - (message.charAt(at - 2) === '\r' ? 2 : 1))])
    if (line[1] !== undefined) return ranges
    from = at + delimiter.length + line[0].length
  }
  // The closing delimiter is missing.
  if (from !== undefined && from <= end) ranges.push([from, end])
  return ranges
}
