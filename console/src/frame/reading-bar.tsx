/** Above the mail of tenants, for an operator: whose mail is shown, and a switch to another tenant or to all. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useId, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Tenants } from '../../../src/http/v1/administration/tenants.wire.ts'
import { baseOf, useReading } from '../api/reading.ts'
import { Icon } from '../kit/marks/icon.tsx'
import { Popover } from '../kit/overlays/menu.tsx'
import { messageOf } from '../kit/states.tsx'
import { formatCount } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { pathForOther } from './path-for-other.ts'

export default function ReadingBar() {
  const { tenantId } = useReading()
  const name = useTenantName(tenantId)
  return (
    <section className="row wrap reading-bar" aria-label="Whose mail is shown">
      <Icon name="tenants" />
      <span className="reading-words">Mail of</span>
      <TenantSwitch name={name} />
      {tenantId !== undefined && (
        <>
          <AllTenants />
          <Link className="small push reading-more" href={`~/operator/tenants?search=${tenantId}`}>
            Manage tenant
          </Link>
        </>
      )}
    </section>
  )
}

const ALL = 'all tenants'

function useTenantName(id: string | undefined): string {
  const params = new URLSearchParams({ search: id ?? '', take: '1' })
  const { data, error } = useQuery<Tenants>({ queryKey: [`/v1/admin/tenants?${params}`], enabled: id !== undefined })
  if (id === undefined) return ALL
  const found = data?.tenants.find((tenant) => tenant.id === id)
  if (found) return printable(found.name)
  return data || error ? 'an unknown tenant' : '…'
}

/** The same page of another tenant, or of all. */
function useOtherTenant(): (tenantId: string | undefined) => string {
  const [path] = useLocation()
  const query = useSearch()
  return (tenantId) => `~${baseOf(tenantId)}${pathForOther(path, query)}`
}

function AllTenants() {
  return (
    <Link className="button button-quiet" href={useOtherTenant()(undefined)}>
      Show all tenants
    </Link>
  )
}

/** More are found by typing. */
const SHOWN = 50

function TenantSwitch({ name }: { readonly name: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Popover
      title="Choose a tenant"
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={
        <button type="button" className="row chip-button reading-switch" data-tenant-switch>
          <bdi className="truncate foreign">{name}</bdi>
          <Icon name="down" />
        </button>
      }
    >
      <Choices onDone={() => setOpen(false)} />
    </Popover>
  )
}

function Choices({ onDone }: { readonly onDone: () => void }) {
  const id = useId()
  const { tenantId } = useReading()
  const [, navigate] = useLocation()
  const otherTenant = useOtherTenant()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const params = new URLSearchParams({ search: text.trim(), take: String(SHOWN) })
  const { data, error, isPlaceholderData } = useQuery<Tenants>({
    queryKey: [`/v1/admin/tenants?${params}`],
    placeholderData: keepPreviousData,
  })
  // Of the previous answer only what matches: Enter must not choose what is no longer asked for.
  const isAsked = ({ name }: { readonly name: string }) => name.toLowerCase().includes(text.trim().toLowerCase())
  const found = (data?.tenants ?? [])
    .filter((tenant) => !isPlaceholderData || isAsked(tenant))
    .map(({ id: found, name }) => ({ id: found, name: printable(name) }))
  const choices = text.trim() === '' ? [{ id: undefined, name: 'All tenants' }, ...found] : found
  const current = Math.min(active, choices.length - 1)
  const more = isPlaceholderData ? 0 : (data?.count ?? 0) - found.length
  const choose = (chosen: string | undefined) => {
    onDone()
    navigate(otherTenant(chosen))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      const next = (current + step + choices.length) % Math.max(1, choices.length)
      setActive(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      const chosen = choices[current]
      if (chosen) choose(chosen.id)
    } else return
    event.preventDefault()
  }
  return (
    <div className="stack reading-choices">
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
          setActive(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Tenants" className="reading-list">
        {choices.map((choice, index) => (
          <div
            key={choice.id ?? ALL}
            id={`${id}-${index}`}
            role="option"
            aria-selected={choice.id === tenantId}
            data-highlighted={index === current ? '' : undefined}
            className="row menu-item"
            onPointerMove={() => setActive(index)}
            onPointerDown={(event) => {
              event.preventDefault()
              choose(choice.id)
            }}
          >
            <span className="menu-check">{choice.id === tenantId && <Icon name="check" />}</span>
            <bdi className="menu-item-text foreign">{choice.name}</bdi>
          </div>
        ))}
      </div>
      <p className="muted small reading-note" role="status">
        {error && messageOf(error)}
        {data && !isPlaceholderData && found.length === 0 && text.trim() !== '' && 'No such tenant.'}
        {more > 0 && `${formatCount(more)} more: type a part of the name.`}
      </p>
    </div>
  )
}
