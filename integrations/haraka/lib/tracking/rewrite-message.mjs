/**
 * Adds a tracking pixel and signed links to the HTML of a message; every other byte stays as it was.
 *
 * @import { MimePart } from './mime-part.mjs'
 * @import { Tracking } from './rewrite-html.mjs'
 * @import { Edit, Encoded } from './transfer-encoding.mjs'
 *
 * @typedef {object} RewrittenMessage
 * @property {Buffer} message
 * @property {boolean} isChanged
 * @property {readonly string[]} warnings For the sender: a part that was left unchanged, a signature that is now invalid.
 *
 * @typedef {{ text: string } | { problem: string }} RewrittenPart
 */
import { listLeaves, readPart } from './mime-part.mjs'
import { rewriteHtml } from './rewrite-html.mjs'
import { decodeTransfer, hasNewLongLine } from './transfer-encoding.mjs'

/** Charsets in which, as far as HTML is concerned, a byte below 128 is always the ASCII character. */
const CHARSETS =
  /^(?:utf-?8|us-ascii|ascii|iso-?8859-\d+|windows-\d+|cp\d+|koi8-[ru]|shift[_-]jis|gb2312|gbk|gb18030|big5|euc-\w+)$/

/** No mail client shows more. */
const PART_LENGTH_MAX = 4 * 1024 * 1024

/** @type {(message: Uint8Array, tracking: Readonly<Tracking>) => RewrittenMessage} */
export function rewriteMessage(message, tracking) {
  // One character per byte, so that nothing depends on a charset.
  const text = Buffer.from(message.buffer, message.byteOffset, message.length).toString('latin1')
  const { fields } = readPart(text, 0, text.length)
  const untouched = unsubscribeTargets(fields.get('list-unsubscribe') ?? '')
  /** @type {string[]} */
  const warnings = []
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  let result = ''
  let at = 0
  let opens = tracking.opens !== false
  for (const part of listLeaves(text)) {
    if (part.type !== 'text/html' || part.isAttachment) continue
    const raw = text.slice(part.start, part.end)
    // Empty, or the header never ended.
    if (raw.trim() === '') continue
    const rewritten = rewritePart(raw, part, { ...tracking, opens, untouched }, lineEnd)
    // One pixel per message, even if its HTML is split into several parts.
    opens = false
    if ('problem' in rewritten) {
      warnings.push(`HTML part left unchanged: ${rewritten.problem}.`)
      continue
    }
    result += text.slice(at, part.start) + rewritten.text
    at = part.end
  }
  result += text.slice(at)
  const isChanged = result !== text
  if (isChanged && fields.has('dkim-signature')) {
    warnings.push(
      'The message was already signed with DKIM, and its signature is now invalid. Rewrite first, then sign.',
    )
  }
  return { message: Buffer.from(result, 'latin1'), isChanged, warnings }
}

/** @type {(raw: string, part: MimePart, tracking: Readonly<Tracking>, lineEnd: string) => RewrittenPart} */
function rewritePart(raw, part, tracking, lineEnd) {
  const charset = (part.parameters.get('charset') ?? 'us-ascii').trim().toLowerCase()
  if (raw.length > PART_LENGTH_MAX) return { problem: 'it is larger than 4 MiB' }
  const encoded = CHARSETS.test(charset) ? decodeTransfer(raw, part.encoding) : undefined
  if (!encoded) return { problem: `charset ${charset} in encoding ${part.encoding} is not supported` }
  // A PGP signature over the text, or a digest of the part.
  if (encoded.content.includes('-----BEGIN PGP ') || part.fields.has('content-md5')) return { problem: 'it is signed' }
  const text = encode(raw, encoded, (breaksLines) =>
    rewriteHtml(encoded.content, tracking, { charset, lineBreak: breaksLines ? lineEnd : '' }),
  )
  return text === undefined ? { problem: 'its lines would become too long for mail' } : { text }
}

/**
 * Undefined if lines would become longer than mail allows even with additional line breaks.
 *
 * @type {(raw: string, encoded: Encoded, rewrite: (breaksLines: boolean) => readonly Edit[]) => string | undefined}
 */
function encode(raw, encoded, rewrite) {
  const edits = rewrite(false)
  if (edits.length === 0) return raw
  const plain = encoded.apply(edits)
  if (!hasNewLongLine(raw, plain)) return plain
  const broken = encoded.apply(rewrite(true))
  return hasNewLongLine(raw, broken) ? undefined : broken
}

/**
 * Unsubscribe links (RFC 2369, RFC 8058) are not tracked.
 *
 * @type {(field: string) => ReadonlySet<string>}
 */
function unsubscribeTargets(field) {
  return new Set([...field.matchAll(/<\s*([^<>\s]+)\s*>/g)].map(([, target = '']) => target))
}
