/** Names and values as a list; those without a value are left out. */
import { printable } from '../kit/text/printable.ts'
import type { ExcludableName } from '../search/log-search.ts'
import { labelOfValue } from '../search/value-label.ts'
import { ValueMenu } from '../search/value-menu.tsx'

/** `filter`: the log can be filtered by the value. */
export type Fact = readonly [name: string, value: string | null | undefined, filter?: ExcludableName]

export function Facts({ facts, className }: { readonly facts: readonly Fact[]; readonly className: string }) {
  const known = facts.flatMap(([name, value, filter]) => (value ? [{ name, value, filter }] : []))
  if (known.length === 0) return null
  return (
    <dl className={className}>
      {known.map(({ name, value, filter }) => (
        <div key={name}>
          <dt className="muted">{name}</dt>
          <dd className={name === 'Message ID' ? 'foreign mono' : 'foreign'}>
            {filter ? (
              <ValueMenu name={filter} value={value}>
                <bdi>{labelOfValue(filter, value)}</bdi>
              </ValueMenu>
            ) : (
              <bdi>{printable(value)}</bdi>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
