/** What a failure means, who has to act, and what to do: one reviewed entry per class, and finer ones where a reply says more. */
import type { BounceClass } from '../bounce-classes.ts'

/** Who has to act before such mail is accepted. `nobody`: it will be retried, or nothing went wrong. */
export const ACTORS = ['sender', 'operator', 'receiver', 'nobody'] as const
export type Actor = (typeof ACTORS)[number]

export interface Meaning {
  /** Continues "Permanently failed: …"; absent if a permanent failure cannot have this reason. */
  readonly permanent?: string
  /** Continues "Temporarily failed: …"; absent if the reason excludes another attempt. */
  readonly temporary?: string
  /** A whole sentence, for an answer to a message that was delivered. */
  readonly answer?: string
  readonly actor: Actor
  /** A whole sentence whose subject is the actor; empty if nobody has to act. */
  readonly advice: string
  /** Another attempt alone will not help. */
  readonly isLasting?: boolean
}

const CHECK_ADDRESS = 'The sender should correct the address or remove it from its lists.'
const REMOVE_ADDRESS = 'The sender should remove the address from its lists.'
const CHECK_CONTENT = 'The sender should check the content, and whether the recipients asked for such mail.'
const CHECK_ROUTE = 'The operator should check the connection to this receiver.'

function always(reason: string): Pick<Meaning, 'permanent' | 'temporary'> {
  return { permanent: reason, temporary: reason }
}

export const MEANING_OF_CLASS: Readonly<Record<Exclude<BounceClass, 'Uncategorized'>, Meaning>> = {
  // The address and its mailbox.
  InvalidRecipient: {
    permanent: 'the address does not exist',
    temporary: 'the receiver does not accept mail for the address yet',
    actor: 'sender',
    advice: CHECK_ADDRESS,
  },
  InactiveMailbox: {
    permanent: 'the mailbox is disabled or no longer in use',
    temporary: 'the mailbox is not available at the moment',
    actor: 'sender',
    advice: REMOVE_ADDRESS,
  },
  BadDomain: {
    permanent: "the recipient's domain does not exist or does not accept mail",
    temporary: "the recipient's domain was not found",
    actor: 'sender',
    advice: CHECK_ADDRESS,
  },
  QuotaIssues: {
    ...always('the mailbox is full'),
    actor: 'receiver',
    advice: 'The recipient has to make room in the mailbox.',
    isLasting: true,
  },

  // The sender, its network and its permission.
  SpamBlock: {
    permanent: 'the receiver blocks the sending server or domain because of its reputation',
    temporary: 'the receiver restricts the sending server or domain because of its reputation',
    actor: 'operator',
    advice: 'The operator should check blocklists and complaints, and ask the receiver to remove the restriction.',
    isLasting: true,
  },
  SpamRelated: {
    ...always('the receiver considers the message or its sender spam'),
    actor: 'sender',
    advice: CHECK_CONTENT,
    isLasting: true,
  },
  AuthenticationFailed: {
    ...always('the receiver could not verify the sender domain (SPF, DKIM or DMARC)'),
    actor: 'sender',
    advice: 'The sender should check the SPF, DKIM and DMARC records of the sender domain.',
    isLasting: true,
  },
  InvalidSender: {
    ...always('the receiver does not accept the sender address'),
    actor: 'sender',
    advice: 'The sender should check that the sender address and its domain exist.',
    isLasting: true,
  },
  PolicyRelated: {
    ...always('a rule of the receiver does not allow the message'),
    actor: 'operator',
    advice: "The operator should ask the receiver's postmaster which rule it was.",
  },
  RelayDenied: {
    ...always('the receiving server does not accept mail for this recipient from the sending server'),
    actor: 'receiver',
    advice: "The receiver has to correct the domain's MX record or the settings of its server.",
    isLasting: true,
  },

  // The message.
  SpamContent: {
    ...always('the receiver considers the content spam'),
    actor: 'sender',
    advice: CHECK_CONTENT,
    isLasting: true,
  },
  ContentRelated: {
    ...always('the receiver objects to the size or the format of the message'),
    actor: 'sender',
    advice: 'The sender should change the message.',
    isLasting: true,
  },
  ProhibitedAttachment: {
    ...always('the receiver does not accept such attachments or content'),
    actor: 'sender',
    advice: 'The sender should send the message without them.',
    isLasting: true,
  },
  VirusRelated: {
    ...always('the receiver found a virus in the message'),
    actor: 'sender',
    advice: 'The sender should check the attachments and the systems that they came from.',
    isLasting: true,
  },

  // Networks, DNS and servers.
  BadConfiguration: {
    ...always('a mail server on the route is not set up correctly'),
    actor: 'operator',
    advice: 'The operator should check the settings of the sending server, then ask the receiver.',
    isLasting: true,
  },
  BadConnection: {
    ...always('the connection to the receiving server failed'),
    actor: 'operator',
    advice: CHECK_ROUTE,
  },
  NoAnswerFromHost: {
    ...always('the receiving server did not answer'),
    actor: 'operator',
    advice: CHECK_ROUTE,
  },
  DNSFailure: {
    ...always('a DNS lookup failed'),
    actor: 'operator',
    advice: "The operator should check the resolver and the DNS of the recipient's domain.",
  },
  RoutingErrors: {
    ...always('no working route to the recipient was found'),
    actor: 'receiver',
    advice: 'The receiver has to correct the DNS or the forwarding of its domain.',
  },
  RelayingIssues: {
    ...always('a server on the route could not pass the message on'),
    actor: 'operator',
    advice: 'The operator should check the route of the message.',
  },
  ProtocolErrors: {
    ...always('an SMTP protocol error occurred'),
    actor: 'operator',
    advice: 'The operator should look at the SMTP session with this receiver.',
  },
  TooManyRecipients: {
    ...always('the message has more recipients than the receiver accepts at once'),
    actor: 'operator',
    advice: 'The operator should send to fewer recipients at once.',
  },
  TransientFailure: {
    permanent: 'the last attempt failed with a temporary error, and the sending server gave up',
    temporary: 'the receiver asked for another attempt later',
    actor: 'sender',
    advice: 'The sender can send the message again.',
  },
  MessageExpired: {
    permanent: 'the message could not be delivered within the retry period',
    actor: 'sender',
    advice: 'The sender can send the message again; the earlier attempts show the cause.',
  },

  // Answers to a message that was delivered.
  AutoReply: { answer: 'An automatic reply was received.', actor: 'nobody', advice: '' },
  Subscribe: {
    answer: 'A request to subscribe was received.',
    actor: 'sender',
    advice: 'The sender should process the request.',
  },
  Unsubscribe: { answer: 'A request to unsubscribe was received.', actor: 'sender', advice: REMOVE_ADDRESS },
  ChallengeResponse: {
    answer: 'The receiver asks the sender to confirm the message.',
    actor: 'sender',
    advice: 'The sender should follow the instructions in the reply.',
  },
}

