/** Tenants to choose one of, however many there are: found by typing, read page by page. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useId, useState } from 'react'
import type { Tenants } from '../../../src/http/v1/administration/tenants.wire.ts'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/marks/icon.tsx'
import { messageOf } from '../kit/states.tsx'
import { formatCount } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import './tenant-choices.css'

export type ChosenTenant = Pick<Tenants['tenants'][number], 'id' | 'name'>

interface TenantChoicesProps {
  /** The first choice, such as "All tenants": no tenant. */
  readonly none?: string | undefined
  readonly chosenId: string | undefined
  readonly onChoose: (tenant: ChosenTenant | undefined) => void
}

const PAGE = 50
/** As many as the server returns. Nobody scrolls further; more are found by typing. */
const SHOWN_MAX = 1000

export function TenantChoices({ none, chosenId, onChoose }: TenantChoicesProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [shown, setShown] = useState(PAGE)
  const [active, setActive] = useState(0)
  const params = new URLSearchParams({ search: text.trim(), take: String(shown) })
  const { data, error, isPlaceholderData } = useQuery<Tenants>({
    queryKey: [`/v1/admin/tenants?${params}`],
    placeholderData: keepPreviousData,
  })
  // Of the previous answer only what matches: Enter must not choose what is no longer asked for.
  const isAsked = ({ name }: ChosenTenant) => name.toLowerCase().includes(text.trim().toLowerCase())
  const found = (data?.tenants ?? []).filter((tenant) => !isPlaceholderData || isAsked(tenant))
  const isNoneShown = none !== undefined && text.trim() === ''
  const choices: readonly (ChosenTenant | undefined)[] = isNoneShown ? [undefined, ...found] : found
  const current = Math.min(active, choices.length - 1)
  const more = isPlaceholderData ? 0 : (data?.count ?? 0) - found.length
  const canShowMore = more > 0 && shown < SHOWN_MAX
  const showMore = () => setShown(Math.min(SHOWN_MAX, shown + PAGE))
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      const isBeyond = current + step === choices.length
      if (isBeyond && canShowMore) showMore()
      // The last one is followed by the next page, also while that is loading, and not by the first one.
      const isFollowed = isBeyond && (canShowMore || isPlaceholderData)
      const next = isFollowed ? choices.length : (current + step + choices.length) % Math.max(1, choices.length)
      setActive(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      if (current >= 0) onChoose(choices[current])
    } else return
    event.preventDefault()
  }
  return (
    <div className="stack tenant-choices">
      <input
        className="input"
        role="combobox"
        aria-label="Search tenants"
        aria-expanded={true}
        aria-controls={`${id}-list`}
        aria-activedescendant={choices.length > 0 ? `${id}-${current}` : undefined}
        placeholder="Search by name or ID"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setShown(PAGE)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Tenants" tabIndex={-1} className="tenant-list">
        {choices.map((choice, index) => (
          <div
            key={choice?.id ?? ''}
            id={`${id}-${index}`}
            role="option"
            aria-selected={choice?.id === chosenId}
            data-highlighted={index === current ? '' : undefined}
            className="row menu-item"
            onPointerMove={() => setActive(index)}
            onPointerDown={(event) => {
              event.preventDefault()
              onChoose(choice)
            }}
          >
            <span className="menu-check">{choice?.id === chosenId && <Icon name="check" />}</span>
            <bdi className="menu-item-text foreign">{choice ? printable(choice.name) : none}</bdi>
          </div>
        ))}
      </div>
      <p className="row wrap muted small tenant-note" role="status">
        {error && messageOf(error)}
        {data && !isPlaceholderData && found.length === 0 && text.trim() !== '' && 'No matching tenants.'}
        {more > 0 && <span>{formatCount(more)} more. Type part of the name to find them.</span>}
        {canShowMore && (
          <Button look="quiet" onClick={showMore}>
            Show more
          </Button>
        )}
      </p>
    </div>
  )
}
