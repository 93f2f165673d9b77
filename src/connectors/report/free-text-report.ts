/** Reads bounce messages in free text. They name no message and no recipient reliably: only a signature can tie them. */
import type { Action, RecipientOutcome } from '../../reports/report.ts'
import { findAddresses } from './mail-address.ts'
import type { MimeMessage } from './mime/mime-message.ts'
import { judgeWords } from './words/judge-words.ts'
import { readOwnWords } from './words/own-words.ts'
import { listRecipients } from './words/recipient-words.ts'
import { hasServerWords, readServerWords } from './words/server-words.ts'

/** Each costs a signature when the report is tied. */
const ADDRESSES_MAX = 20

/** The outcomes and the returned message as text, or the kind of a message that is not a bounce message. */
export type FreeText =
  | { readonly outcomes: readonly RecipientOutcome[]; readonly copy: string }
  | { readonly kind: 'reply' | 'unknown' }

export function readFreeText(mime: MimeMessage): FreeText {
  const { words, copy } = readOwnWords(mime)
  const verdict = judgeWords(mime, words)
  if (verdict === 'reply' || verdict === 'unknown') return { kind: verdict }
  const addresses = findAddresses(words).slice(0, ADDRESSES_MAX)
  if (verdict === 'delivered') return { outcomes: [{ addresses, action: verdict }], copy }
  return { outcomes: readOutcomes(verdict, words || mime.header('subject') || '', addresses), copy }
}

/** One outcome for each of several recipients that the text lists with a reason; otherwise one for all. */
function readOutcomes(action: Action, words: string, addresses: readonly string[]): readonly RecipientOutcome[] {
  const listed = [...listRecipients(words, addresses)].filter(([, about]) => hasServerWords(about))
  if (listed.length < 2) return [{ addresses, action, ...readServerWords(words) }]
  return listed.map(([address, about]) => ({ addresses: [address], action, ...readServerWords(about) }))
}
