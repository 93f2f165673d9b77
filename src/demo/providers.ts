/** The receiving side of made-up mail: providers, their hosts, and how each of them words its answers. */

export interface Reply {
  readonly weight: number
  readonly code: number
  /** Empty where the receiver sends none. */
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

export const PROVIDERS: readonly Provider[] = [
  {
    weight: 42,
    name: 'Google',
    recipientDomains: ['gmail.com', 'gmail.com', 'gmail.com', 'googlemail.com'],
    peers: ['gmail-smtp-in.l.google.com', 'alt1.gmail-smtp-in.l.google.com', 'alt2.gmail-smtp-in.l.google.com'],
    tls: [TLS13_AES256, TLS13_AES128],
    accepted: 'OK {id} - queued for the mailbox',
    acceptedEnhanced: '2.0.0',
    deferrals: [
      {
        weight: 5,
        code: 421,
        enhanced: '4.7.28',
        text: 'Mail from {ip} arrives faster than we accept it, please slow down {id}',
        classification: 'RateLimited',
      },
      {
        weight: 2,
        code: 451,
        enhanced: '4.3.0',
        text: 'The mail server has a passing problem, try again {id}',
        classification: 'TransientFailure',
      },
      {
        weight: 2,
        code: 450,
        enhanced: '4.2.1',
        text: '<{recipient}> gets mail too quickly at the moment, try again {id}',
        classification: 'RateLimited',
      },
    ],
    refusals: [
      {
        weight: 7,
        code: 550,
        enhanced: '5.1.1',
        text: 'There is no account {recipient} here, check the address for typing errors {id}',
        classification: 'InvalidRecipient',
      },
      {
        weight: 2,
        code: 552,
        enhanced: '5.2.2',
        text: 'The inbox of {recipient} is over its quota {id}',
        classification: 'QuotaIssues',
      },
      {
        weight: 2,
        code: 550,
        enhanced: '5.7.26',
        text: 'The sender is not authenticated: neither SPF nor DKIM passed {id}',
        classification: 'AuthenticationFailed',
      },
      {
        weight: 2,
        code: 550,
        enhanced: '5.7.1',
        text: 'This message is likely unsolicited and was blocked to protect our users {id}',
        classification: 'SpamContent',
      },
    ],
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
    deferrals: [
      {
        weight: 5,
        code: 451,
        enhanced: '4.7.650',
        text: 'Mail from {ip} is limited for now because of its reputation [{host}]',
        classification: 'RateLimited',
      },
      {
        weight: 2,
        code: 451,
        enhanced: '4.7.500',
        text: 'Server busy, try again later from {ip} [{host}]',
        classification: 'TransientFailure',
      },
      {
        weight: 1,
        code: 421,
        enhanced: '4.3.2',
        text: 'The service is not available, closing the connection [{host}]',
        classification: 'TransientFailure',
      },
    ],
    refusals: [
      {
        weight: 6,
        code: 550,
        enhanced: '5.5.0',
        text: 'Requested action not taken: mailbox unavailable [{host}]',
        classification: 'InvalidRecipient',
      },
      {
        weight: 3,
        code: 550,
        enhanced: '5.7.1',
        text: 'Messages from {ip} were not sent: part of its network is on our block list [{host}]',
        classification: 'SpamBlock',
      },
      {
        weight: 1,
        code: 554,
        enhanced: '5.2.2',
        text: 'Mailbox full; the recipient cannot take more mail [{host}]',
        classification: 'QuotaIssues',
      },
    ],
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
    deferrals: [
      {
        weight: 5,
        code: 421,
        enhanced: '4.7.0',
        text: '[TSS04] Messages from {ip} deferred for now because of user complaints',
        classification: 'RateLimited',
      },
      {
        weight: 2,
        code: 451,
        enhanced: '',
        text: 'Resources are short at the moment, please try later',
        classification: 'TransientFailure',
      },
    ],
    refusals: [
      {
        weight: 6,
        code: 554,
        enhanced: '',
        text: 'delivery error: this user has no account here ({recipient}) [-5] - {host}',
        classification: 'InvalidRecipient',
      },
      {
        weight: 3,
        code: 554,
        enhanced: '5.7.9',
        text: 'Message not accepted for policy reasons',
        classification: 'PolicyRelated',
      },
      {
        weight: 2,
        code: 552,
        enhanced: '',
        text: '1 Requested mail action aborted, mailbox not found or disabled',
        classification: 'InactiveMailbox',
      },
    ],
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
    deferrals: [
      {
        weight: 3,
        code: 450,
        enhanced: '4.2.0',
        text: '[CS01] <{recipient}>: rejected for now, sender exceeds the rate we accept',
        classification: 'RateLimited',
      },
    ],
    refusals: [
      {
        weight: 5,
        code: 550,
        enhanced: '5.1.1',
        text: '<{recipient}>: user does not exist',
        classification: 'InvalidRecipient',
      },
      {
        weight: 2,
        code: 554,
        enhanced: '5.7.1',
        text: '[HM08] Message refused by local policy',
        classification: 'PolicyRelated',
      },
      {
        weight: 1,
        code: 552,
        enhanced: '5.2.2',
        text: '<{recipient}>: user is over quota',
        classification: 'QuotaIssues',
      },
    ],
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
    deferrals: [
      {
        weight: 3,
        code: 450,
        enhanced: '',
        text: 'Requested mail action not taken: too many messages from {ip} in a short time',
        classification: 'RateLimited',
      },
      {
        weight: 3,
        code: 451,
        enhanced: '4.7.1',
        text: 'Unknown sender and recipient pair, please repeat in five minutes',
        classification: 'GreyListed',
      },
    ],
    refusals: [
      {
        weight: 5,
        code: 550,
        enhanced: '',
        text: 'Requested action not taken: mailbox unavailable',
        classification: 'InvalidRecipient',
      },
      {
        weight: 2,
        code: 554,
        enhanced: '',
        text: 'Transaction failed: the reputation of {ip} is too low',
        classification: 'SpamBlock',
      },
      {
        weight: 1,
        code: 552,
        enhanced: '5.2.3',
        text: 'Requested mail action aborted: the message is larger than the recipient allows',
        classification: 'MessageTooLarge',
      },
    ],
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
    deferrals: [
      {
        weight: 6,
        code: 450,
        enhanced: '4.7.1',
        text: '<{recipient}>: Recipient address deferred: greylisted, come back in 300 seconds',
        classification: 'GreyListed',
      },
      {
        weight: 2,
        code: 452,
        enhanced: '4.3.1',
        text: 'Insufficient system storage',
        classification: 'TransientFailure',
      },
    ],
    refusals: [
      {
        weight: 5,
        code: 550,
        enhanced: '5.1.1',
        text: '<{recipient}>: Recipient address rejected: unknown in the local recipient table',
        classification: 'InvalidRecipient',
      },
      {
        weight: 2,
        code: 554,
        enhanced: '5.7.1',
        text: 'Service unavailable; client host [{ip}] is on a block list',
        classification: 'SpamBlock',
      },
      {
        weight: 1,
        code: 551,
        enhanced: '5.7.1',
        text: '<{recipient}>: user not local, relaying denied',
        classification: 'RelayDenied',
      },
      {
        weight: 1,
        code: 553,
        enhanced: '5.1.3',
        text: '<{recipient}>: the address is not valid',
        classification: 'InvalidRecipient',
      },
    ],
    hasFeedbackLoop: false,
  },
]

/** What our own side notes when there was no SMTP reply at all. */
export const CONNECTION_FAILURES: readonly string[] = [
  'connection dropped by {host} while waiting for the greeting',
  'connection to {host} timed out after 60 seconds',
  'TLS handshake with {host} failed',
]
