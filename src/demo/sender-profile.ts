/** The sending side of generated mail: what a domain sends, when, and how well it is received. */

export interface SenderProfile {
  readonly domainName: string
  /** Share of all messages, relative to the other profiles. */
  readonly weight: number
  readonly from: string
  readonly subjects: readonly string[]
  /** Newsletters are sent in bursts and have a campaign; transactional mail follows the time of day and has none. */
  readonly kind: 'transactional' | 'newsletter'
  /** Probabilities per message. */
  readonly health: {
    readonly bounce: number
    readonly deferral: number
    /** At a provider that throttles the sending address. Absent: as usual. */
    readonly throttled?: number
    readonly lateBounce: number
    readonly complaint: number
    readonly open: number
    /** Per opened message. */
    readonly click: number
  }
}

/** Transactional mail by hour of the day (UTC); the peak is 1. */
const DAY_RHYTHM = [
  0.22, 0.15, 0.11, 0.09, 0.1, 0.16, 0.31, 0.52, 0.74, 0.88, 0.95, 0.97, 0.9, 0.92, 0.96, 1, 0.98, 0.93, 0.88, 0.86,
  0.8, 0.66, 0.47, 0.32,
]

const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS

/** The intensity of sending at a time, from 0 to 1. */
export function intensityAt(kind: SenderProfile['kind'], timestamp: number): number {
  const weekday = (Math.floor(timestamp / DAY_SECONDS) + 4) % 7
  const hour = Math.floor((timestamp % DAY_SECONDS) / HOUR_SECONDS)
  if (kind === 'transactional') return (DAY_RHYTHM[hour] ?? 0) * (weekday === 0 || weekday === 6 ? 0.6 : 1)
  // Tuesdays and Thursdays at nine, mostly within the first half hour; a few sign-up messages at other times.
  const minute = Math.floor((timestamp % HOUR_SECONDS) / 60)
  if ((weekday === 2 || weekday === 4) && hour === 9) return minute < 30 ? 1 : 0.35
  return 0.004
}

/** The campaign of a newsletter: one per sending day. */
export function campaignAt(timestamp: number): string {
  return `newsletter-${new Date(timestamp * 1000).toISOString().slice(0, 10)}`
}

const THROTTLED = 0.6

/** Four senders of one company, from healthy to problematic. */
export const DEMO_PROFILES: readonly SenderProfile[] = [
  {
    domainName: 'shop.acme.example',
    weight: 50,
    from: 'Acme Shop <orders@shop.acme.example>',
    subjects: [
      'Your order {number} is confirmed',
      'Order {number} is on its way',
      'Your receipt for order {number}',
      'How was your order {number}?',
      'Your parcel arrives today',
      'Reset your Acme password',
      'Your sign-in code is {code}',
    ],
    kind: 'transactional',
    health: {
      bounce: 0.011,
      deferral: 0.05,
      throttled: THROTTLED,
      lateBounce: 0.0015,
      complaint: 0.0003,
      open: 0.56,
      click: 0.3,
    },
  },
  {
    domainName: 'news.acme.example',
    weight: 36,
    from: '"Acme News" <hello@news.acme.example>',
    subjects: [
      'What is new this week: repairs, returns and a recipe',
      'Five small things that save a whole afternoon ☕',
      'Last days: 20 % off everything made of wool',
      'Welcome to Acme News',
    ],
    kind: 'newsletter',
    health: {
      bounce: 0.024,
      deferral: 0.11,
      throttled: THROTTLED,
      lateBounce: 0.003,
      complaint: 0.0014,
      open: 0.27,
      click: 0.14,
    },
  },
  {
    domainName: 'billing.acme.example',
    weight: 11,
    from: 'Acme Buchhaltung <rechnung@billing.acme.example>',
    subjects: ['Rechnung {number}', 'Zahlungserinnerung zur Rechnung {number}', 'Ihre Gutschrift {number}'],
    kind: 'transactional',
    health: {
      bounce: 0.019,
      deferral: 0.08,
      throttled: THROTTLED,
      lateBounce: 0.002,
      complaint: 0.0001,
      open: 0.71,
      click: 0.42,
    },
  },
  {
    domainName: 'labs.acme.example',
    weight: 3,
    from: 'Acme Labs <invite@labs.acme.example>',
    subjects: ['You are invited to the Acme Labs preview', 'Your Labs invitation expires in 3 days'],
    kind: 'transactional',
    health: {
      bounce: 0.14,
      deferral: 0.22,
      throttled: THROTTLED,
      lateBounce: 0.01,
      complaint: 0.009,
      open: 0.18,
      click: 0.05,
    },
  },
]
