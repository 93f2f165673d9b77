/** Events by the masked text of the reply: the exact test, and what a text must contain to pass it. */
import type { LogFilters } from '../log/log-query.ts'
import { maskReply } from './mask-reply.ts'

type ReplyFilters = Pick<LogFilters, 'replies' | 'without'>

export function concernsReplies({ replies, without }: ReplyFilters): boolean {
  return (replies ?? without?.replies) !== undefined
}

/** Tests the reply of an event; an event without one has an empty text. Undefined if the filters do not concern it. */
export function replyTestOf(filters: ReplyFilters): ((content: string) => boolean) | undefined {
  if (!concernsReplies(filters)) return undefined
  const { replies, without } = filters
  const wanted = replies && new Set(replies)
  const unwanted = new Set(without?.replies)
  return (content) => {
    const mask = maskReply(content)
    return wanted?.has(mask) !== false && !unwanted.has(mask)
  }
}

/** As many are compared as exclude nearly all other texts. */
const LITERALS_MAX = 3

/**
 * The longest words of a mask: every text with that mask contains them. A test that databases can make before the exact one; it is no more
 * than a few substrings, whatever the mask is. Empty for a mask without words.
 */
export function literalsOf(mask: string): readonly string[] {
  const words = mask.replace(/…$/, '').split(/[\s*]+/)
  // A text that is not well-formed has another character there.
  const usable = new Set(words.filter((word) => word !== '' && !word.includes('\uFFFD')))
  return [...usable].sort((a, b) => b.length - a.length).slice(0, LITERALS_MAX)
}
