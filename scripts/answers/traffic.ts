/** The events in the recorded log, the same in every recording: several days and domains, all types, unusual texts. */
import { EVENT_TYPES } from '../../src/events/event.ts'

export type WireEvent = Readonly<Record<string, string | number | null>>

export const DAY = 86_400

const CODES: readonly (number | undefined)[] = [250, 421, 450, 550, 552, undefined, 0, 999]
const PROVIDERS = ['Gmail', 'Outlook', undefined, 'T-Online "DE"'] as const
const CLASSES = ['InvalidRecipient', 'SpamBlock', undefined, 'QuotaIssues'] as const
const DAYS_AGO = [0, 0, 0, 1, 1, 2, 3, 5, 8, 14, 16, 20, 40, 80] as const

/** Texts that a search, a spreadsheet or an encoder could misinterpret. */
const SUBJECTS = [
  'Your order 4711',
  'ÄRGER mit der Straße',
  '100% off_today *only* \\now\\',
  '"quoted", \'single\' and, commas',
  '=HYPERLINK("http://evil.test";"x")',
  '  +49 123',
  '\t@sum(A1)',
  'line\nbreak and \r\n carriage return',
  'ΣΑΣ σας ς',
  'İstanbul ı I i',
  '🎉 party 🎉🎉',
  'שלום \u202Eevil\u202C',
  '<script>alert(1)</script> & &amp;',
  'e\u0301 versus é',
  'ab',
  'x',
  'null',
  `long ${'lorem ipsum '.repeat(120)}end`,
]

export function ordinaryEvents(now: number): readonly WireEvent[] {
  const domains = ['acme.test', 'news.acme.test', 'bolt.test', 'xn--bcher-kva.test', 'acme.test']
  return Array.from({ length: 900 }, (_, number) => toEvent(number, domains[number % 5] ?? '', now))
}

function toEvent(number: number, domain: string, now: number): WireEvent {
  const message = Math.floor(number / 3)
  const age = (DAYS_AGO[number % DAYS_AGO.length] ?? 0) * DAY + ((number * 37) % 3600) + 10
  const code = CODES[number % CODES.length]
  const provider = PROVIDERS[number % PROVIDERS.length]
  const kind = CLASSES[number % CLASSES.length]
  return {
    id: `message-${message}`,
    timestamp: now - age,
    type: EVENT_TYPES[(number * 7) % EVENT_TYPES.length] ?? '',
    domain_name: domain,
    recipient: `Person${number % 50}+tag@example${number % 3}.net`,
    sender: `bounces+${message}@${domain}`,
    from: number % 4 === 0 ? `Grüße "A" <hello@${domain}>` : `hello@${domain}`,
    subject: SUBJECTS[message % SUBJECTS.length] ?? '',
    ...(code !== undefined && { response_code: code, response_enhanced_code: `${Math.floor(code / 100)}.1.1` }),
    ...(number % 3 === 0 && { response_content: `said: mailbox ${number} full\r\nsee https://x.test/?a=1&b=2` }),
    ...(provider !== undefined && { provider_name: provider, peer_name: `mx${number % 7}.peer.test` }),
    ...(kind !== undefined && { bounce_classification: kind }),
    num_attempts: number % 5,
    size: number * 100,
    ...(number % 6 === 0 && { campaign: number % 12 === 0 ? null : 'spring' }),
    ...(number % 2 === 0 && { service_message_id: `service-${message}`, direction: 'outbound' }),
    ...(number % 10 === 0 && {
      reception_protocol: 'ESMTPSA',
      delivery_protocol: 'ESMTP',
      tls_protocol_version: 'TLSv1.3',
      tls_cipher: 'TLS_AES_256_GCM_SHA384',
    }),
  }
}

/** Many events in one second, to be listed in the order of their arrival. */
export function sameSecondEvents(now: number): readonly WireEvent[] {
  return Array.from({ length: 60 }, (_, number) => ({
    id: `same-second-${number % 4}`,
    timestamp: now - 3 * DAY - 5,
    type: EVENT_TYPES[number % EVENT_TYPES.length] ?? '',
    domain_name: number % 2 === 0 ? 'acme.test' : 'news.acme.test',
    recipient: `same${number}@example.net`,
  }))
}

export const MAILING_ID = 'mailing-0001-of-acme-test'

/** More events with one id than the history of a message shows. */
export function mailing(now: number): readonly WireEvent[] {
  return Array.from({ length: 5200 }, (_, number) => ({
    id: MAILING_ID,
    timestamp: now - DAY * 4 + Math.floor(number / 3),
    type: number % 2 === 0 ? 'Reception' : number % 10 === 1 ? 'Bounce' : 'Delivery',
    domain_name: 'acme.test',
    recipient: `person${Math.floor(number / 2)}@example.net`,
    ...(number % 2 === 1 && { response_code: number % 10 === 1 ? 550 : 250 }),
  }))
}

/** All events that a message can have, for its history. */
export function oneLife(now: number): readonly WireEvent[] {
  const base = { id: 'whole-life', domain_name: 'news.acme.test', recipient: 'ann@example.org', size: 1234 }
  const at = (seconds: number) => now - 2 * DAY + seconds
  return [
    { ...base, timestamp: at(0), type: 'Reception', sender: 'b@news.acme.test', subject: 'Hi', campaign: 'spring' },
    { ...base, timestamp: at(2), type: 'TransientFailure', response_code: 451, response_content: 'greylisted' },
    { ...base, timestamp: at(62), type: 'Delayed', num_attempts: 1 },
    { ...base, timestamp: at(900), type: 'TransientFailure', num_attempts: 2, peer_name: 'mx.example.org' },
    { ...base, timestamp: at(1800), type: 'Delivery', response_code: 250, num_attempts: 3, provider_name: 'Gmail' },
    { ...base, timestamp: at(1900), type: 'Opened' },
    { ...base, timestamp: at(1905), type: 'Click' },
    { ...base, timestamp: at(9000), type: 'Feedback' },
    { ...base, timestamp: at(9100), type: 'OOBBounce', response_content: '550 5.1.1 no such user' },
    { ...base, domain_name: 'acme.test', timestamp: at(5), type: 'Bounce', bounce_classification: 'SpamBlock' },
  ]
}
