/** Names and values as a list; those without a value are left out. */
import { printable } from '../kit/text/printable.ts'

export type Fact = readonly [name: string, value: string | null | undefined]

export function Facts({ facts, className }: { readonly facts: readonly Fact[]; readonly className: string }) {
  const known = facts.flatMap(([name, value]) => (value ? [{ name, value }] : []))
  if (known.length === 0) return null
  return (
    <dl className={className}>
      {known.map(({ name, value }) => (
        <div key={name}>
          <dt className="muted">{name}</dt>
          <dd className={name === 'Message ID' ? 'foreign mono' : 'foreign'}>
            <bdi>{printable(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}
