/** A tenant's domains at a glance: how each stands, and how much it sent. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { DomainSummaries, DomainSummary } from '../../../src/http/v1/domains.wire.ts'
import type { Series } from '../../../src/http/v1/series.wire.ts'
import { request } from '../api/request.ts'
import { useScope } from '../frame/session-context.ts'
import { formatCount } from '../kit/format.ts'
import { Lamp } from '../kit/lamp.tsx'
import { Page } from '../kit/page.tsx'
import { Spark } from '../kit/spark.tsx'
import { Empty, Failure, Skeleton } from '../kit/states.tsx'
import { Ago } from '../kit/time.tsx'
import { STANDINGS } from './standing.ts'
import './domains-page.css'

export default function DomainsPage() {
  const { data, error, refetch } = useQuery({
    queryKey: ['domains'],
    queryFn: ({ signal }) => request<DomainSummaries>('/v1/domains', { signal }),
  })
  const sent = useSentByDomain()
  return (
    <Page title="Domains" note="The domains you send from, and whether their DNS records let you.">
      {error && <Failure what="The domains could not be read" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={6} />}
      {data?.domains.length === 0 && (
        <Empty icon="domains" title="No domains yet">
          <p>Your operator adds them. On the command line of the server:</p>
          <pre className="code-block">bin/envelog domain add example.com --tenant NAME --active</pre>
        </Empty>
      )}
      <ul className="domain-cards">
        {data?.domains.map((domain) => (
          <DomainCard key={domain.id} domain={domain} sent={sent?.get(domain.name)} />
        ))}
      </ul>
    </Page>
  )
}

/** Receptions of the last seven days by domain, hour by hour put together to six hours. */
function useSentByDomain(): ReadonlyMap<string, readonly number[]> | undefined {
  const canCount = useScope('domainStats')
  const from = new Date(Math.floor(Date.now() / 86_400_000 - 6) * 86_400_000).toISOString()
  const { data } = useQuery({
    queryKey: ['series', 'sent', from],
    queryFn: ({ signal }) =>
      request<Series>(`/v1/stats/series?group=domain&type=Reception&bucket=hour&from=${from}&limit=1000`, { signal }),
    enabled: canCount,
  })
  if (!data) return undefined
  return new Map(data.series.map(({ key, counts }) => [key, addUp(counts, 6)]))
}

function addUp(counts: readonly number[], step: number): readonly number[] {
  const sums = Array.from({ length: Math.ceil(counts.length / step) }, () => 0)
  for (const [index, count] of counts.entries())
    sums[Math.floor(index / step)] = (sums[Math.floor(index / step)] ?? 0) + count
  return sums
}

function DomainCard({
  domain,
  sent,
}: {
  readonly domain: DomainSummary
  readonly sent: readonly number[] | undefined
}) {
  const { name, status, active, dkimVerified, spfVerified, lastCheckAt } = domain
  const { label, tone } = STANDINGS[status]
  // A domain that is not active was not asked for.
  const isChecked = active && lastCheckAt !== null
  const lamp = (isRight: boolean) => (isRight ? 'good' : isChecked ? 'bad' : 'unknown')
  const total = sent?.reduce((sum, count) => sum + count, 0) ?? 0
  return (
    <li className="box domain-card">
      <div className="domain-card-head">
        <Link href={`/domains/${encodeURIComponent(name)}`} className="domain-card-name">
          {name}
        </Link>
        <span className={`badge tone-${tone}`}>{label}</span>
      </div>
      <div className="domain-lamps">
        <Lamp state={lamp(dkimVerified)} label="DKIM" />
        <Lamp state={lamp(spfVerified)} label="SPF" />
        <Lamp state={active ? 'good' : 'unknown'} label="Active" word={active ? 'yes' : 'no'} />
      </div>
      <div className="domain-card-foot">
        <span>
          <Spark values={sent ?? []} label={`Messages of the last 7 days: ${total}`} />
        </span>
        <span className="muted">
          {sent ? `${formatCount(total)} in 7 days` : 'nothing in 7 days'}
          <br />
          {lastCheckAt === null ? (
            'never checked'
          ) : (
            <>
              checked <Ago at={lastCheckAt} />
            </>
          )}
        </span>
      </div>
    </li>
  )
}
