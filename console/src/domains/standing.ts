/** How a domain stands: a word, a colour, and one sentence on what comes next. */
import type { DomainSummary } from '../../../src/http/v1/domains.wire.ts'

interface StandingWords {
  readonly label: string
  readonly tone: 'green' | 'amber' | 'red' | 'grey'
  readonly next: string
}

export const STANDINGS: Readonly<Record<DomainSummary['status'], StandingWords>> = {
  verified: {
    label: 'Verified',
    tone: 'green',
    next: 'Nothing to do: it is checked again by itself every day.',
  },
  unverified: {
    label: 'Not verified',
    tone: 'amber',
    next: 'Publish the records below at your DNS provider, then verify.',
  },
  failing: {
    label: 'Failing',
    tone: 'red',
    next: 'It was verified, and the last check found a record wrong. If the next one finds the same, it loses its verification.',
  },
  inactive: {
    label: 'Not active',
    tone: 'grey',
    next: 'The operator has to activate it before it can be verified. The records can be published already.',
  },
}
