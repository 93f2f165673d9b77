/** Decides by headers and wording whether a message in free text is a bounce, a delay, or something else. */
import type { Action } from '../../../reports/report.ts'
import { findMarks, type Marks } from '../automatic-reply.ts'
import { hasReply } from '../diagnostic.ts'
import type { MimeMessage } from '../mime/mime-message.ts'
import { DELAYS, ENDINGS, SUCCESSES } from './delay-phrases.ts'
import { FAILURES, REASONS } from './failure-phrases.ts'
import { foldText, hasPhrase } from './folded-text.ts'
import { ABSENCES, CHALLENGES, RECEIPTS } from './reply-phrases.ts'
import { findSender } from './sender.ts'
import { readSubject, type Subject } from './subject.ts'

/** `reply`: automatic, and not about delivery. `unknown`: it does not say what it is. */
export type Verdict = Extract<Action, 'failed' | 'delayed' | 'delivered'> | 'reply' | 'unknown'

/** What the text of a message says. */
interface Statements {
  readonly text: string
  /** That the message was not delivered, or not yet. */
  readonly isProblem: boolean
  readonly quotesReply: boolean
  /** A reply of a server, or a reason that servers give. */
  readonly hasDetails: boolean
}

/** docs/decisions/0044 has the reasons. `words`: what the message itself says. */
export function judgeWords(mime: MimeMessage, words: string): Verdict {
  const marks = findMarks(mime)
  const subject = readSubject(mime)
  if (marks.isReply || subject.isReply) return 'reply'
  const { isMailSystem, isNull } = findSender(mime)
  if (marks.isFromList && !isMailSystem) return 'unknown'
  const said = readStatements(words)
  const isOther = isMailSystem ? isOtherNotice(subject, said) : isAnswer(subject, said)
  if (isOther)
    return isDoubtful(isMailSystem, subject, said) || !isByProgram(marks, isMailSystem, isNull) ? 'unknown' : 'reply'
  if (isMailSystem ? isNotice(subject, said) : isProven(subject, said, isNull)) return judgeAction(subject, said)
  if (isMailSystem && hasPhrase(`${subject.text}\n${said.text}`, SUCCESSES)) return 'delivered'
  return isMachineReply(marks, isMailSystem, subject) ? 'reply' : 'unknown'
}

function readStatements(words: string): Statements {
  const text = foldText(words)
  const quotesReply = hasReply(words)
  return {
    text,
    isProblem: hasPhrase(text, FAILURES) || hasPhrase(text, DELAYS),
    quotesReply,
    hasDetails: quotesReply || hasPhrase(text, REASONS),
  }
}

/** Mail systems also write about mail that waits for somebody, and answer for people. */
function isOtherNotice(subject: Subject, { text, isProblem, quotesReply }: Statements): boolean {
  if (hasPhrase(text, CHALLENGES)) return true
  if (quotesReply || (subject.isProblem && isProblem)) return false
  return subject.isDesk || hasPhrase(text, RECEIPTS) || (!subject.isProblem && hasPhrase(text, ABSENCES))
}

/** A mailbox or another program that answers. */
function isAnswer(subject: Subject, { text }: Statements): boolean {
  return subject.isDesk || hasPhrase(text, ABSENCES) || hasPhrase(text, RECEIPTS) || hasPhrase(text, CHALLENGES)
}

function isNotice(subject: Subject, { isProblem, quotesReply, hasDetails }: Statements): boolean {
  return subject.isFailure || isProblem || quotesReply || (subject.isDelay && hasDetails)
}

/** Anybody may write about a failure: without evidence in the envelope, the message needs more of its own. */
function isProven(subject: Subject, said: Statements, isNull: boolean | undefined): boolean {
  if (!said.isProblem) return false
  if (isNull === true) return said.hasDetails || subject.isProblem
  return subject.isProblem && (isNull === undefined ? said.hasDetails : said.quotesReply)
}

function judgeAction(subject: Subject, { text }: Statements): Verdict {
  const promises = hasPhrase(text, DELAYS)
  if (promises && subject.isDelay) return 'delayed'
  if (hasPhrase(text, ENDINGS)) return 'failed'
  if (promises || (subject.isDelay && !subject.isFailure)) return 'delayed'
  const isSuccess = !subject.isFailure && !hasPhrase(text, FAILURES) && hasPhrase(`${subject.text}\n${text}`, SUCCESSES)
  return isSuccess ? 'delivered' : 'failed'
}

/** A person's letter is not dropped. */
function isByProgram({ isAutomatic }: Marks, isMailSystem: boolean, isNull: boolean | undefined): boolean {
  return isAutomatic || isMailSystem || isNull === true
}

/** A mail system that also states a failure may have sent a bounce message in unusual words. */
function isDoubtful(isMailSystem: boolean, subject: Subject, said: Statements): boolean {
  return isMailSystem && (subject.isProblem || said.isProblem)
}

function isMachineReply({ isAutomatic }: Marks, isMailSystem: boolean, { isProblem }: Subject): boolean {
  return isAutomatic && !isMailSystem && !isProblem
}
