/** A tenant's domains: the state of each, and how much it sent. */
import { Link } from 'wouter'
import type { DomainSummary } from '../../../src/http/v1/domains/domains.wire.ts'
import { useDomains } from '../api/domains.ts'
import { DAY_MS, sum, sumSteps, useSeries } from '../api/series.ts'
import { useScope } from '../api/session.ts'
import { Lamp } from '../kit/marks/lamp.tsx'
import { Spark } from '../kit/marks/spark.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, QueryState } from '../kit/states.tsx'
import { formatCount } from '../kit/text/format.ts'
import { Ago } from '../kit/text/time.tsx'
import { DOMAIN_STATES, recordLamp } from './domain-states.ts'
import './domains-page.css'

export default function DomainsPage() {
  const query = useDomains()
  const { data } = query
  const sent = useSentByDomain()
  return (
    <Page title="Domains" note="The domains you send from, and the state of their DNS records.">
      <QueryState query={query} what="the domains" lines={6} />
      {data?.domains.length === 0 && (
        <Empty icon="domains" title="No domains yet">
          <p>The operator adds domains, in the console or on the command line of the server:</p>
          <pre className="code-block">envelog domain add example.com --tenant NAME --active</pre>
        </Empty>
      )}
      <ul className="stack gap-12 domain-cards">
        {data?.domains.map((domain) => (
          <DomainCard key={domain.id} domain={domain} sent={sent && (sent.get(domain.name) ?? [])} />
        ))}
      </ul>
    </Page>
  )
}

/** Receptions of the last seven days by domain, in steps of six hours. */
function useSentByDomain(): ReadonlyMap<string, readonly number[]> | undefined {
  const from = new Date(Math.floor(Date.now() / DAY_MS - 6) * DAY_MS).toISOString()
  const params = new URLSearchParams({ group: 'domain', type: 'Reception', bucket: 'hour', from, limit: '1000' })
  const { data } = useSeries(params, { isEnabled: useScope('domainStats') })
  return data && new Map(data.series.map(({ key, counts }) => [key, sumSteps(counts, 6)]))
}

interface DomainCardProps {
  readonly domain: DomainSummary
  /** Undefined while it is loading, or without the scope for it. */
  readonly sent: readonly number[] | undefined
}

function DomainCard({ domain, sent }: DomainCardProps) {
  const { name, status, active, dkimVerified, spfVerified, lastCheckAt } = domain
  const { label, tone } = DOMAIN_STATES[status]
  const total = sum(sent ?? [])
  return (
    <li className="box stack gap-12 domain-card">
      <div className="row spread domain-card-head">
        <Link href={`/domains/${encodeURIComponent(name)}`} className="domain-card-name cover-link">
          {name}
        </Link>
        <span className={`badge tone-${tone}`}>{label}</span>
      </div>
      <div className="row wrap domain-lamps">
        <Lamp state={recordLamp(dkimVerified, domain)} label="DKIM" />
        <Lamp state={recordLamp(spfVerified, domain)} label="SPF" />
        <Lamp state={active ? 'good' : 'unknown'} label="Active" word={active ? 'yes' : 'no'} />
      </div>
      <div className="stack gap-16 small domain-card-foot">
        <span>{sent && <Spark values={sent} label={`Messages in the last 7 days: ${total}`} />}</span>
        <span className="muted">
          {sent ? `${formatCount(total)} in 7 days` : '\u00a0'}
          <br />
          {lastCheckAt === null ? (
            'Never checked'
          ) : (
            <>
              Checked <Ago at={lastCheckAt} />
            </>
          )}
        </span>
      </div>
    </li>
  )
}
