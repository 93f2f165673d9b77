/** The words of a server in a human-readable text: the reply that it quotes, or the paragraph with the reason. */
import { type Diagnostic, hasReply, readReply } from '../diagnostic.ts'
import { DELAYS } from './delay-phrases.ts'
import { FAILURES, REASONS } from './failure-phrases.ts'
import { foldText, hasPhrase } from './folded-text.ts'

/** Longer than any reply, shorter than a text. */
const LENGTH_MAX = 1000
const PARAGRAPHS_MAX = 60
/** A paragraph this short that ends in a colon or in dashes announces the next one. */
const HEADING_LENGTH_MAX = 120

/** `Reason:`, in several languages. */
const LABEL =
  /^(?:(?:the |for the )?(?:following )?(?:reason|error|cause)|grund|fehler|ursache|raison|motif|cause|motivo|causa|razon|reden|powod|причина|理由|原因|사유)[^:：]{0,40}[:：] ?\S/
/** What programs write before they say anything. */
const PREAMBLE = /automatically|automatisch|automatique|automatic|mime|^[^a-z\u0080-\uffff]*$/
/** Before a delay is described. */
const REASSURANCE = /warning message only|need to re-?send/
/** Marks of a transcript before the reply. */
const TRANSCRIPT = /^[\s<>|*-]{1,8}(?=\d{3})/
const DECORATION = /^[-=*~_|#\s]{2,}(?=[^\d\s])/
/** Addresses are not words: some contain the word that would be a reason. */
const ADDRESS = /[^\s<>]{1,200}@[^\s<>]{1,200}/g

/** Empty if there are no words. */
export function readServerWords(words: string): Diagnostic {
  const paragraphs = words.split(/\n[ \t]*\n/, PARAGRAPHS_MAX).map((paragraph) => paragraph.trim())
  const replying = paragraphs.find(hasReply)
  const found = replying === undefined ? findReason(paragraphs) : fromReply(replying)
  return found === undefined ? {} : readReply(found.slice(0, LENGTH_MAX).replace(DECORATION, ''))
}

/** Whether the text has a reply, or a reason that servers give. */
export function hasServerWords(text: string): boolean {
  return hasReply(text) || hasPhrase(foldWords(text), REASONS)
}

/** From the line with the reply to the end of its paragraph. */
function fromReply(paragraph: string): string {
  const lines = paragraph.split('\n')
  const first = lines.findIndex(hasReply)
  return lines.slice(Math.max(0, first)).join('\n').replace(TRANSCRIPT, '')
}

function findReason(paragraphs: readonly string[]): string | undefined {
  const folded = paragraphs.map(foldWords)
  const first = (isWanted: (text: string) => boolean) => folded.findIndex(isWanted)
  const index = [
    first((text) => LABEL.test(text)),
    first((text) => hasPhrase(text, REASONS)),
    paragraphs.findIndex(isListed),
    first((text) => !REASSURANCE.test(text) && (hasPhrase(text, FAILURES) || hasPhrase(text, DELAYS))),
    first((text) => text !== '' && !PREAMBLE.test(text)),
    first((text) => text !== ''),
  ].find((at) => at !== -1)
  return index === undefined ? undefined : withNext(paragraphs, index)
}

function foldWords(paragraph: string): string {
  return foldText(paragraph.slice(0, LENGTH_MAX).replaceAll(ADDRESS, ' '))
}

/** An address with words after it, as qmail and others list recipients. */
function isListed(paragraph: string): boolean {
  return /^<?[^\s<>@]{1,200}@[^\s<>:]{1,200}>?:\s+\S/.test(paragraph)
}

/** A heading is kept with the paragraph that it announces. */
function withNext(paragraphs: readonly string[], index: number): string {
  const paragraph = paragraphs[index] ?? ''
  const isHeading = paragraph.length <= HEADING_LENGTH_MAX && /[:：*=-]$/.test(paragraph)
  const next = isHeading ? paragraphs.slice(index + 1).find((text) => text !== '') : undefined
  return next === undefined ? paragraph : `${paragraph}\n${next}`
}
