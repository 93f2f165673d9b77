/** The domains of all tenants: add, activate, deactivate and remove. */
import { useState } from 'react'
import type { AdminDomain, AdminDomainDetail } from '../../../src/http/v1/administration/domains/domains.wire.ts'
import { useIsAdmin } from '../api/session.ts'
import { DOMAIN_STATES, recordLamp } from '../domains/domain-states.ts'
import { Button } from '../kit/button.tsx'
import { DialogButton, FormDialog } from '../kit/dialog.tsx'
import { Checkbox, Field, Select } from '../kit/field.tsx'
import { Lamp } from '../kit/marks/lamp.tsx'
import { Menu, MenuItem } from '../kit/menu.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, Failure, messageOf, QueryState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { formatCount } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { Ago } from '../kit/text/time.tsx'
import { useAdminAction, useAllDomains, useTenants } from './admin.ts'
import { ConfirmRemoval } from './confirm-removal.tsx'

const COLUMNS = ['Domain', 'Tenant', 'Status', 'Records', 'Last check', { title: 'Actions', isTitleHidden: true }]

export function AdminDomainsPage() {
  const query = useAllDomains()
  const { data } = query
  const change = useAdminAction()
  const [removing, setRemoving] = useState<string>()
  const isAdmin = useIsAdmin()
  return (
    <Page
      title="Domains"
      note={data ? `${formatCount(data.count)} domains across all tenants` : 'Domains across all tenants'}
      actions={isAdmin && <DialogButton label="Add domain" dialog={AddDomain} />}
    >
      <QueryState query={query} what="the domains" />
      {change.error && <Failure what="Could not change the domain" error={change.error} />}
      {data?.domains.length === 0 && (
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
  readonly onChange: (how: 'activate' | 'deactivate') => void
  readonly onRemove: () => void
}

function DomainRow({ domain, canChange, isBusy, onChange, onRemove }: DomainRowProps) {
  const { name, tenant, status, lastCheckAt, dkimVerified, spfVerified } = domain
  const { label, tone } = DOMAIN_STATES[status]
  return (
    <tr>
      <td className="foreign">
        <strong>{name}</strong>
      </td>
      <td className="foreign">{printable(tenant.name)}</td>
      <td>
        <span className={`badge tone-${tone}`}>{label}</span>
      </td>
      <td>
        <span className="tags">
          <Lamp state={recordLamp(dkimVerified, domain)} label="DKIM" />
          <Lamp state={recordLamp(spfVerified, domain)} label="SPF" />
        </span>
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
              {domain.active && <MenuItem onSelect={() => onChange('deactivate')}>Deactivate</MenuItem>}
              <MenuItem onSelect={onRemove}>Remove…</MenuItem>
            </Menu>
          )}
        </span>
      </td>
    </tr>
  )
}

function AddDomain({ onClose }: { readonly onClose: () => void }) {
  const tenants = useTenants()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<string>()
  const [isActive, setActive] = useState(true)
  const add = useAdminAction<AdminDomainDetail>(onClose)
  const tenant = chosen ?? tenants.data?.tenants[0]?.name ?? ''
  return (
    <FormDialog
      title="Add domain"
      action="Add domain"
      canSubmit={!add.isPending && name.trim() !== '' && tenant !== ''}
      onClose={onClose}
      onSubmit={() => add.mutate({ path: 'domains', body: { name: name.trim(), tenant, active: isActive } })}
    >
      <Field
        label="Name"
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder="mail.example.com"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={add.error ? messageOf(add.error) : undefined}
      />
      <Select label="Tenant" value={tenant} onChange={(event) => setChosen(event.currentTarget.value)}>
        {tenants.data?.tenants.map((one) => (
          <option key={one.id} value={one.name}>
            {printable(one.name)}
          </option>
        ))}
      </Select>
      <Checkbox
        label="Active"
        hint="The domain can be verified immediately."
        checked={isActive}
        onChange={(event) => setActive(event.currentTarget.checked)}
      />
    </FormDialog>
  )
}
