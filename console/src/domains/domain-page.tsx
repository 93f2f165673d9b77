/** One domain: the records to publish, and the result of the last check. */
import { Link, useLocation } from 'wouter'
import type { DomainDetail } from '../../../src/http/v1/domains/domains.wire.ts'
import type { DomainCheck } from '../../../src/http/v1/domains/verify-domain.wire.ts'
import { useDomain } from '../api/domains.ts'
import { baseOf, useReading } from '../api/reading.ts'
import { ApiError } from '../api/request.ts'
import { useIsAdmin, useScope } from '../api/session.ts'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/marks/icon.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, Failure, QueryState } from '../kit/states.tsx'
import { printable } from '../kit/text/printable.ts'
import { Ago } from '../kit/text/time.tsx'
import { logLink } from '../search/log-search.ts'
import { CheckHistory } from './check-history.tsx'
import { DomainBadges, UNPROVEN } from './domain-marks.tsx'
import { DOMAIN_STATES } from './domain-states.ts'
import { RecordList } from './record/record-list.tsx'
import { Checklist } from './setup/checklist.tsx'
import { SpfTree } from './spf-tree.tsx'

import './domain-page.css'

export default function DomainPage({ name }: { readonly name: string }) {
  const { isOperator, tenantId } = useReading()
  const { query, check, change } = useDomain(name)
  const { data, error } = query
  const [, navigate] = useLocation()
  const canRead = useScope('logs')
  const isAdmin = useIsAdmin()
  const isElsewhere = tenantId !== undefined && data?.tenant !== undefined && data.tenant.id !== tenantId
  if (isElsewhere || (error instanceof ApiError && error.status < 500 && error.status > 0)) {
    return (
      <Empty icon="domains" title={`Domain ${printable(name)} not found`} isWholePage>
        <p>
          <Link href="/domains">All domains</Link>
        </p>
      </Empty>
    )
  }
  if (!data || error)
    return (
      <Page title={<Title name={printable(name)} />}>
        <QueryState query={query} what="the domain" lines={8} />
      </Page>
    )
  const checked = check.data
  const spf = checked?.spf ?? data.spf
  return (
    <Page
      title={
        <>
          <Title name={data.name} /> <DomainBadges domain={data} />
        </>
      }
      note={
        <>
          {data.tenant && (
            <>
              Tenant{' '}
              <Link className="in-text" href={`~${baseOf(data.tenant.id)}/overview`}>
                <bdi>{printable(data.tenant.name)}</bdi>
              </Link>{' '}
              ·{' '}
            </>
          )}
          {data.lastCheckAt === null ? (
            'Never checked'
          ) : (
            <>
              Checked <Ago at={data.lastCheckAt} />
              {data.nextCheckAt !== null && (
                <>
                  {' '}
                  · Next automatic check <Ago at={data.nextCheckAt} />
                </>
              )}
            </>
          )}
        </>
      }
      actions={
        <>
          {canRead && (
            <Link className="button" href={logLink({ filters: { domain: [data.name] } })}>
              <Icon name="log" /> Open log
            </Link>
          )}
          {isAdmin && (
            <Button
              disabled={change.isPending}
              onClick={() => change.mutate(data.active ? 'deactivate' : 'activate')}
              title={data.active ? 'Its new events are quarantined, and it is not checked any more' : undefined}
            >
              {data.active ? 'Deactivate' : 'Activate'}
            </Button>
          )}
          {(isAdmin || !isOperator) && (
            <Button look="strong" icon="refresh" disabled={check.isPending} onClick={() => check.mutate()}>
              {check.isPending ? 'Checking DNS…' : 'Verify now'}
            </Button>
          )}
        </>
      }
    >
      {check.error && <Failure what="Could not check the domain" error={check.error} onRetry={() => check.mutate()} />}
      {change.error && <Failure what="Could not change the domain" error={change.error} />}
      <Summary domain={data} check={checked} />
      {!isOperator && <Checklist key={data.name} domain={data} check={check} onRemoved={() => navigate('/domains')} />}
      <RecordList domain={data} checked={checked?.records} />
      {spf && <SpfTree tree={spf} />}
      <CheckHistory history={data.history ?? []} />
    </Page>
  )
}

function Title({ name }: { readonly name: string }) {
  return (
    <>
      <Link href="/domains" className="hoverable back" aria-label="All domains">
        <Icon name="left" />
      </Link>
      <span className="domain-title">{name}</span>
    </>
  )
}

/** The state of the domain, and what to do next. */
function Summary({ domain, check }: { readonly domain: DomainDetail; readonly check: DomainCheck | undefined }) {
  const { tone, next } = DOMAIN_STATES[domain.status]
  const general = domain.errors.filter(({ type }) => type === 'SYSTEM' || type === 'CONFIG')
  const wrong = domain.records.filter(({ status, required }) => status === 'invalid' && required).length
  const recommended = domain.records.filter(({ status, required }) => status === 'invalid' && !required).length
  const sentence =
    general[0]?.error ??
    (wrong > 0
      ? `${wrong === 1 ? 'One record is' : `${wrong} records are`} missing or wrong. See below for what to change.`
      : recommended > 0 && domain.status === 'verified'
        ? 'All required records are correct. A recommended record is missing or wrong; see below.'
        : next)
  return (
    <div className={`notice tone-${tone}`} role="status">
      <Icon name={domain.status === 'verified' ? 'check' : 'quarantine'} />
      <p className="foreign">
        {check && <strong>{CHECK_OUTCOMES[check.outcome]} </strong>}
        {printable(sentence)}
        {!domain.proven && ` ${UNPROVEN}`}
      </p>
    </div>
  )
}

const CHECK_OUTCOMES: Readonly<Record<DomainCheck['outcome'], string>> = {
  all_right: 'Checked just now.',
  record_wrong: 'Checked just now.',
  dns_unreachable: 'DNS did not answer. The state of the domain has not changed.',
  not_checked: 'No check was made.',
}
