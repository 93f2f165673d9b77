/** A raw message taken apart (RFC 2045 and following), in bounded time whatever it holds. */
import PostalMime, { type Attachment } from 'postal-mime'
import { AppError } from '../../lib/app-error.ts'
import { decodeBytes } from './readable-text.ts'

/** A report has three parts on one level; software that wraps it adds a level or two. */
const DEPTH_MAX = 20
const HEADER_BYTES_MAX = 65_536
/** Taking a line off costs the same whether or not there is anything on it. What is cut off is the message that is returned. */
const LINES_MAX = 10_000

export interface MimeMessage {
  /** The values of a header, in their order, unfolded. */
  readonly headers: (name: string) => readonly string[]
  /** What is written for people, and whatever parts are called plain text. */
  readonly text: string
  /** The other parts. */
  readonly parts: readonly MimePart[]
}

export interface MimePart {
  /** In lower case. */
  readonly type: string
  text(): string
}

/** Throws AppError `invalid_payload` for what is nested too deep or has too many headers. */
export async function parseMime(message: Uint8Array): Promise<MimeMessage> {
  const bytes = firstLines(message)
  const limits = { maxNestingDepth: DEPTH_MAX, maxHeadersSize: HEADER_BYTES_MAX }
  const email = await PostalMime.parse(bytes, { ...limits, forceRfc822Attachments: true }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AppError('invalid_payload', `the message cannot be taken apart: ${reason}`, { cause: error })
  })
  const parts = email.attachments.map(toPart)
  const text = email.text ?? ''
  return {
    headers: (name) => email.headers.filter(({ key }) => key === name).map(({ value }) => value),
    // A message whose parts are not where its boundary says is still a text.
    text: text === '' && parts.length === 0 ? withoutHeaders(decodeBytes(bytes)) : text,
    parts,
  }
}

function firstLines(message: Uint8Array): Uint8Array {
  let end = -1
  for (let line = 0; line < LINES_MAX; line++) {
    end = message.indexOf(NEWLINE, end + 1)
    if (end === -1) return message
  }
  return message.subarray(0, end)
}

const NEWLINE = 0x0a

function toPart({ mimeType, content }: Attachment): MimePart {
  const text = () => (typeof content === 'string' ? content : decodeBytes(new Uint8Array(content)))
  return { type: mimeType, text }
}

function withoutHeaders(message: string): string {
  const end = /\r?\n\r?\n/.exec(message)
  return end ? message.slice(end.index + end[0].length) : ''
}
