/** Decodes texts of Exim's log (string.c, receive.c, deliver.c). */

const ESCAPE = /\\(?:([0-7]{3})|([nrbvft])|(["\\]))/g
const LETTERS: Readonly<Record<string, string>> = { n: '\n', r: '\r', b: '\b', v: '\v', f: '\f', t: '\t' }

/** Exim escapes unprintable bytes, including those of UTF-8, as a backslash with an octal number or a letter. */
export function unescapeText(text: string): string {
  return text.includes('\\') ? decode(text, false) : text
}

/** Unescapes quotes and backslashes only: the outer of two layers in C="…". */
export function unquote(text: string): string {
  return text.includes('\\') ? text.replaceAll(/\\(["\\])/g, '$1') : text
}

function decode(text: string, isQuoted: boolean): string {
  // A character may be several escaped bytes, so the bytes are joined before decoding.
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

/** Exim truncates a subject at this many bytes, even within a character. */
const SUBJECT_BYTES_MAX = 100

/** T="…": quotes and backslashes are escaped too. A truncated last character is dropped. */
export function unescapeSubject(text: string): string {
  const subject = text.includes('\\') ? decode(text, true) : text
  return Buffer.byteLength(subject) >= SUBJECT_BYTES_MAX ? subject.replace(/\ufffd$/, '') : subject
}
