/** One domain: the records to publish, a check on demand, and what it found. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { DomainDetail } from '../../../src/http/v1/domains.wire.ts'
import type { DomainCheck } from '../../../src/http/v1/verify-domain.wire.ts'
import { ApiError, request } from '../api/request.ts'
import { useScope } from '../frame/session-context.ts'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { Page } from '../kit/page.tsx'
import { printable } from '../kit/printable.ts'
import { Empty, Failure, Skeleton } from '../kit/states.tsx'
import { Ago } from '../kit/time.tsx'
import { logLink } from '../log/log-search.ts'
import { RecordCard } from './record-card.tsx'
import { SpfTree } from './spf-tree.tsx'
import { STANDINGS } from './standing.ts'
import './domain-page.css'

export default function DomainPage({ name }: { readonly name: string }) {
  const client = useQueryClient()
  const path = `/v1/domains/${encodeURIComponent(name)}`
  const { data, error, refetch } = useQuery({
    queryKey: ['domain', name],
    queryFn: ({ signal }) => request<DomainDetail>(path, { signal }),
  })
  const check = useMutation({
    mutationFn: () => request<DomainCheck>(`${path}/verify`, { method: 'POST' }),
    onSuccess: ({ domain }) => {
      client.setQueryData(['domain', name], domain)
      void client.invalidateQueries({ queryKey: ['domains'] })
    },
  })
  const canRead = useScope('logs')
  if (error instanceof ApiError && error.status < 500 && error.status > 0) {
    return (
      <Empty icon="domains" title={`There is no domain ${printable(name)}`} isWholePage>
        <p>
          <Link href="/domains">All domains</Link>
        </p>
      </Empty>
    )
  }
  if (error) return <Failure what="The domain could not be read" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={8} />
  const { label, tone } = STANDINGS[data.status]
  const checked = check.data
  return (
    <Page
      title={
        <>
          <Link href="/domains" className="back" aria-label="All domains">
            <Icon name="left" />
          </Link>
          {data.name} <span className={`badge tone-${tone}`}>{label}</span>
        </>
      }
      note={
        data.lastCheckAt === null ? (
          'Never checked'
        ) : (
          <>
            Checked <Ago at={data.lastCheckAt} />
            {data.nextCheckAt !== null && (
              <>
                {' '}
                · next by itself <Ago at={data.nextCheckAt} />
              </>
            )}
          </>
        )
      }
      actions={
        <>
          {canRead && (
            <Link className="button" href={logLink({ filters: { domain: [data.name] } })}>
              <Icon name="log" /> Open log
            </Link>
          )}
          <Button look="strong" icon="refresh" disabled={check.isPending} onClick={() => check.mutate()}>
            {check.isPending ? 'Asking DNS …' : 'Verify now'}
          </Button>
        </>
      }
    >
      {check.error && <Failure what="The check could not be made" error={check.error} onRetry={() => check.mutate()} />}
      <Verdict domain={data} check={checked} />
      <section className="section" aria-label="Records">
        <h2>Records to publish</h2>
        <ul className="records">
          {data.records.map((record, index) => (
            <li key={`${record.purpose} ${record.name}`}>
              <RecordCard record={checked?.records[index] ?? record} />
            </li>
          ))}
        </ul>
      </section>
      {checked?.spf && <SpfTree tree={checked.spf} />}
    </Page>
  )
}

/** One sentence on how it stands and what to do next. */
function Verdict({ domain, check }: { readonly domain: DomainDetail; readonly check: DomainCheck | undefined }) {
  const { tone, next } = STANDINGS[domain.status]
  const general = domain.errors.filter(({ type }) => type === 'SYSTEM' || type === 'CONFIG')
  const wrong = domain.records.filter(({ status, required }) => status === 'invalid' && required).length
  const recommended = domain.records.filter(({ status, required }) => status === 'invalid' && !required).length
  const sentence =
    general[0]?.error ??
    (wrong > 0
      ? `${wrong === 1 ? 'One record is' : `${wrong} records are`} missing or wrong. What to change stands with each below.`
      : recommended > 0 && domain.status === 'verified'
        ? 'All required records are right. A recommended one is not: see below.'
        : next)
  return (
    <div className={`verdict tone-${tone}`} role="status">
      <Icon name={domain.status === 'verified' ? 'check' : 'quarantine'} />
      <p className="foreign">
        {check && <strong>{OUTCOME_WORDS[check.outcome]} </strong>}
        {printable(sentence)}
      </p>
    </div>
  )
}

const OUTCOME_WORDS: Readonly<Record<DomainCheck['outcome'], string>> = {
  all_right: 'Checked just now:',
  record_wrong: 'Checked just now:',
  dns_unreachable: 'DNS could not be asked; nothing has changed.',
  not_checked: 'Nothing was checked.',
}
