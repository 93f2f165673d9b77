/** Finds domains among many. */
import { Button } from '../../kit/button.tsx'
import { formatCount } from '../../kit/text/format.ts'
import { type DomainSort, type DomainView, SORTS } from './order-domains.ts'

interface DomainToolbarProps {
  readonly view: DomainView
  readonly onChange: (change: Partial<DomainView>) => void
  /** Of all domains. */
  readonly problems: number
}

/** For narrow screens, where the titles of the columns are not shown. */
const SORT_NAMES: Readonly<Record<DomainSort, string>> = {
  status: 'Problems first',
  name: 'By name',
  sent: 'Most messages first',
  checked: 'Longest unchecked first',
}

export function DomainToolbar({ view: { q, show, sort }, onChange, problems }: DomainToolbarProps) {
  return (
    <search className="row wrap">
      <input
        type="search"
        className="input domain-search"
        aria-label="Find domains"
        placeholder="Find domains"
        autoComplete="off"
        spellCheck={false}
        maxLength={300}
        value={q}
        onChange={(event) => onChange({ q: event.currentTarget.value })}
      />
      <Button
        className="domain-toggle"
        aria-pressed={show === 'problems'}
        onClick={() => onChange({ show: show === 'problems' ? 'all' : 'problems' })}
      >
        Only problems ({formatCount(problems)})
      </Button>
      <select
        className="input domain-sort"
        aria-label="Sort by"
        value={sort}
        onChange={(event) => {
          const chosen = SORTS.find((one) => one === event.currentTarget.value)
          onChange({ sort: chosen ?? 'status', isReversed: false })
        }}
      >
        {SORTS.map((one) => (
          <option key={one} value={one}>
            {SORT_NAMES[one]}
          </option>
        ))}
      </select>
    </search>
  )
}
