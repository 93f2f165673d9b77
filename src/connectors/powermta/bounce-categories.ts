/** Maps PowerMTA's bounce categories to our classes. */
import type { BounceClass } from '../../classification/bounce-classes.ts'

const CLASSES: ReadonlyMap<string, BounceClass> = new Map([
  ['bad-configuration', 'BadConfiguration'],
  ['bad-connection', 'BadConnection'],
  ['bad-domain', 'BadDomain'],
  ['bad-mailbox', 'InvalidRecipient'],
  ['content-related', 'ContentRelated'],
  ['inactive-mailbox', 'InactiveMailbox'],
  ['invalid-sender', 'InvalidSender'],
  ['message-expired', 'MessageExpired'],
  ['no-answer-from-host', 'NoAnswerFromHost'],
  ['policy-related', 'PolicyRelated'],
  ['protocol-errors', 'ProtocolErrors'],
  ['quota-issues', 'QuotaIssues'],
  ['relaying-issues', 'RelayingIssues'],
  ['routing-errors', 'RoutingErrors'],
  ['spam-related', 'SpamRelated'],
  ['virus-related', 'VirusRelated'],
] as const)

/** PowerMTA found no category; our rules may find a class. */
const UNKNOWN = 'other'

/** Categories added by an operator (bounce-category-patterns) are kept unchanged. */
export function findBounceClass(category: string | undefined): string | undefined {
  if (category === undefined || category === UNKNOWN) return undefined
  return CLASSES.get(category) ?? category
}