/** More exact than the class, or what two classes have in common. */
export const FINER_MEANINGS = {
  Greylisting: {
    temporary: 'the receiver defers mail from unknown senders for some minutes (greylisting)',
    actor: 'operator',
    advice: 'The operator should check the retry interval.',
  },
  Limits: {
    permanent: 'a limit of the receiver on the amount of mail was exceeded',
    temporary: 'the receiver limits the amount of mail at the moment',
    actor: 'operator',
    advice: 'The operator should send more slowly to this receiver.',
  },
  ReverseDns: {
    ...always('the sending server has no valid reverse DNS name'),
    actor: 'operator',
    advice: 'The operator should set up reverse DNS (PTR) for the sending address.',
    isLasting: true,
  },
  EncryptionRequired: {
    ...always('the receiver requires an encrypted connection (TLS)'),
    actor: 'operator',
    advice: 'The operator should enable TLS for this receiver.',
    isLasting: true,
  },
  SignInRequired: {
    ...always('the server requires SMTP authentication, or did not accept the credentials'),
    actor: 'operator',
    advice: 'The operator should check the route and its credentials.',
    isLasting: true,
  },
  MessageTooLarge: {
    ...always('the message is larger than the receiver accepts'),
    actor: 'sender',
    advice: 'The sender should make the message smaller.',
    isLasting: true,
  },
  MailLoop: {
    ...always('the message was in a mail loop'),
    actor: 'receiver',
    advice: 'The receiver has to correct its forwarding.',
    isLasting: true,
  },
  AddressUnusable: {
    permanent: 'the address does not exist or is no longer in use',
    temporary: 'the mailbox is not available at the moment',
    actor: 'sender',
    advice: REMOVE_ADDRESS,
  },
  Unreachable: {
    ...always('the receiving server could not be reached'),
    actor: 'operator',
    advice: CHECK_ROUTE,
  },
} as const satisfies Readonly<Record<string, Meaning>>

/** The three digits alone: the interface's own code (400), then RFC 5321 section 4.2.3. Many servers choose them carelessly. */
export const MEANING_OF_CODE: Readonly<Record<number, Meaning>> = {
  400: later('the receiving server could not be reached'),
  421: later('the receiver does not accept more mail from the sending server at the moment'),
  431: later('the receiving server has no storage left'),
  450: later('the receiver cannot deliver to the mailbox at the moment'),
  451: later('the receiver has a temporary problem'),
  452: later('the receiver has no room for the message, or accepts fewer recipients at once'),
  454: later('encryption (TLS) or SMTP authentication is not available at the moment'),
  455: later('the receiver cannot process the command at the moment'),
  541: refused('the receiver refused the message'),
  550: refused('the address does not exist, or the receiver refused the message'),
  554: refused('the receiver refused the message'),
}

function later(reason: string): Meaning {
  return { temporary: reason, actor: 'operator', advice: "The operator should read the receiver's response." }
}

function refused(reason: string): Meaning {
  return { permanent: reason, actor: 'operator', advice: "The operator should read the receiver's response." }
}
