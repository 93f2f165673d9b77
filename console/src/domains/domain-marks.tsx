/** The state of a domain and of its records, as the tables of tenants and operators show them. */
import type { DomainSummary } from '../../../src/http/v1/domains/domains.wire.ts'
import { Lamp } from '../kit/marks/lamp.tsx'
import { DOMAIN_STATES, dmarcLamp, recordLamp } from './domain-states.ts'
import './domain-marks.css'

/** What the mark means. */
export const UNPROVEN =
  'Added by the tenant. Its events are accepted after the first successful check of its DNS records.'

export function DomainBadges({ domain: { status, proven } }: { readonly domain: DomainSummary }) {
  const { label, tone } = DOMAIN_STATES[status]
  return (
    <span className="row wrap gap-4 domain-badges">
      <span className={`badge tone-${tone}`}>{label}</span>
      {!proven && (
        <span className="badge tone-amber" title={UNPROVEN}>
          Unproven
        </span>
      )}
    </span>
  )
}

export function DomainLamps({ domain }: { readonly domain: DomainSummary }) {
  return (
    <span className="row wrap domain-lamps">
      <Lamp state={recordLamp(domain.dkimVerified, domain)} label="DKIM" />
      <Lamp state={recordLamp(domain.spfVerified, domain)} label="SPF" />
      <Lamp state={dmarcLamp(domain)} label="DMARC" />
    </span>
  )
}
