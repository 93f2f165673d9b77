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
 * Undefined for an unknown encoding.
 *
 * @param {string} raw The encoded text, one character per byte.
 * @param {string} encoding
 * @returns {Encoded | undefined}
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
 * @param {string} before
 * @param {string} after
 */
export function hasNewLongLine(before, after) {
  return longest(after) > Math.max(LINE_MAX, longest(before))
}

/** @param {string} text */
function longest(text) {
  let max = 0
  for (const line of text.split('\n')) max = Math.max(max, line.endsWith('\r') ? line.length - 1 : line.length)
  return max
}

/**
 * @param {string} text
 * @param {readonly Edit[]} edits
 */
export function applyEdits(text, edits) {
  let result = ''
  let at = 0
  for (const edit of edits) {
    result += text.slice(at, edit.start) + edit.text
    at = edit.end
  }
  return result + text.slice(at)
}

/**
 * Everything outside the edits keeps its bytes, soft line breaks included.
 *
 * @param {string} raw
 * @returns {Encoded}
 */
function decodeQuotedPrintable(raw) {
  /** @type {number[]} Where each character of the content is in `raw`. */
  const offsets = []
  let content = ''
  for (let at = 0; at < raw.length; ) {
    const [soft] = raw.charAt(at) === '=' ? (/^=[ \t]*\r?\n/.exec(raw.slice(at, at + 80)) ?? []) : []
    if (soft !== undefined) {
      at += soft.length
      continue
    }
    const [, hex] = raw.charAt(at) === '=' ? (/^=([0-9a-f]{2})/i.exec(raw.slice(at, at + 3)) ?? []) : []
    offsets.push(at)
    content += hex === undefined ? raw.charAt(at) : String.fromCharCode(Number.parseInt(hex, 16))
    at += hex === undefined ? 1 : 3
  }
  const lineEnd = raw.includes('\r\n') ? '\r\n' : '\n'
  /** @param {number} index */
  const offset = (index) => offsets[index] ?? raw.length
  return {
    content,
    apply(edits) {
      let result = ''
      let at = 0
      for (const { start, end, text } of edits) {
        result += raw.slice(at, offset(start))
        at = offset(end)
        // A hard line break between attributes is only white space to HTML.
        result = text === '\r\n' || text === '\n' ? result + lineEnd : appendEncoded(result, text, raw, at, lineEnd)
      }
      return result + raw.slice(at)
    },
  }
}

/**
 * Appends `text` to the last line of `result`, with soft line breaks so that no line becomes longer than 76 characters: neither
 * here nor when the rest of the line of `raw` at `next` follows.
 *
 * @param {string} result
 * @param {string} text
 * @param {string} raw
 * @param {number} next
 * @param {string} lineEnd
 */
function appendEncoded(result, text, raw, next, lineEnd) {
  let column = result.length - (result.lastIndexOf('\n') + 1)
  const written = [result]
  const soft = `=${lineEnd}`
  for (const character of text) {
    const encoded = character === '=' ? '=3D' : character
    if (column + encoded.length > ENCODED_LINE_MAX - 1) {
      written.push(soft)
      column = 0
    }
    written.push(encoded)
    column += encoded.length
  }
  const newline = raw.indexOf('\n', next)
  const rest = (newline === -1 ? raw.length : newline) - next
  if (column + rest > ENCODED_LINE_MAX) written.push(soft)
  return written.join('')
}

/**
 * Undefined unless the text is canonical base64: anything that decoding skips would be lost.
 *
 * @param {string} raw
 * @returns {Encoded | undefined}
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
