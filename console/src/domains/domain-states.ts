/** The states of a domain: a label, a colour, and one sentence on what to do next. */
import type { DomainSummary } from '../../../src/http/v1/domains/domains.wire.ts'
import type { LampState } from '../kit/marks/lamp.tsx'

interface DomainState {
  readonly label: string
  readonly tone: 'green' | 'amber' | 'red' | 'grey'
  readonly next: string
}

export const DOMAIN_STATES: Readonly<Record<DomainSummary['status'], DomainState>> = {
  verified: {
    label: 'Verified',
    tone: 'green',
    next: 'All records are correct. They are checked automatically every day.',
  },
  unverified: {
    label: 'Not verified',
    tone: 'amber',
    next: 'Publish the records below at your DNS provider, then verify the domain.',
  },
  failing: {
    label: 'Failing',
    tone: 'red',
    next: 'The domain was verified, but the last check found a wrong record. If the next check finds it again, the domain is no longer verified.',
  },
  inactive: {
    label: 'Not active',
    tone: 'grey',
    next: 'The operator must activate the domain before it can be verified. You can already publish the records.',
  },
}

/** Whether a required record was found. Inactive domains are not checked. */
export function recordLamp(isVerified: boolean, { active, lastCheckAt }: DomainSummary): LampState {
  if (isVerified) return 'good'
  return active && lastCheckAt !== null ? 'bad' : 'unknown'
}

/** DMARC is recommended, not required. */
export function dmarcLamp({ dmarcVerified, active, lastCheckAt }: DomainSummary): LampState {
  if (dmarcVerified) return 'good'
  return active && lastCheckAt !== null ? 'warning' : 'unknown'
}
