// Made from src/tracking/rewrite-message.ts by scripts/write-haraka-tracking.ts; change it there.
/** Puts a pixel and signed links into the HTML of a message; every other byte of it stays what it was. */
import { listLeaves, readPart } from './mime-part.mjs'
import { rewriteHtml } from './rewrite-html.mjs'
import { decodeTransfer, hasNewLongLine } from './transfer-encoding.mjs'

/** Those in which a byte below 128 is always the ASCII character, as far as HTML is concerned. */
const CHARSETS =
  /^(?:utf-?8|us-ascii|ascii|iso-?8859-\d+|windows-\d+|cp\d+|koi8-[ru]|shift[_-]jis|gb2312|gbk|gb18030|big5|euc-\w+)$/

/** No mail program shows all of it. */
const PART_LENGTH_MAX = 4 * 1024 * 1024

export function rewriteMessage(message, tracking) {
  // One character for each byte, so that nothing depends on a charset.
  const text = Buffer.from(message.buffer, message.byteOffset, message.length).toString('latin1')
  const { fields } = readPart(text, 0, text.length)
  const untouched = unsubscribeTargets(fields.get('list-unsubscribe') ?? '')
  const warnings = []
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  let result = ''
  let at = 0
  let opens = tracking.opens !== false
  for (const part of listLeaves(text)) {
    if (part.type !== 'text/html' || part.isAttachment) continue
    const raw = text.slice(part.start, part.end)
    // Nothing to see, or a header that never ended.
    if (raw.trim() === '') continue
    const changed = rewritePart(raw, part, { ...tracking, opens, untouched }, lineEnd, warnings)
    // One pixel is enough for messages whose HTML comes in pieces.
    opens = false
    if (changed === undefined) continue
    result += text.slice(at, part.start) + changed
    at = part.end
  }
  result += text.slice(at)
  const isChanged = result !== text
  if (isChanged && fields.has('dkim-signature')) {
    warnings.push(
      'The message is signed with DKIM already, and its signature no longer fits. Rewrite first, then sign.',
    )
  }
  return { message: Buffer.from(result, 'latin1'), isChanged, warnings }
}

function rewritePart(raw, part, tracking, lineEnd, warnings) {
  const charset = (part.parameters.get('charset') ?? 'us-ascii').trim().toLowerCase()
  if (raw.length > PART_LENGTH_MAX) {
    warnings.push('HTML of more than 4 MiB is left as it is.')
    return undefined
  }
  const encoded = CHARSETS.test(charset) ? decodeTransfer(raw, part.encoding) : undefined
  if (!encoded) {
    warnings.push(`HTML in charset ${charset}, encoded as ${part.encoding}, is left as it is.`)
    return undefined
  }
  // A signature over the text, or a digest of the part.
  if (encoded.content.includes('-----BEGIN PGP ') || part.fields.has('content-md5')) {
    warnings.push('HTML that is signed is left as it is.')
    return undefined
  }
  const changed = encode(raw, encoded, (breaksLines) =>
    rewriteHtml(encoded.content, tracking, { charset, lineBreak: breaksLines ? lineEnd : '' }),
  )
  if (changed === undefined) warnings.push('HTML whose lines would become too long for mail is left as it is.')
  return changed
}

/** Undefined where lines would be longer than mail allows, whatever is done about it. */
function encode(raw, encoded, rewrite) {
  const edits = rewrite(false)
  if (edits.length === 0) return raw
  const plain = encoded.apply(edits)
  if (!hasNewLongLine(raw, plain)) return plain
  const broken = encoded.apply(rewrite(true))
  return hasNewLongLine(raw, broken) ? undefined : broken
}

/** Programs offer these by themselves (RFC 2369, RFC 8058); whoever wants to be left alone is not followed. */
function unsubscribeTargets(field) {
  return new Set([...field.matchAll(/<\s*([^<>\s]+)\s*>/g)].map(([, target = '']) => target))
}
