/** PowerMTA's bounce categories and the classes that they are to us. */
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

/** No category of its own knew it: our table may. */
const UNKNOWN = 'other'

/** A category that an operator has added (bounce-category-patterns) is kept as it is. */
export function findBounceClass(category: string | undefined): string | undefined {
  if (category === undefined || category === UNKNOWN) return undefined
  return CLASSES.get(category) ?? category
}
