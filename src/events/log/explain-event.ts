/** Explains an event in one or two plain sentences, from its type, its class and its codes. */
import type { EmailEvent, EventExtension } from '../event.ts'

type Explained = Pick<EmailEvent, 'type' | 'response_code' | 'response_enhanced_code' | 'bounce_classification'> &
  Pick<EventExtension, 'machine'>

/** By the class of the failure (src/classification), the most specific source. Continues "Permanently failed: …". */
export const REASON_OF_CLASS: Readonly<Record<string, string>> = {
  InvalidRecipient: 'the address does not exist',
  DNSFailure: "the recipient's domain could not be looked up in DNS",
  SpamBlock: 'the receiver blocks the sender as a source of spam',
  SpamContent: 'the receiver considers the content spam',
  ProhibitedAttachment: 'the receiver does not accept this type of attachment',
  RelayDenied: 'the server does not accept mail for this address from us',
  AutoReply: 'the answer is an automatic reply',
  TransientFailure: 'the receiver has a temporary problem',
  Subscribe: 'the answer is a request to subscribe',
  Unsubscribe: 'the answer is a request to unsubscribe',
  ChallengeResponse: 'the receiver requires a person to confirm the message',
  BadConfiguration: 'a server on the route is misconfigured',
  BadConnection: 'the connection to the server was lost',
  BadDomain: "the recipient's domain does not exist or does not accept mail",
  ContentRelated: 'the receiver objects to the message itself, such as its size or format',
  InactiveMailbox: 'the mailbox is disabled or no longer in use',
  InvalidSender: 'the receiver does not accept the sender address',
  MessageExpired: 'it could not be delivered within the retry period',
  NoAnswerFromHost: 'the receiving server did not answer',
  PolicyRelated: "the receiver's policy does not allow it, often because the sender is new to it (greylisting)",
  ProtocolErrors: 'the two servers did not understand each other',
  QuotaIssues: 'the mailbox is full',
  RelayingIssues: 'a server on the route refused to relay it',
  RoutingErrors: 'no route to the recipient was found',
  SpamRelated: 'the receiver considers the message or its sender spam',
  VirusRelated: 'the receiver found a virus in the message',
  AuthenticationFailed: 'the receiver could not verify the sender: SPF, DKIM or DMARC failed',
  TooManyRecipients: 'it has more recipients than the receiver accepts at once',
}

/** RFC 3463 section 3, by subject and detail: the second and third number of an enhanced code. */
const REASON_OF_DETAIL: Readonly<Record<string, string>> = {
  '1.0': 'there is a problem with the address',
  '1.1': 'the mailbox does not exist',
  '1.2': "the recipient's domain does not exist or does not accept mail",
  '1.3': 'the address is not valid',
  '1.4': 'the address matches several mailboxes',
  '1.6': 'the mailbox has moved',
  '1.7': 'the sender address is not valid',
  '1.8': "the sender's domain does not exist or does not accept mail",
  '1.10': "the recipient's domain does not accept any mail",
  '2.0': 'there is a problem with the mailbox',
  '2.1': 'the mailbox is disabled',
  '2.2': 'the mailbox is full',
  '2.3': 'the message is larger than the mailbox accepts',
  '2.4': 'the mailing list at this address does not work',
  '3.0': 'the receiving server has an internal problem',
  '3.1': 'the receiving server has no storage left',
  '3.2': 'the receiving server does not accept mail at the moment',
  '3.3': 'the receiving server lacks a feature that the message needs',
  '3.4': 'the message is larger than the server accepts',
  '4.1': 'the receiving server did not answer',
  '4.2': 'the connection to the server was lost',
  '4.3': 'a directory server needed for routing failed',
  '4.4': 'no route to the recipient was found',
  '4.5': 'the receiving server is too busy',
  '4.6': 'the message was in a mail loop',
  '4.7': 'it could not be delivered within the retry period',
  '5.0': 'the two servers did not understand each other',
  '5.3': 'it has more recipients than the receiver accepts at once',
  '6.0': 'the receiver objects to the format of the message',
  '7.0': "the receiver's policy does not allow it",
  '7.1': "the receiver's policy does not allow it, often because of the sender's reputation or temporary greylisting",
  '7.2': 'the sender is not allowed to write to this mailing list',
  '7.5': 'the receiver objects to a signature or encryption',
  '7.20': 'the message has no valid DKIM signature',
  '7.21': 'the message has no valid DKIM signature from a known author',
  '7.23': "the sender's SPF record does not allow this server",
  '7.24': "the sender's SPF record could not be read",
  '7.25': 'our sending IP address has no reverse DNS name',
  '7.26': 'neither SPF nor DKIM confirms the sender',
  '7.27': "the sender's domain declares that it sends no mail",
  '7.28': 'mail arrived faster than the receiver accepts it',
}

