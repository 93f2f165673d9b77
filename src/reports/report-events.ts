/** What a report that is tied to a message adds to the log. */
import type { BounceClassifier } from '../classification/classify-bounce.ts'
import type { ProviderFinder } from '../classification/find-provider.ts'
import type { EventType } from '../events/event.ts'
import { lowerCase } from './reference.ts'
import type { Action, DeliveryReport, FeedbackReport, RecipientOutcome, Report } from './report.ts'
import type { Tie } from './tie-report.ts'

export interface ReportKnowledge {
  readonly classify: BounceClassifier
  readonly findProvider: ProviderFinder
}

/** An event, not yet checked, or why a part of the report cannot become one. */
export type Finding = { readonly event: Readonly<Record<string, unknown>> } | { readonly problem: string }

/** When something can have happened, Unix seconds. */
export interface KeptTimes {
  readonly oldest: number
  readonly newest: number
}

/** Null where nothing went wrong: mail that arrived, was handed on to a system that reports no more, or to a list. */
const TYPE_OF_ACTION: Readonly<Record<Exclude<Action, 'unclear'>, EventType | null>> = {
  failed: 'OOBBounce',
  delayed: 'Delayed',
  delivered: null,
  relayed: null,
  expanded: null,
}

/** The interface's code for a retry that is not the answer of a server. */
const CODE_DELAYED = 400

/** RFC 5965 section 7.3, RFC 6430 and RFC 6591: these are no complaints. */
const NO_COMPLAINT: readonly string[] = ['not-spam', 'auth-failure']

export function toFindings(
  report: DeliveryReport | FeedbackReport,
  tie: Tie,
  knowledge: ReportKnowledge,
  kept: KeptTimes,
): readonly Finding[] {
  return report.kind === 'delivery'
    ? report.outcomes.flatMap((outcome) => toBounce(report, outcome, tie, knowledge, kept))
    : toComplaints(report, tie, knowledge, kept)
}

function toBounce(
  report: DeliveryReport,
  outcome: RecipientOutcome,
  tie: Tie,
  knowledge: ReportKnowledge,
  kept: KeptTimes,
): readonly Finding[] {
  const { action, code, enhancedCode, text, peerName, attemptedAt } = outcome
  if (action === 'unclear') return [{ problem: 'Action: says neither what happened nor with which Status' }]
  const type = TYPE_OF_ACTION[action]
  if (type === null) return []
  const recipient = findRecipientOf(outcome, report, tie)
  if (recipient === undefined) return [{ problem: describeStranger(outcome.addresses, tie) }]
  return [
    finish(report, tie, [attemptedAt, ...report.times], kept, {
      type,
      recipient,
      response_code: type === 'Delayed' ? CODE_DELAYED : code,
      response_content: text,
      response_enhanced_code: enhancedCode,
      bounce_classification: type === 'Delayed' ? undefined : knowledge.classify({ code, enhancedCode, text }),
      peer_name: peerName,
      provider_name: peerName === undefined ? undefined : knowledge.findProvider(peerName),
    }),
  ]
}

function findRecipientOf({ addresses }: RecipientOutcome, report: DeliveryReport, tie: Tie): string | undefined {
  const only = tie.recipient
  if (only !== undefined) {
    // Where the report names the recipient, it is about that one and no other. Where it does not, the message was forwarded:
    // whatever became of it there is the reason why that recipient did not get it.
    const isNamed = report.outcomes.some((outcome) => names(outcome.addresses, only))
    return !isNamed || names(addresses, only) ? only : undefined
  }
  const known = addresses.find((address) => tie.knownRecipients.has(lowerCase(address)))
  return known ?? (report.outcomes.length === 1 ? findOnlyRecipient(tie) : undefined)
}

function toComplaints(
  report: FeedbackReport,
  tie: Tie,
  knowledge: ReportKnowledge,
  kept: KeptTimes,
): readonly Finding[] {
  if (NO_COMPLAINT.includes(report.feedbackType)) return []
  const { reporter, times } = report
  const recipients = findComplainants(report, tie)
  if (recipients.length === 0) return [{ problem: describeStranger(report.recipients, tie) }]
  return recipients.map((recipient) =>
    finish(report, tie, times, kept, {
      type: 'Feedback',
      recipient,
      peer_name: reporter,
      provider_name: reporter === undefined ? undefined : knowledge.findProvider(reporter),
    }),
  )
}

/** Providers hide who complained where they can: then the header To tells, if it names one recipient and no more. */
function findComplainants({ recipients, returned }: FeedbackReport, tie: Tie): readonly string[] {
  if (tie.recipient !== undefined) return [tie.recipient]
  const told = [...recipients, ...(returned.trace?.recipient === undefined ? [] : [returned.trace.recipient])]
  const known = knownOf(told, tie)
  if (known.length > 0) return known
  const addressed = knownOf(returned.to, tie)
  if (addressed.length === 1) return addressed
  const only = findOnlyRecipient(tie)
  return only === undefined ? [] : [only]
}

/** One of each, by its first spelling. */
function knownOf(addresses: readonly string[], { knownRecipients }: Tie): readonly string[] {
  const known = addresses.filter((address) => knownRecipients.has(lowerCase(address)))
  return [...new Map(known.toReversed().map((address) => [lowerCase(address), address])).values()].toReversed()
}

/** A message that went to one recipient can only be about that one; without a signature that is not enough. */
function findOnlyRecipient({ isSigned, knownRecipients }: Tie): string | undefined {
  const [only] = knownRecipients.values()
  return isSigned && knownRecipients.size === 1 ? only : undefined
}

function names(addresses: readonly string[], recipient: string): boolean {
  return addresses.some((address) => lowerCase(address) === lowerCase(recipient))
}

function describeStranger(addresses: readonly string[], tie: Tie): string {
  const who = addresses.length === 0 ? 'nobody' : JSON.stringify(addresses.join(', ').slice(0, 200))
  const why = tie.recipient === undefined ? 'a known recipient of the message' : 'whom the return path was made for'
  return `recipient: the report names ${who}, who is not ${why}`
}

function finish(
  { returned }: Report,
  tie: Tie,
  times: readonly (number | undefined)[],
  kept: KeptTimes,
  fields: Readonly<Record<string, unknown>>,
): Finding {
  const told = times.filter((time) => time !== undefined)
  // Clocks go wrong; one of several times is more likely right when it is one that can be.
  const timestamp = told.find((time) => time >= kept.oldest && time <= kept.newest) ?? told[0]
  if (timestamp === undefined) return { problem: 'timestamp: the report does not tell when it was written' }
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
