/** Why a delivery failed: the 29 class names that KumoMTA uses, and whom each of them blames. */

/** What has to change before mail like this gets through. */
export type Blame =
  /** The address, or the mailbox behind it: stop sending there. */
  | 'recipient'
  /** The sender's name, authentication, reputation or permission. */
  | 'sender'
  /** This message; another one may pass. */
  | 'content'
  /** Networks, DNS or servers between the two. The address says nothing about it. */
  | 'infrastructure'
  /** No failure: somebody's machine answered a message that was delivered. */
  | 'nobody'
  | 'unknown'

export const BOUNCE_CLASSES = {
  InvalidRecipient: 'recipient',
  DNSFailure: 'infrastructure',
  SpamBlock: 'sender',
  SpamContent: 'content',
  ProhibitedAttachment: 'content',
  RelayDenied: 'sender',
  AutoReply: 'nobody',
  TransientFailure: 'infrastructure',
  Subscribe: 'nobody',
  Unsubscribe: 'nobody',
  ChallengeResponse: 'nobody',
  BadConfiguration: 'infrastructure',
  BadConnection: 'infrastructure',
  BadDomain: 'recipient',
  ContentRelated: 'content',
  InactiveMailbox: 'recipient',
  InvalidSender: 'sender',
  MessageExpired: 'infrastructure',
  NoAnswerFromHost: 'infrastructure',
  PolicyRelated: 'sender',
  ProtocolErrors: 'infrastructure',
  QuotaIssues: 'recipient',
  RelayingIssues: 'infrastructure',
  RoutingErrors: 'infrastructure',
  SpamRelated: 'sender',
  VirusRelated: 'content',
  AuthenticationFailed: 'sender',
  TooManyRecipients: 'infrastructure',
  Uncategorized: 'unknown',
} as const satisfies Readonly<Record<string, Blame>>

export type BounceClass = keyof typeof BOUNCE_CLASSES

/** The class of what no rule knows. */
export const UNCATEGORIZED = 'Uncategorized' satisfies BounceClass
