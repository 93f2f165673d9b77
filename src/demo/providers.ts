/** The receiving side of generated mail: providers, their hosts and their replies. */

export interface Reply {
  readonly weight: number
  readonly code: number
  /** Empty if the receiver sends none. */
  readonly enhanced: string
  /** `{id}`, `{host}`, `{recipient}` and `{ip}` are filled in. */
  readonly text: string
  readonly classification: string
}

export interface Provider {
  readonly weight: number
  readonly name: string
  readonly recipientDomains: readonly string[]
  readonly peers: readonly string[]
  readonly tls: readonly { readonly weight: number; readonly version: string; readonly cipher: string }[]
  readonly accepted: string
  readonly acceptedEnhanced: string
  readonly deferrals: readonly Reply[]
  readonly refusals: readonly Reply[]
  /** Whether it reports complaints to senders. */
  readonly hasFeedbackLoop: boolean
}

const TLS13_AES256 = { weight: 8, version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384' }
const TLS13_AES128 = { weight: 3, version: 'TLSv1.3', cipher: 'TLS_AES_128_GCM_SHA256' }
const TLS12_ECDHE = { weight: 1, version: 'TLSv1.2', cipher: 'ECDHE-RSA-AES256-GCM-SHA384' }
const TLS12_CHACHA = { weight: 1, version: 'TLSv1.2', cipher: 'ECDHE-RSA-CHACHA20-POLY1305' }

/** One reply per line: weight, code, enhanced code or -, class, text. */
function replies(table: string): readonly Reply[] {
  return [...table.matchAll(/(\d+) (\d{3}) (\S+) +(\w+) +(.*)/g)].map(
    ([, weight, code, enhanced = '', classification = '', text = '']) => ({
      weight: Number(weight),
      code: Number(code),
      enhanced: enhanced === '-' ? '' : enhanced,
      text,
      classification,
    }),
  )
}

export const PROVIDERS: readonly Provider[] = [
  {
    weight: 42,
    name: 'Google',
    recipientDomains: ['gmail.com', 'gmail.com', 'gmail.com', 'googlemail.com'],
    peers: ['gmail-smtp-in.l.google.com', 'alt1.gmail-smtp-in.l.google.com', 'alt2.gmail-smtp-in.l.google.com'],
    tls: [TLS13_AES256, TLS13_AES128],
    accepted: 'OK {id} - queued for the mailbox',
    acceptedEnhanced: '2.0.0',
    deferrals: replies(`
      5 421 4.7.28  RateLimited          Mail from {ip} arrives faster than we accept it, please slow down {id}
      2 451 4.3.0   TransientFailure     The mail server has a temporary problem, try again {id}
      2 450 4.2.1   RateLimited          <{recipient}> gets mail too quickly at the moment, try again {id}`),
    refusals: replies(`
      7 550 5.1.1   InvalidRecipient     There is no account {recipient} here, check the address for typing errors {id}
      2 552 5.2.2   QuotaIssues          The inbox of {recipient} is over its quota {id}
      2 550 5.7.26  AuthenticationFailed The sender is not authenticated: neither SPF nor DKIM passed {id}
      2 550 5.7.1   SpamContent          This message is likely unsolicited and was blocked to protect our users {id}`),
    hasFeedbackLoop: false,
  },
  {
    weight: 24,
    name: 'Microsoft',
    recipientDomains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
    peers: [
      'outlook-com.olc.protection.outlook.com',
      'hotmail-com.olc.protection.outlook.com',
      'live-com.olc.protection.outlook.com',
    ],
    tls: [TLS13_AES256, TLS12_ECDHE],
    accepted: '<{id}> [Hostname={host}] Queued mail for delivery',
    acceptedEnhanced: '2.6.0',
    deferrals: replies(`
      5 451 4.7.650 RateLimited          Mail from {ip} is limited for now because of its reputation [{host}]
      2 451 4.7.500 TransientFailure     Server busy, try again later from {ip} [{host}]
      1 421 4.3.2   TransientFailure     The service is not available, closing the connection [{host}]`),
    refusals: replies(`
      6 550 5.5.0   InvalidRecipient     Requested action not taken: mailbox unavailable [{host}]
      3 550 5.7.1   SpamBlock            Messages from {ip} were not sent: part of its network is on our block list [{host}]
      1 554 5.2.2   QuotaIssues          Mailbox full; the recipient cannot take more mail [{host}]`),
    hasFeedbackLoop: true,
  },
  {
    weight: 11,
    name: 'Yahoo',
    recipientDomains: ['yahoo.com', 'ymail.com', 'aol.com'],
    peers: ['mta5.am0.yahoodns.net', 'mta6.am0.yahoodns.net', 'mta7.am0.yahoodns.net'],
    tls: [TLS13_AES128, TLS13_AES256],
    accepted: 'ok dirdel {id}',
    acceptedEnhanced: '',
    deferrals: replies(`
      5 421 4.7.0   RateLimited          [TSS04] Messages from {ip} deferred for now because of user complaints
      2 451 -       TransientFailure     Resources are short at the moment, please try later`),
    refusals: replies(`
      6 554 -       InvalidRecipient     delivery error: this user has no account here ({recipient}) [-5] - {host}
      3 554 5.7.9   PolicyRelated        Message not accepted for policy reasons
      2 552 -       InactiveMailbox      1 Requested mail action aborted, mailbox not found or disabled`),
    hasFeedbackLoop: true,
  },
  {
    weight: 7,
    name: 'Apple',
    recipientDomains: ['icloud.com', 'me.com', 'mac.com'],
    peers: ['mx01.mail.icloud.com', 'mx02.mail.icloud.com'],
    tls: [TLS13_AES256, TLS12_CHACHA],
    accepted: 'Ok: queued as {id}',
    acceptedEnhanced: '2.0.0',
    deferrals: replies(`
      3 450 4.2.0   RateLimited          [CS01] <{recipient}>: rejected for now, sender exceeds the rate we accept`),
    refusals: replies(`
      5 550 5.1.1   InvalidRecipient     <{recipient}>: user does not exist
      2 554 5.7.1   PolicyRelated        [HM08] Message refused by local policy
      1 552 5.2.2   QuotaIssues          <{recipient}>: user is over quota`),
    hasFeedbackLoop: false,
  },
  {
    weight: 8,
    name: 'GMX',
    recipientDomains: ['gmx.net', 'gmx.de', 'web.de'],
    peers: ['mx00.emig.gmx.net', 'mx01.emig.gmx.net', 'mx-ha02.web.de'],
    tls: [TLS13_AES256],
    accepted: 'Requested mail action okay, completed: id={id}',
    acceptedEnhanced: '',
    deferrals: replies(`
      3 450 -       RateLimited          Requested mail action not taken: too many messages from {ip} in a short time
      3 451 4.7.1   GreyListed           Unknown sender and recipient pair, please repeat in five minutes`),
    refusals: replies(`
      5 550 -       InvalidRecipient     Requested action not taken: mailbox unavailable
      2 554 -       SpamBlock            Transaction failed: the reputation of {ip} is too low
      1 552 5.2.3   MessageTooLarge      Requested mail action aborted: the message is larger than the recipient allows`),
    hasFeedbackLoop: true,
  },
  {
    weight: 8,
    name: 'Other',
    recipientDomains: ['northwind.example', 'contoso.example', 'tailspin.example', 'initech.example', 'globex.example'],
    peers: [
      'mx1.northwind.example',
      'mail.contoso.example',
      'mx.tailspin.example',
      'inbound.initech.example',
      'mx10.globex.example',
    ],
    tls: [TLS12_ECDHE, TLS12_CHACHA, TLS13_AES256],
    accepted: 'Ok: queued as {id}',
    acceptedEnhanced: '2.0.0',
    deferrals: replies(`
      6 450 4.7.1   GreyListed           <{recipient}>: Recipient address deferred: greylisted, come back in 300 seconds
      2 452 4.3.1   TransientFailure     Insufficient system storage`),
    refusals: replies(`
      5 550 5.1.1   InvalidRecipient     <{recipient}>: Recipient address rejected: unknown in the local recipient table
      2 554 5.7.1   SpamBlock            Service unavailable; client host [{ip}] is on a block list
      1 551 5.7.1   RelayDenied          <{recipient}>: user not local, relaying denied
      1 553 5.1.3   InvalidRecipient     <{recipient}>: the address is not valid`),
    hasFeedbackLoop: false,
  },
]

/** Recorded by the sending server if there was no SMTP reply. */
export const CONNECTION_FAILURES = replies(`
      1 400 -       ConnectionFailure    connection dropped by {host} while waiting for the greeting
      1 400 -       ConnectionFailure    connection to {host} timed out after 60 seconds
      1 400 -       ConnectionFailure    TLS handshake with {host} failed`)
