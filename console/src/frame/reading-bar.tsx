/** Above the mail of tenants, for an operator: whose mail is shown, and a switch to another tenant or to all. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Tenants } from '../../../src/http/v1/administration/tenants.wire.ts'
import { baseOf, useReading } from '../api/reading.ts'
import { Icon } from '../kit/marks/icon.tsx'
import { Popover } from '../kit/overlays/menu.tsx'
import { printable } from '../kit/text/printable.ts'
import { TenantChoices } from '../tenants/tenant-choices.tsx'
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

function TenantSwitch({ name }: { readonly name: string }) {
  const [isOpen, setOpen] = useState(false)
  const { tenantId } = useReading()
  const [, navigate] = useLocation()
  const otherTenant = useOtherTenant()
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
      <TenantChoices
        none="All tenants"
        chosenId={tenantId}
        onChoose={(tenant) => {
          setOpen(false)
          navigate(otherTenant(tenant?.id))
        }}
      />
    </Popover>
  )
}
