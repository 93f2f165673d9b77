/** The domains as a table: the state of each, its records, how much it sent, and its last check. */
import { memo, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { DomainSummary } from '../../../../src/http/v1/domains/domains.wire.ts'
import { sum } from '../../api/series.ts'
import { Button } from '../../kit/button.tsx'
import { Spark } from '../../kit/marks/spark.tsx'
import { Table } from '../../kit/table.tsx'
import { formatCount } from '../../kit/text/format.ts'
import { printable } from '../../kit/text/printable.ts'
import { Ago } from '../../kit/text/time.tsx'
import { DomainBadges, DomainLamps } from '../domain-marks.tsx'
import type { DomainSort, DomainView, SentCounts } from './order-domains.ts'
import { nextSort } from './use-domain-view.ts'

/** Rows that are drawn at first, and with each step: a screen and a half. */
const STEP = 60

interface DomainTableProps {
  /** In the order of the view. */
  readonly domains: readonly DomainSummary[]
  readonly sent: SentCounts
  readonly view: DomainView
  readonly onChange: (change: Partial<DomainView>) => void
}

export function DomainTable({ domains, sent, view, onChange }: DomainTableProps) {
  // Another list begins at its top.
  const list = JSON.stringify(view)
  const [drawn, setDrawn] = useState({ list, rows: STEP })
  const limit = drawn.list === list ? drawn.rows : STEP
  const sortBy = (sort: DomainSort) => ({
    order: view.sort === sort ? (view.isReversed ? ('descending' as const) : ('ascending' as const)) : undefined,
    onSort: () => onChange(nextSort(view, sort)),
  })
  const columns = [
    { title: 'Domain', sort: sortBy('name') },
    { title: 'Status', hint: 'Problems first', sort: sortBy('status') },
    'Records',
    ...(sent
      ? [{ title: 'Received, 7 days', hint: 'Messages received for delivery', isNumber: true, sort: sortBy('sent') }]
      : []),
    { title: 'Last check', sort: sortBy('checked') },
  ]
  return (
    <>
      <Table columns={columns} className="domains-table">
        {domains.slice(0, limit).map((domain) => (
          <DomainRow key={domain.id} domain={domain} sent={sent && (sent.get(domain.name) ?? NONE)} />
        ))}
      </Table>
      {domains.length > limit && (
        <More rest={domains.length - limit} onMore={() => setDrawn({ list, rows: limit + STEP })} />
      )}
    </>
  )
}

const NONE: readonly number[] = []

interface DomainRowProps {
  readonly domain: DomainSummary
  /** Undefined while it is loading, or without the scope for it. */
  readonly sent: readonly number[] | undefined
}

/** Drawn again only if the domain itself has changed. */
const DomainRow = memo(function DomainRow({ domain, sent }: DomainRowProps) {
  const { name, description, lastCheckAt } = domain
  const total = sum(sent ?? NONE)
  return (
    <tr>
      <td>
        <Link href={`/domains/${encodeURIComponent(name)}`} className="domain-name">
          {name}
        </Link>
        {description !== '' && <span className="muted small foreign domain-description">{printable(description)}</span>}
      </td>
      <td>
        <DomainBadges domain={domain} />
      </td>
      <td>
        <DomainLamps domain={domain} />
      </td>
      {sent && (
        <td className="number">
          <span className="row domain-sent">
            <Spark values={sent} label={`Messages received in the last 7 days: ${total}`} />
            {formatCount(total)}
          </span>
        </td>
      )}
      <td className="nowrap">
        {lastCheckAt === null ? <span className="muted">never</span> : <Ago at={lastCheckAt} />}
      </td>
    </tr>
  )
})

/** Draws more rows when it comes near the screen, or is pressed. */
function More({ rest, onMore }: { readonly rest: number; readonly onMore: () => void }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && onMore(), {
      rootMargin: '600px',
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [onMore])
  return (
    <div ref={element}>
      <Button onClick={onMore}>Show {formatCount(Math.min(STEP, rest))} more</Button>
    </div>
  )
}
