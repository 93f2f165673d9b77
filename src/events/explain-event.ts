/** One plain sentence for each event: what happened and what it means, told by its type, its class and its codes. */
import type { EmailEvent, EventExtension } from './event.ts'

type Explained = Pick<EmailEvent, 'type' | 'response_code' | 'response_enhanced_code' | 'bounce_classification'> &
  Pick<EventExtension, 'machine'>

/** By the class of the failure (src/classification): the most that is known. Continues "The mail was not accepted: …". */
export const REASON_OF_CLASS: Readonly<Record<string, string>> = {
  InvalidRecipient: 'the address does not exist',
  DNSFailure: "the recipient's domain could not be looked up in DNS",
  SpamBlock: 'the receiver blocks the sender as a source of spam',
  SpamContent: 'the receiver takes the content for spam',
  ProhibitedAttachment: 'the receiver does not take an attachment of this kind',
  RelayDenied: 'the server does not take mail for this address from us',
  AutoReply: 'a machine answered in place of the recipient',
  TransientFailure: 'the receiver has a passing problem',
  Subscribe: 'the answer is a request to subscribe',
  Unsubscribe: 'the answer is a request to unsubscribe',
  ChallengeResponse: 'the receiver wants a person to confirm the message',
  BadConfiguration: 'a server on the way is set up wrongly',
  BadConnection: 'the connection to the server broke off',
  BadDomain: "the recipient's domain does not exist, or takes no mail",
  ContentRelated: 'the receiver objects to the message itself, such as its size or form',
  InactiveMailbox: 'the mailbox is disabled or no longer used',
  InvalidSender: 'the receiver does not accept the sender address',
  MessageExpired: 'it was tried for as long as is allowed, and given up',
  NoAnswerFromHost: 'the receiving server did not answer',
  PolicyRelated: "the receiver's rules do not allow it, often because it has not met this sender before (greylisting)",
  ProtocolErrors: 'the two servers did not understand each other',
  QuotaIssues: 'the mailbox is full',
  RelayingIssues: 'a server on the way would not pass it on',
  RoutingErrors: 'no way to the recipient was found',
  SpamRelated: 'the receiver takes the message or its sender for spam',
  VirusRelated: 'the receiver found a virus in it',
  AuthenticationFailed: 'the receiver could not verify the sender: SPF, DKIM or DMARC failed',
  TooManyRecipients: 'it has more recipients than the receiver takes at once',
}

/** RFC 3463 section 3, by subject and detail: the second and third number of an enhanced code. */
const REASON_OF_DETAIL: Readonly<Record<string, string>> = {
  '1.0': 'there is something wrong with the address',
  '1.1': 'the mailbox does not exist',
  '1.2': "the recipient's domain does not exist, or takes no mail",
  '1.3': 'the address is not written correctly',
  '1.4': 'the address could mean more than one mailbox',
  '1.6': 'the mailbox has moved',
  '1.7': 'the sender address is not written correctly',
  '1.8': "the sender's domain does not exist, or takes no mail",
  '1.10': "the recipient's domain takes no mail at all",
  '2.0': 'there is something wrong with the mailbox',
  '2.1': 'the mailbox is disabled',
  '2.2': 'the mailbox is full',
  '2.3': 'the message is larger than the mailbox takes',
  '2.4': 'the mailing list behind the address does not work',
  '3.0': 'the receiving server has a problem of its own',
  '3.1': 'the receiving server has no room left',
  '3.2': 'the receiving server takes no mail at the moment',
  '3.3': 'the receiving server lacks something that the message needs',
  '3.4': 'the message is larger than the server takes',
  '4.1': 'the receiving server did not answer',
  '4.2': 'the connection to the server broke off',
  '4.3': 'a directory that names the way could not be asked',
  '4.4': 'no way to the recipient was found',
  '4.5': 'the receiving server is too busy',
  '4.6': 'the message went in a circle',
  '4.7': 'it was tried for as long as is allowed, and given up',
  '5.0': 'the two servers did not understand each other',
  '5.3': 'it has more recipients than the receiver takes at once',
  '6.0': 'the receiver objects to the form of the message',
  '7.0': "the receiver's rules do not allow it",
  '7.1': "the receiver's rules do not allow it, often because of the sender's reputation or, for now, greylisting",
  '7.2': 'the sender may not write to this mailing list',
  '7.5': 'the receiver objects to a signature or encryption',
  '7.20': 'the message has no valid DKIM signature',
  '7.21': 'the message has no valid DKIM signature of an author that is known',
  '7.23': "the sender's SPF record does not allow this server",
  '7.24': "the sender's SPF record could not be read",
  '7.25': 'the address that we sent from has no name in reverse DNS',
  '7.26': 'neither SPF nor DKIM confirms the sender',
  '7.27': "the sender's domain says that it sends no mail",
  '7.28': 'more mail came than the receiver takes at once',
}