/** The interface's own code (400), then those of RFC 5321 section 4.2.3. */
const REASON_OF_CODE: Readonly<Record<number, string>> = {
  400: 'the connection failed or timed out',
  421: 'the receiver does not accept more mail from us at the moment',
  422: 'the mailbox is full',
  431: 'the receiving server has no storage left',
  450: 'the mailbox is busy or receives mail too quickly',
  451: 'the receiver asked us to try again later (often greylisting)',
  452: 'the receiving server has no storage left, or accepts fewer recipients at once',
  454: 'TLS or authentication is not available at the moment',
  455: 'the receiver cannot process the command at the moment',
  500: 'the two servers did not understand each other',
  501: 'the two servers did not understand each other',
  502: 'the two servers did not understand each other',
  503: 'the two servers did not understand each other',
  521: 'the host does not accept mail',
  530: 'the receiver requires authentication or TLS',
  535: 'the receiver did not accept our authentication',
  541: 'the receiver considers the message spam',
  550: 'the mailbox does not exist, or the receiver blocks the message',
  551: 'the recipient is not at this server',
  552: 'the mailbox is full, or the message is too large',
  553: 'the recipient address is not valid',
  554: 'the receiver refused the message, often as spam',
  555: 'the two servers did not understand each other',
  556: "the recipient's domain does not accept mail",
}

const EXPLANATION_OF_TYPE: Readonly<Record<EmailEvent['type'], (event: Explained) => string>> = {
  Reception: () => 'The message was accepted for sending.',
  Delivery: () => "The recipient's mail server accepted the message.",
  Opened: ({ machine }) =>
    machine === undefined
      ? 'The recipient opened the message.'
      : 'A machine opened the message, such as the proxy of a mail provider; the recipient may not have seen it.',
  Click: ({ machine }) =>
    machine === undefined
      ? 'The recipient clicked a link in the message.'
      : 'A machine followed a link in the message, such as a scanner; the recipient may not have seen it.',
  Feedback: () => 'The recipient reported the message as spam. Do not send to this address again.',
  TransientFailure: (event) => withReason('Temporarily failed', event, ' It will be retried automatically.'),
  Delayed: (event) => withReason('Deferred', event, ' It is waiting for the next attempt.'),
  Bounce: (event) => withReason('Permanently failed', event),
  OOBBounce: (event) => withReason('The server accepted the message and returned it later', event),
}

export function explainEvent(event: Explained): string {
  return EXPLANATION_OF_TYPE[event.type](event)
}

function withReason(what: string, event: Explained, outlook = ''): string {
  const reason = findReason(event)
  return `${reason === undefined ? what : `${what}: ${reason}`}.${outlook}`
}

/** The class takes everything into account; an enhanced code is more specific than the three digits. */
function findReason(event: Explained): string | undefined {
  const { bounce_classification: name = '', response_enhanced_code: enhanced = '', response_code: code } = event
  // Operators can define their own classes, with names such as "constructor".
  if (Object.hasOwn(REASON_OF_CLASS, name)) return REASON_OF_CLASS[name]
  const detail = /^[245]\.(\d{1,3}\.\d{1,3})$/.exec(enhanced)?.[1] ?? ''
  if (Object.hasOwn(REASON_OF_DETAIL, detail)) return REASON_OF_DETAIL[detail]
  return code === undefined ? undefined : REASON_OF_CODE[code]
}
