/** The domains of all tenants, or of one: their records and diagnosis, their log, verify, activate, deactivate, add and remove. */
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { AdminDomain } from '../../../src/http/v1/administration/domains/domains.wire.ts'
import { baseOf, useReading } from '../api/reading.ts'
import { useIsAdmin } from '../api/session.ts'
import { DomainBadges, DomainLamps } from '../domains/domain-marks.tsx'
import { Button } from '../kit/button.tsx'
import { DialogButton } from '../kit/overlays/dialog.tsx'
import { Menu, MenuItem } from '../kit/overlays/menu.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, Failure, QueryState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { formatCount } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { Ago } from '../kit/text/time.tsx'
import { logLink } from '../search/log-search.ts'
import { AddDomain } from './add-domain.tsx'
import { useAdminAction, useAllDomains } from './admin.ts'
import { ConfirmRemoval } from './confirm-removal.tsx'
import { ListControls, Pager } from './list-controls.tsx'
import { listParams, useListSearch } from './list-search.ts'

const COLUMNS = ['Domain', 'Tenant', 'Status', 'Records', 'Last check', { title: 'Actions', isTitleHidden: true }]

const SORTS = [
  { value: 'name', label: 'By name' },
  { value: '-name', label: 'By name, Z to A' },
  { value: '-checked', label: 'Last checked first' },
  { value: 'checked', label: 'Longest unchecked first' },
]

export function AdminDomainsPage() {
  const { tenantId } = useReading()
  const [list, changeList] = useListSearch(SORTS.map(({ value }) => value))
  const params = listParams(list)
  if (tenantId !== undefined) params.set('tenant', tenantId)
  const query = useAllDomains(String(params))
  const { data } = query
  const change = useAdminAction()
  const [removing, setRemoving] = useState<string>()
  const isAdmin = useIsAdmin()
  const whose = tenantId === undefined ? 'across all tenants' : 'of this tenant'
  return (
    <Page
      title="Domains"
      note={
        data ? `${formatCount(data.count)} ${data.count === 1 ? 'domain' : 'domains'} ${whose}` : `Domains ${whose}`
      }
      actions={isAdmin && <DialogButton label="Add domain" dialog={AddDomain} />}
    >
      <ListControls
        list={list}
        onChange={changeList}
        label="Search domains"
        placeholder="Part of the name"
        sorts={SORTS}
      />
      <QueryState query={query} what="the domains" />
      {change.error && <Failure what="Could not change the domain" error={change.error} />}
      {data?.count === 0 && list.search !== '' && <Empty icon="search" title="No matching domains" />}
      {data?.count === 0 && list.search === '' && (
        <Empty icon="domains" title="No domains yet">
          <p>Add a domain. Its tenant sees the records to publish in the console.</p>
        </Empty>
      )}
      {data && data.domains.length > 0 && (
        <Table columns={COLUMNS}>
          {data.domains.map((domain) => (
            <DomainRow
              key={domain.id}
              domain={domain}
              canChange={isAdmin}
              isBusy={change.isPending}
              onChange={(how) => change.mutate({ path: `domains/${encodeURIComponent(domain.name)}/${how}` })}
              onRemove={() => setRemoving(domain.name)}
            />
          ))}
        </Table>
      )}
      {data && <Pager list={list} onChange={changeList} count={data.count} />}
      {removing !== undefined && (
        <ConfirmRemoval
          title="Remove domain?"
          description={`${removing} is removed with its DKIM keys and all of its events. This cannot be undone. To keep the events, deactivate it instead.`}
          action="Remove domain"
          name={removing}
          path={`domains/${encodeURIComponent(removing)}`}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Page>
  )
}

interface DomainRowProps {
  readonly domain: AdminDomain
  readonly canChange: boolean
  readonly isBusy: boolean
  readonly onChange: (how: 'activate' | 'deactivate' | 'verify') => void
  readonly onRemove: () => void
}

function DomainRow({ domain, canChange, isBusy, onChange, onRemove }: DomainRowProps) {
  const { name, tenant, lastCheckAt } = domain
  const [, navigate] = useLocation()
  const page = `/domains/${encodeURIComponent(name)}`
  return (
    <tr>
      <td className="foreign">
        <Link href={page} title="Records and diagnosis">
          <strong>{name}</strong>
        </Link>
      </td>
      <td className="foreign">
        <Link href={`~${baseOf(tenant.id)}/overview`} title={`Mail of ${printable(tenant.name)}`}>
          {printable(tenant.name)}
        </Link>
      </td>
      <td>
        <DomainBadges domain={domain} />
      </td>
      <td>
        <DomainLamps domain={domain} />
      </td>
      <td className="nowrap">
        {lastCheckAt === null ? <span className="muted">never</span> : <Ago at={lastCheckAt} />}
      </td>
      <td className="number nowrap">
        <span className="tags">
          {canChange && !domain.active && (
            <Button look="quiet" disabled={isBusy} onClick={() => onChange('activate')} aria-label={`Activate ${name}`}>
              Activate
            </Button>
          )}
          {canChange && (
            <Menu
              align="end"
              trigger={
                <Button look="quiet" icon="down" disabled={isBusy} aria-label={`Actions for ${name}`}>
                  Actions
                </Button>
              }
            >
              <MenuItem onSelect={() => navigate(page)}>Records and diagnosis</MenuItem>
              <MenuItem onSelect={() => navigate(logLink({ filters: { domain: [name] } }))}>Open log</MenuItem>
              {domain.active && <MenuItem onSelect={() => onChange('verify')}>Verify now</MenuItem>}
              {domain.active && <MenuItem onSelect={() => onChange('deactivate')}>Deactivate</MenuItem>}
              <MenuItem onSelect={onRemove}>Remove…</MenuItem>
            </Menu>
          )}
        </span>
      </td>
    </tr>
  )
}
