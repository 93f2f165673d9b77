/**
 * Edits the content of a part within its transfer encoding (RFC 2045 section 6), and leaves all other bytes as they were.
 *
 * @typedef {object} Edit Replaces the characters from start to end.
 * @property {number} start
 * @property {number} end
 * @property {string} text
 *
 * @typedef {object} Encoded
 * @property {string} content Decoded, one character per byte.
 * @property {(edits: readonly Edit[]) => string} apply Returns the encoded text with the edits made.
 */

/** RFC 5321 section 4.5.3.1.6, without the line end. */
const LINE_MAX = 998
const ENCODED_LINE_MAX = 76

/**
 * Undefined for an unknown encoding. `raw` is the encoded text, one character per byte.
 *
 * @type {(raw: string, encoding: string) => Encoded | undefined}
 */
export function decodeTransfer(raw, encoding) {
  switch (encoding) {
    case '7bit':
    case '8bit':
    case 'binary':
    case '':
      return { content: raw, apply: (edits) => applyEdits(raw, edits) }
    case 'quoted-printable':
      return decodeQuotedPrintable(raw)
    case 'base64':
      return decodeBase64(raw)
    default:
      return undefined
  }
}

/**
 * Whether mail servers would have to break a line of `after`, but none of `before`.
 *
 * @type {(before: string, after: string) => boolean}
 */
export function hasNewLongLine(before, after) {
  return longest(after) > Math.max(LINE_MAX, longest(before))
}

/** @type {(text: string) => number} */
function longest(text) {
  let max = 0
  for (const line of text.split('\n')) max = Math.max(max, line.endsWith('\r') ? line.length - 1 : line.length)
  return max
}

/** @type {(text: string, edits: readonly Edit[]) => string} */
export function applyEdits(text, edits) {
  let result = ''
  let at = 0
  for (const edit of edits) {
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}

/** A soft line break, or an encoded byte. */
const ESCAPE = /=(?:[ \t]{0,78}\r?\n|([0-9a-f]{2}))/iy

/** @type {(raw: string) => Encoded} */
function decodeQuotedPrintable(raw) {
  /** @type {number[]} Where each character of the content is in `raw`. */
  const offsets = []
  let content = ''
  for (let at = 0; at < raw.length; ) {
    ESCAPE.lastIndex = at
    const [encoded = '', hex] = raw.charAt(at) === '=' ? (ESCAPE.exec(raw) ?? []) : []
    if (encoded === '' || hex !== undefined) {
      offsets.push(at)
      content += hex === undefined ? raw.charAt(at) : String.fromCharCode(Number.parseInt(hex, 16))
    }
    at += encoded.length || 1
  }
  return { content, apply: (edits) => applyQuotedPrintable(raw, offsets, edits) }
}

/**
 * Everything outside the edits keeps its bytes, soft line breaks included. Soft line breaks are added so that no line becomes
 * longer than 76 characters: neither within an edit nor when the rest of its line follows.
 *
 * @type {(raw: string, offsets: readonly number[], edits: readonly Edit[]) => string}
 */
function applyQuotedPrintable(raw, offsets, edits) {
  const lineEnd = raw.includes('\r\n') ? '\r\n' : '\n'
  const soft = `=${lineEnd}`
  /** @type {string[]} */
  const written = []
  let column = 0
  /** @type {(text: string) => void} */
  const write = (text) => {
    const newline = text.lastIndexOf('\n')
    column = newline === -1 ? column + text.length : text.length - newline - 1
    written.push(text)
  }
  let at = 0
  for (const { start, end, text } of edits) {
    write(raw.slice(at, offsets[start]))
    at = offsets[end] ?? raw.length
    if (text === '\r\n' || text === '\n') {
      // Between attributes, where a hard line break is only white space to HTML.
      write(lineEnd)
      continue
    }
    for (const character of text) {
      const encoded = character === '=' ? '=3D' : character
      if (column + encoded.length > ENCODED_LINE_MAX - 1) write(soft)
      write(encoded)
    }
    const newline = raw.indexOf('\n', at)
    const rest = (newline === -1 ? raw.length : newline) - at
    if (column + rest > ENCODED_LINE_MAX) write(soft)
  }
  return written.join('') + raw.slice(at)
}

/**
 * Undefined unless the text is canonical base64: anything that decoding skips would be lost.
 *
 * @type {(raw: string) => Encoded | undefined}
 */
function decodeBase64(raw) {
  const bytes = Buffer.from(raw, 'base64')
  const text = raw.trim()
  if (bytes.toString('base64') !== text.replaceAll(/\s+/g, '')) return undefined
  const content = bytes.toString('latin1')
  const [, lineEnd] = /(\r?\n)/.exec(text) ?? []
  const length = lineEnd === undefined ? ENCODED_LINE_MAX : Math.max(4, text.indexOf(lineEnd))
  const leading = raw.slice(0, raw.indexOf(text))
  const trailing = raw.slice(leading.length + text.length)
  return {
    content,
    apply(edits) {
      const encoded = Buffer.from(applyEdits(content, edits), 'latin1').toString('base64')
      const lines = encoded.match(new RegExp(`.{1,${length}}`, 'g')) ?? []
      return leading + lines.join(lineEnd ?? '\r\n') + trailing
    },
  }
}
