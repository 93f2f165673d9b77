/** What a message itself says: its human-readable text without the returned message, quotes and listed headers. */
import type { MimeMessage } from '../mime/mime-message.ts'
import { htmlText } from './html-text.ts'

/** The words of a mail system come first, and are shorter than this. */
const LENGTH_MAX = 8000
const LINES_MAX = 400

/** A line that announces the returned message, whatever is around it: dashes, stars, a full stop. */
const ANNOUNCEMENTS =
  /^[\s*=_.#-]{0,80}(?:below this line is a copy|below is a copy of|this is a copy of (?:the|your) |the headers? of the original|a copy of (?:the|your) (?:original )?message|included is a copy|(?:original|unsent|returned) (?:message|mail|e-?mail)(?: headers?| text| body| info(?:rmation)?)?(?: (?:follows|is |as |was attached|attached)| ?[:.*=_-]|$)|message (?:headers?|text|body) follows?|the original message (?:follows|is (?:attached|included)|headers)|(?:the )?first \d+ lines|old message:|start of (?:returned|original)|message contents? follow|urspr[uü]ngliche (?:nachricht|mail)|originalnachricht|message (?:d'origine|original)|mensaje original|mensagem original|messaggio originale|oorspronkelijk bericht|исходное сообщение)/iu
/** The first line of a copy that nothing announces. */
const COPY =
  /^(?:received|return-path|delivered-to|dkim-signature|domainkey-signature|message-id|mime-version|x-[\w-]{1,60}):/i
/** The line before a quote. */
const QUOTE_OPENING =
  /^(?:on|am|le|el|il|em|op|den) .{5,120}(?:wrote|schrieb.{0,60}|a [eé]crit|escribi[oó]|ha scritto|escreveu|schreef.{0,60}|skrev.{0,60}) ?:$/iu
/** `>` is a quote; `>>>` is a command in a transcript. */
const QUOTED = /^>(?!>>)/
/** Subjects and addresses of the message: its words are not those of the mail system. */
const LISTED =
  /^[\s*|-]{0,20}(?:subject|betreff|objet|asunto|assunto|oggetto|onderwerp|[aä]mne|emne|temat|тема|件名|主题|主旨)\s{0,10}[:：]/iu

/** Of a message whose parts could not be separated. */
const MARKUP = /^(?:--[^\s-]\S{0,70}|content-[a-z-]{2,30}:.*)$/i

export interface OwnWords {
  readonly words: string
  /** The returned message or the start of it, if it follows in the same text. */
  readonly copy: string
}

export function readOwnWords(mime: MimeMessage): OwnWords {
  const plain = splitCopy(mime.text)
  if (plain.words !== '') return plain
  const html = mime.parts.find(({ type }) => type === 'text/html')
  return html ? splitCopy(htmlText(html.text(), LENGTH_MAX)) : plain
}

/** Also for other texts in which a copy may follow. */
export function splitCopy(text: string): OwnWords {
  const kept: string[] = []
  let at = 0
  for (let lines = 0; at < Math.min(text.length, LENGTH_MAX) && lines < LINES_MAX; lines++) {
    const newline = text.indexOf('\n', at)
    const end = newline === -1 ? text.length : newline
    const line = text.slice(at, Math.min(end, at + LENGTH_MAX)).trimEnd()
    // Some systems begin with such a line, so it ends the words only if there are any.
    if (kept.length > 0 && COPY.test(line)) return { words: join(kept), copy: text.slice(at) }
    if (kept.length > 0 && isAnnouncement(line)) return { words: join(kept), copy: text.slice(end).trimStart() }
    if (!QUOTED.test(line) && !LISTED.test(line) && !MARKUP.test(line) && (line !== '' || kept.length > 0))
      kept.push(line)
    at = end + 1
  }
  return { words: join(kept), copy: '' }
}

function isAnnouncement(line: string): boolean {
  return ANNOUNCEMENTS.test(line) || QUOTE_OPENING.test(line)
}

function join(lines: readonly string[]): string {
  return lines.join('\n').slice(0, LENGTH_MAX).trimEnd()
}
