/**
 * The reply of a receiving server with its variable parts masked: addresses, IP addresses, ids, times and numbers become `*`, so that
 * the same refusal is the same text for every message. SMTP codes, enhanced codes, host names without digits and short tags
 * (`S3150`) stay. Takes time proportional to the length of the text, of which only the beginning is read.
 */

/** Characters that are read, and those of the result. */
const READ_MAX = 1000
const MASK_MAX = 240
/** With the mark of what was cut off. */
export const MASK_LENGTH_MAX = MASK_MAX + 1

const MASK = '*'
/** Words are between white space, brackets, quotes and the separators of URLs and `key=value`. */
const SEPARATORS = /[\s()[\]{}<>"'`,;|\\/?&=#%~!*^$]/
/** Of ASCII characters: between words, or one that a word which stays as it is does not have. */
const SEPARATOR = 1
const TELLING = 2
const ASCII_CODES = 128
const KINDS = Uint8Array.from({ length: ASCII_CODES }, (_, code) => {
  const character = String.fromCharCode(code)
  if (SEPARATORS.test(character)) return SEPARATOR
  return /[\d@:]/.test(character) ? TELLING : 0
})
const PUNCTUATION = '.:_-'
const REPLY_CODE = /^[245]\d\d$/
const ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3}$/
/** `550-5.7.1`: a line of a reply that continues. */
const CONTINUED = /^([245]\d\d)-(.+)$/s
const BEFORE_ENHANCED = /^[\s-][245]\.\d/
/** `S3150`, `TSS04`, `RBL2`: names of rules. Host names are masked with fewer. */
const TAG = /^\p{L}{1,4}\d{1,4}$/u
/** IPv6 addresses and times of day. */
const COLONS = /^[\da-f.]*(?::[\da-f.]*){2,}$/i
const MASKS = /\*(?:[\s.:_/-]*\*)+/g

export function maskReply(text: string): string {
  const read = text.slice(0, READ_MAX)
  const short = maskWords(read).replace(MASKS, MASK).replace(/\s+/g, ' ').trim()
  return short.length > MASK_MAX || text.length > READ_MAX ? `${cut(short)}…` : short
}

/** Most words have no digit: they are copied without a closer look. */
function maskWords(text: string): string {
  let masked = ''
  let copied = 0
  for (let at = 0; at < text.length; ) {
    let end = at
    let isTelling = false
    for (; end < text.length; end++) {
      const kind = kindAt(text, end)
      if (kind === SEPARATOR) break
      if (kind === TELLING) isTelling = true
    }
    if (isTelling) {
      masked += text.slice(copied, at) + maskWord(text.slice(at, end), text, at)
      copied = end
    }
    at = end + 1
  }
  return masked + text.slice(copied)
}

function kindAt(text: string, at: number): number {
  // There are digits and spaces beyond ASCII.
  return KINDS[text.charCodeAt(at)] ?? (SEPARATORS.test(text.charAt(at)) ? SEPARATOR : TELLING)
}

function maskWord(word: string, text: string, at: number): string {
  if (word.includes('@')) return MASK
  if (COLONS.test(word)) return MASK
  let [from, to] = [0, word.length]
  while (from < to && PUNCTUATION.includes(word.charAt(from))) from++
  while (from < to && PUNCTUATION.includes(word.charAt(to - 1))) to--
  const core = word.slice(from, to)
  const [before, after] = [word.slice(0, from), word.slice(to)]
  if (REPLY_CODE.test(core) && (at === 0 || BEFORE_ENHANCED.test(text.slice(at + word.length)))) return word
  const [, code, rest = ''] = CONTINUED.exec(core) ?? []
  if (code !== undefined) return `${before}${code}-${maskName(rest)}${after}`
  return `${before}${maskName(core)}${after}`
}

/** Words joined by colons, each a host name, a tag, an id or a number. */
function maskName(name: string): string {
  return name
    .split(':')
    .map((part) => (ENHANCED_CODE.test(part) ? part : maskLabels(part)))
    .join(':')
}

function maskLabels(part: string): string {
  if (!part.includes('.')) return hasDigit(part) && !TAG.test(part) ? MASK : part
  return part
    .split('.')
    .map((label) => (hasDigit(label) ? MASK : label))
    .join('.')
}

function hasDigit(text: string): boolean {
  return /\p{N}/u.test(text)
}

/** Not within a surrogate pair. */
function cut(text: string): string {
  return text
    .slice(0, MASK_MAX)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
    .trimEnd()
}
