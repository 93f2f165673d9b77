/** Texts as Exim writes them into its log: string.c, receive.c, deliver.c. */

const ESCAPE = /\\(?:([0-7]{3})|([nrbvft])|(["\\]))/g
const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', b: '\b', v: '\v', f: '\f', t: '\t' }

/** What cannot be printed, bytes of UTF-8 among it, is written as octal numbers or letters after a backslash. */
export function unescapeText(text: string): string {
  return text.includes('\\') ? decode(text, false) : text
}

/** Quotes and backslashes alone. Of C="…" this is the first of two layers. */
export function unquote(text: string): string {
  return text.includes('\\') ? text.replaceAll(/\\(["\\])/g, '$1') : text
}

function decode(text: string, isQuoted: boolean): string {
  // Several bytes may be one character, so they are put together first.
  const bytes: Buffer[] = []
  let end = 0
  for (const match of text.matchAll(ESCAPE)) {
    const [whole, octal, letter, mark] = match
    if (mark !== undefined && !isQuoted) continue
    bytes.push(Buffer.from(text.slice(end, match.index)))
    bytes.push(octal === undefined ? Buffer.from(LETTERS[letter ?? ''] ?? mark ?? '') : byteOf(octal))
    end = match.index + whole.length
  }
  bytes.push(Buffer.from(text.slice(end)))
  return Buffer.concat(bytes).toString('utf8')
}

function byteOf(octal: string): Buffer {
  return Buffer.from([Number.parseInt(octal, 8) & 0xff])
}

/** Exim cuts a subject after this many bytes, wherever that is. */
const SUBJECT_BYTES_MAX = 100

/** T="…": quotes and backslashes have a backslash of their own. Without a character of which only a part is left. */
export function unescapeSubject(text: string): string {
  const subject = text.includes('\\') ? decode(text, true) : text
  return Buffer.byteLength(subject) >= SUBJECT_BYTES_MAX ? subject.replace(/\ufffd$/, '') : subject
}
