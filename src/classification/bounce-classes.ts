/** Why a delivery failed: the 29 class names that KumoMTA uses, and what each of them blames. */

/** What has to change before such mail is accepted. */
export type Blame =
  /** The address or its mailbox: stop sending to it. */
  | 'recipient'
  /** The sender's address, authentication, reputation or permission. */
  | 'sender'
  /** This message; another one may be accepted. */
  | 'content'
  /** Networks, DNS or servers on the way; the address itself may be fine. */
  | 'infrastructure'
  /** Not a failure: an automatic answer to a message that was delivered. */
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

/** The class of a failure that matches no rule. */
export const UNCATEGORIZED = 'Uncategorized' satisfies BounceClass
