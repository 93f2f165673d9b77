/** What the subject of a message says about its kind. The subject of the original message often follows, so order counts. */
import { decodeHeaderText } from '../../shared/header-text.ts'
import type { MimeMessage } from '../mime/mime-message.ts'
import { DELAY_SUBJECTS } from './delay-phrases.ts'
import { FAILURE_SUBJECTS, FAILURES } from './failure-phrases.ts'
import { findPhrase, foldText } from './folded-text.ts'
import { DESK_SUBJECTS, REPLY_SUBJECTS } from './reply-phrases.ts'

const LENGTH_MAX = 1000

/** `Re:` and `Fwd:` in several languages: the rest is the subject of another message. */
const ANSWER =
  /^(?:re|aw|sv|vs|antw|fwd?|wg|tr|rif|rv|enc|odp|ynt|ответ|回复|答复|轉寄|转发|返信|회신)(?:\[\d{1,3}\])? ?[:：]/

export interface Subject {
  readonly text: string
  /** An out-of-office reply or a read receipt. */
  readonly isReply: boolean
  /** A ticket, a challenge or another notice, or an original subject that looks like one. */
  readonly isDesk: boolean
  readonly isFailure: boolean
  readonly isDelay: boolean
  /** A failure or a delay. */
  readonly isProblem: boolean
}

export function readSubject(mime: MimeMessage): Subject {
  const text = foldText(decodeHeaderText((mime.header('subject') ?? '').slice(0, LENGTH_MAX)))
  if (ANSWER.test(text))
    return { text, isReply: false, isDesk: false, isFailure: false, isDelay: false, isProblem: false }
  const failure = findPhrase(text, [...FAILURES, ...FAILURE_SUBJECTS])
  const delay = findPhrase(text, DELAY_SUBJECTS)
  const problem = Math.min(failure ?? Number.POSITIVE_INFINITY, delay ?? Number.POSITIVE_INFINITY)
  const isBefore = (at: number | undefined) => at !== undefined && at < problem
  const isReply = isBefore(findPhrase(text, REPLY_SUBJECTS))
  const isDesk = isBefore(findPhrase(text, DESK_SUBJECTS))
  const isFirst = !isReply && !isDesk
  return {
    text,
    isReply,
    isDesk,
    isFailure: isFirst && failure !== undefined,
    isDelay: isFirst && delay !== undefined,
    isProblem: isFirst && Number.isFinite(problem),
  }
}
