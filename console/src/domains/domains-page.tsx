/** A tenant's domains: add one and set it up, see which have problems, and check many. */
import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { DomainSummary } from '../../../src/http/v1/domains/domains.wire.ts'
import { useDomains } from '../api/domains.ts'
import { sumSteps, useSeries } from '../api/series.ts'
import { useAddsDomains, useScope } from '../api/session.ts'
import { Button } from '../kit/button.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, QueryState } from '../kit/states.tsx'
import { formatCount } from '../kit/text/format.ts'
import { periodOf } from '../overview/overview-search.ts'
import { seriesParams } from '../search/log-search.ts'
import { BulkProgress } from './list/bulk-progress.tsx'
import { DomainTable } from './list/domain-table.tsx'
import { DomainToolbar } from './list/domain-toolbar.tsx'
import { hasProblem, listDomains, type SentCounts } from './list/order-domains.ts'
import { useBulkVerify } from './list/use-bulk-verify.ts'
import { useDomainView } from './list/use-domain-view.ts'
import { AddDomain } from './setup/add-domain.tsx'
import { NoDomains } from './setup/no-domains.tsx'
import { SetupPanel } from './setup/setup-panel.tsx'
import './domains-page.css'

const NONE: readonly DomainSummary[] = []

export default function DomainsPage() {
  const query = useDomains()
  const domains = query.data?.domains ?? NONE
  const sent = useSentByDomain()
  const [view, setView] = useDomainView()
  const bulk = useBulkVerify()
  const [setup, setSetup] = useSetup()
  const [added, setAdded] = useState<string>()
  const addsDomains = useAddsDomains()
  const { show, sort, isReversed } = view
  // A letter is shown at once, and the list for it as soon as there is time.
  const q = useDeferredValue(view.q)
  // While many are being checked, the rows stay where they are.
  const settled = useSettled(domains, bulk.isRunning)
  const order = useMemo(
    () => listDomains(settled, { q, show, sort, isReversed }, sent),
    [settled, q, show, sort, isReversed, sent],
  )
  const listed = useMemo(() => {
    const now = new Map(domains.map((domain) => [domain.id, domain]))
    return order.flatMap(({ id }) => now.get(id) ?? [])
  }, [order, domains])
  const checkable = listed.filter(({ active }) => active)
  const isPart = listed.length < domains.length
  const problems = domains.filter(hasProblem).length
  return (
    <Page
      title="Domains"
      note={
        domains.length === 0
          ? 'The domains you send from, and the state of their DNS records.'
          : `${formatCount(domains.length)} ${domains.length === 1 ? 'domain' : 'domains'}, ${problems === 0 ? 'all without problems' : `${formatCount(problems)} not verified or failing`}`
      }
      actions={
        <>
          {domains.length > 1 && (
            <Button
              icon="refresh"
              disabled={bulk.isRunning || checkable.length === 0}
              onClick={() => bulk.start(checkable.map(({ name }) => name))}
            >
              {isPart ? `Verify ${formatCount(checkable.length)} shown` : 'Verify all'}
            </Button>
          )}
          {addsDomains && domains.length > 0 && setup !== '' && (
            <Button look="strong" icon="plus" onClick={() => setSetup('')}>
              Add domain
            </Button>
          )}
        </>
      }
    >
      {addsDomains && (setup === '' || (query.data && domains.length === 0)) && (
        <AddDomain
          onAdded={(name) => {
            setAdded(name)
            setSetup(name)
          }}
          {...(domains.length > 0 && { onClose: () => setSetup(undefined) })}
        />
      )}
      {setup !== undefined && setup !== '' && (
        <SetupPanel key={setup} name={setup} getsFocus={setup === added} onClose={() => setSetup(undefined)} />
      )}
      <QueryState query={query} what="the domains" lines={6} />
      <BulkProgress bulk={bulk} />
      {query.data && domains.length === 0 && !addsDomains && <NoDomains />}
      {domains.length > 0 && (
        <section className="stack gap-12" aria-label="List of domains">
          {domains.length > 5 && <DomainToolbar view={view} onChange={setView} problems={problems} />}
          {listed.length > 0 ? (
            <DomainTable domains={listed} sent={sent} view={{ ...view, q }} onChange={setView} />
          ) : (
            <Empty icon="search" title="No matching domains">
              <p>Every word has to be in the name or the description of the domain.</p>
              <Button onClick={() => setView({ q: '', show: 'all' })}>Show all domains</Button>
            </Empty>
          )}
        </section>
      )}
    </Page>
  )
}

/** The value when it last was at rest. */
function useSettled<T>(value: T, isMoving: boolean): T {
  const settled = useRef(value)
  if (!isMoving) settled.current = value
  return settled.current
}

/** In the address: empty while the form is open, then the domain that is being set up. A reload keeps it. */
function useSetup(): readonly [string | undefined, (name: string | undefined) => void] {
  const params = new URLSearchParams(useSearch())
  const [path, navigate] = useLocation()
  const set = (name: string | undefined) => {
    if (name === undefined) params.delete('setup')
    else params.set('setup', name)
    navigate(params.size === 0 ? path : `${path}?${params}`, { replace: true })
  }
  return [params.get('setup') ?? undefined, set]
}

/** Receptions of the last seven days by domain, in steps of six hours. The same hours as those of the overview. */
function useSentByDomain(): SentCounts {
  const params = seriesParams('domain', 'hour', periodOf('7d', 'hour', Date.now()), { type: ['Reception'] })
  params.set('limit', '1000')
  const { data } = useSeries(params, { isEnabled: useScope('domainStats') })
  return useMemo(() => data && new Map(data.series.map(({ key, counts }) => [key, sumSteps(counts, 6)])), [data])
}