/** The codes of the interface, then of RFC 5321 section 4.2.3. */
const REASON_OF_CODE: Readonly<Record<number, string>> = {
  400: 'it did not come to an answer: the connection could not be made or broke off',
  421: 'the receiver takes no more mail from us at the moment',
  422: 'the mailbox is full',
  431: 'the receiving server has no room left',
  450: 'the mailbox is busy, or gets mail too quickly',
  451: 'the receiver asked us to come back later (often greylisting)',
  452: 'the receiving server has no room left, or takes fewer recipients at once',
  454: 'TLS or authentication is not available at the moment',
  455: 'the receiver cannot do what was asked at the moment',
  500: 'the two servers did not understand each other',
  501: 'the two servers did not understand each other',
  502: 'the two servers did not understand each other',
  503: 'the two servers did not understand each other',
  521: 'the host takes no mail',
  530: 'the receiver wants us to authenticate, or to use TLS',
  535: 'the receiver did not accept our authentication',
  541: 'the receiver takes the message for spam',
  550: 'the mailbox does not exist, or the receiver blocks the message',
  551: 'the recipient is not at this server',
  552: 'the mailbox is full, or the message is too large',
  553: 'the recipient address is not valid',
  554: 'the receiver refused the message, often as spam',
  555: 'the two servers did not understand each other',
  556: "the recipient's domain takes no mail",
}

export function explainEvent(event: Explained): string {
  switch (event.type) {
    case 'Reception':
      return 'The message was taken in for sending.'
    case 'Delivery':
      return "The recipient's mail server accepted the message."
    case 'Opened':
      return event.machine === undefined
        ? 'The recipient opened the message.'
        : 'A machine opened the message, such as the proxy of a mail provider; nobody may have seen it.'
    case 'Click':
      return event.machine === undefined
        ? 'The recipient clicked a link in the message.'
        : 'A machine followed a link in the message, such as a scanner; nobody may have seen it.'
    case 'Feedback':
      return 'The recipient reported the message as spam. Do not write to this address again.'
    case 'TransientFailure':
      return withReason('Not delivered yet', event, 'It is tried again by itself.')
    case 'Delayed':
      return withReason('Put off', event, 'It waits for the next attempt.')
    case 'Bounce':
      return withReason('Not delivered for good', event, '')
    case 'OOBBounce':
      return withReason('The server had accepted the message and sent it back later', event, '')
  }
}

function withReason(what: string, event: Explained, outlook: string): string {
  const reason = findReason(event)
  return [reason === undefined ? `${what}.` : `${what}: ${reason}.`, outlook].filter((part) => part !== '').join(' ')
}

/** A class was chosen by all that was known. The enhanced code tells more than the three digits. */
function findReason(event: Explained): string | undefined {
  const { bounce_classification: name = '', response_enhanced_code: enhanced = '', response_code: code } = event
  // An operator may have classes of their own, with names like those of Object.
  if (Object.hasOwn(REASON_OF_CLASS, name)) return REASON_OF_CLASS[name]
  const detail = /^[245]\.(\d{1,3}\.\d{1,3})$/.exec(enhanced)?.[1] ?? ''
  if (Object.hasOwn(REASON_OF_DETAIL, detail)) return REASON_OF_DETAIL[detail]
  return code === undefined ? undefined : REASON_OF_CODE[code]
}
