/** Converts a report that is tied to a message into events. */
import type { Knowledge } from '../classification/knowledge.ts'
import type { EventType } from '../events/event.ts'
import { isComplaint } from './feedback-type.ts'
import { lowerCase } from './reference.ts'
import type { Action, DeliveryReport, FeedbackReport, RecipientOutcome, Report } from './report.ts'
import type { Tie } from './tie-report.ts'

/** An unchecked event, or why a part of the report cannot become one. */
export type Finding = { readonly event: Readonly<Record<string, unknown>> } | { readonly problem: string }

/** The range of plausible event times, Unix seconds. */
export interface KeptTimes {
  readonly oldest: number
  readonly newest: number
  /** When the report arrived: the time of an event whose report has no date. */
  readonly arrived: number
}

/** Null for success: delivered, relayed to a system without notifications, or expanded to a list. */
const TYPE_OF_ACTION: Readonly<Record<Exclude<Action, 'unclear'>, EventType | null>> = {
  failed: 'OOBBounce',
  delayed: 'Delayed',
  delivered: null,
  relayed: null,
  expanded: null,
}

/** The interface's code for a temporary problem without a server's reply. */
const CODE_DELAYED = 400

export function toFindings(
  report: DeliveryReport | FeedbackReport,
  tie: Tie,
  knowledge: Knowledge,
  kept: KeptTimes,
): readonly Finding[] {
  if (report.kind === 'feedback') return toComplaints(report, tie, knowledge, kept)
  const isNamed = tie.recipient !== undefined && isNamedBy(report, tie.recipient)
  const outcomes = report.isFreeText === true ? outcomesOf(report, tie, isNamed) : report.outcomes
  return outcomes.flatMap((outcome) => toBounce(report, outcome, { ...tie, isNamed }, knowledge, kept))
}

/** Free text is about the one recipient that the reference was signed for, although others may be listed. */
function outcomesOf({ outcomes }: DeliveryReport, { recipient }: Tie, isNamed: boolean): readonly RecipientOutcome[] {
  if (recipient === undefined) return outcomes
  return isNamed ? outcomes.filter(({ addresses }) => names(addresses, recipient)) : outcomes.slice(0, 1)
}

interface DeliveryTie extends Tie {
  /** Whether the report names the recipient that the reference was signed for. */
  readonly isNamed: boolean
}

function toBounce(
  report: DeliveryReport,
  outcome: RecipientOutcome,
  tie: DeliveryTie,
  knowledge: Knowledge,
  kept: KeptTimes,
): readonly Finding[] {
  const { action, code, enhancedCode, text, peerName, attemptedAt } = outcome
  if (action === 'unclear') return [{ problem: 'Action: not a known action, and no Status' }]
  const type = TYPE_OF_ACTION[action]
  if (type === null) return []
  const recipient = findRecipientOf(outcome, report, tie)
  if (recipient === undefined) return [{ problem: describeUnknown(outcome.addresses, tie) }]
  return [
    finish(report, tie, [attemptedAt, ...report.times], kept, {
      type,
      recipient,
      response_code: type === 'Delayed' ? CODE_DELAYED : code,
      response_content: text,
      response_enhanced_code: enhancedCode,
      bounce_classification: type === 'Delayed' ? undefined : knowledge.classify({ code, enhancedCode, text }),
      peer_name: peerName,
      provider_name: knowledge.findProvider(peerName),
    }),
  ]
}

function findRecipientOf(
  { addresses }: RecipientOutcome,
  report: DeliveryReport,
  tie: DeliveryTie,
): string | undefined {
  const only = tie.recipient
  // If the report names the recipient, only that outcome counts. If it does not, the message was forwarded, and any
  // outcome there is the reason why that recipient did not receive it.
  if (only !== undefined) return !tie.isNamed || names(addresses, only) ? only : undefined
  const [known, other] = knownOf(addresses, tie)
  // Free text mentions addresses for many reasons, so only a single known one counts.
  if (report.isFreeText === true && other !== undefined) return undefined
  return known ?? (report.outcomes.length === 1 ? findOnlyRecipient(tie) : undefined)
}

function toComplaints(report: FeedbackReport, tie: Tie, knowledge: Knowledge, kept: KeptTimes): readonly Finding[] {
  if (!isComplaint(report.feedbackType)) return []
  const { reporter, times } = report
  const recipients = findComplainants(report, tie)
  if (recipients.length === 0) return [{ problem: describeUnknown(report.recipients, tie) }]
  return recipients.map((recipient) =>
    finish(report, tie, times, kept, {
      type: 'Feedback',
      recipient,
      peer_name: reporter,
      provider_name: knowledge.findProvider(reporter),
    }),
  )
}

/** Providers often redact the complainant; then the header To counts, if it names exactly one known recipient. */
function findComplainants({ recipients, returned }: FeedbackReport, tie: Tie): readonly string[] {
  if (tie.recipient !== undefined) return [tie.recipient]
  const named = [...recipients, ...(returned.trace?.recipient === undefined ? [] : [returned.trace.recipient])]
  const known = knownOf(named, tie)
  if (known.length > 0) return known
  const addressed = knownOf(returned.to, tie)
  if (addressed.length === 1) return addressed
  const only = findOnlyRecipient(tie)
  return only === undefined ? [] : [only]
}

/** Each once, where it is first and as it is spelled there. */
function knownOf(addresses: readonly string[], { known: { recipients } }: Tie): readonly string[] {
  const found = new Map<string, string>()
  for (const address of addresses) {
    const key = lowerCase(address)
    if (recipients.has(key) && !found.has(key)) found.set(key, address)
  }
  return [...found.values()]
}

/** A report about a message to a single recipient is about that one, provided it is signed. */
function findOnlyRecipient({ isSigned, known: { recipients, isComplete } }: Tie): string | undefined {
  const [only] = recipients.values()
  return isSigned && isComplete && recipients.size === 1 ? only : undefined
}

function isNamedBy({ outcomes }: DeliveryReport, recipient: string): boolean {
  return outcomes.some(({ addresses }) => names(addresses, recipient))
}

function names(addresses: readonly string[], recipient: string): boolean {
  return addresses.some((address) => lowerCase(address) === lowerCase(recipient))
}

function describeUnknown(addresses: readonly string[], tie: Tie): string {
  if (addresses.length === 0) return 'recipient: the report names no recipient'
  const named = JSON.stringify(addresses.join(', ').slice(0, 200))
  const problem =
    tie.recipient === undefined ? 'not a known recipient of the message' : 'not the one of the return path'
  return `recipient: the report names ${named}, ${problem}`
}

function finish(
  { returned }: Report,
  tie: Tie,
  times: readonly (number | undefined)[],
  kept: KeptTimes,
  fields: Readonly<Record<string, unknown>>,
): Finding {
  const known = times.filter((time) => time !== undefined)
  // Clocks may be wrong, so the first plausible time counts.
  const timestamp = known.find((time) => time >= kept.oldest && time <= kept.newest) ?? known[0] ?? kept.arrived
  const event = {
    id: tie.messageId,
    timestamp,
    domain_name: tie.domain,
    sender: tie.returnPath ?? returned.sender,
    from: returned.from,
    subject: returned.subject,
    direction: 'outbound',
    ...fields,
  }
  return { event: Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined)) }
}
