/** The domains of all tenants: added and activated here, verified by themselves. */
import { useState } from 'react'
import type { AdminDomain, AdminDomainDetail } from '../../../src/http/v1/admin-domains.wire.ts'
import { STANDINGS } from '../domains/standing.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Choice, Field, Tick } from '../kit/field.tsx'
import { formatCount } from '../kit/format.ts'
import { Lamp } from '../kit/lamp.tsx'
import { Page } from '../kit/page.tsx'
import { printable } from '../kit/printable.ts'
import { Empty, Failure, messageOf, Skeleton } from '../kit/states.tsx'
import { Ago } from '../kit/time.tsx'
import { useAdminAction, useAllDomains, useTenants } from './admin.ts'

export function AdminDomainsPage() {
  const { data, error, refetch } = useAllDomains()
  const [isAdding, setAdding] = useState(false)
  const activate = useAdminAction()
  return (
    <Page
      title="Domains"
      note={data ? `${formatCount(data.count)} of all tenants` : 'Of all tenants'}
      actions={
        <Button look="strong" icon="plus" onClick={() => setAdding(true)}>
          Add domain
        </Button>
      }
    >
      {error && <Failure what="The domains could not be read" error={error} onRetry={() => void refetch()} />}
      {activate.error && <Failure what="The domain was not activated" error={activate.error} />}
      {!data && !error && <Skeleton lines={4} />}
      {data?.domains.length === 0 && (
        <Empty icon="domains" title="No domains yet">
          <p>Add the first one: its tenant sees the records to publish in its own console.</p>
        </Empty>
      )}
      {data && data.domains.length > 0 && (
        <div className="box table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th>Domain</th>
                <th>Tenant</th>
                <th>State</th>
                <th>Records</th>
                <th>Checked</th>
                <th>
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.domains.map((domain) => (
                <DomainRow
                  key={domain.id}
                  domain={domain}
                  isBusy={activate.isPending}
                  onActivate={() => activate.mutate({ path: `domains/${encodeURIComponent(domain.name)}/activate` })}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isAdding && <AddDomain onClose={() => setAdding(false)} />}
    </Page>
  )
}

interface DomainRowProps {
  readonly domain: AdminDomain
  readonly isBusy: boolean
  readonly onActivate: () => void
}

function DomainRow({ domain, isBusy, onActivate }: DomainRowProps) {
  const { name, tenant, status, active, lastCheckAt, dkimVerified, spfVerified } = domain
  const { label, tone } = STANDINGS[status]
  const lamp = (isRight: boolean) => (isRight ? 'good' : active && lastCheckAt !== null ? 'bad' : 'unknown')
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
          <Lamp state={lamp(dkimVerified)} label="DKIM" />
          <Lamp state={lamp(spfVerified)} label="SPF" />
        </span>
      </td>
      <td className="nowrap">
        {lastCheckAt === null ? <span className="muted">never</span> : <Ago at={lastCheckAt} />}
      </td>
      <td className="number">
        {!active && (
          <Button look="quiet" disabled={isBusy} onClick={onActivate} aria-label={`Activate ${name}`}>
            Activate
          </Button>
        )}
      </td>
    </tr>
  )
}

function AddDomain({ onClose }: { readonly onClose: () => void }) {
  const tenants = useTenants()
  const [name, setName] = useState('')
  const [tenant, setTenant] = useState<string>()
  const [isActive, setActive] = useState(true)
  const add = useAdminAction<AdminDomainDetail>(onClose)
  const owner = tenant ?? tenants.data?.tenants[0]?.name ?? ''
  return (
    <Dialog title="Add domain" isOpen onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate({ path: 'domains', body: { name: name.trim(), tenant: owner, active: isActive } })
        }}
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
          problem={add.error ? messageOf(add.error) : undefined}
        />
        <Choice label="Tenant" value={owner} onChange={(event) => setTenant(event.currentTarget.value)}>
          {tenants.data?.tenants.map(({ id, name: tenantName }) => (
            <option key={id} value={tenantName}>
              {printable(tenantName)}
            </option>
          ))}
        </Choice>
        <Tick
          label="Active"
          hint="may be verified at once"
          checked={isActive}
          onChange={(event) => setActive(event.currentTarget.checked)}
        />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="strong" type="submit" disabled={add.isPending || name.trim() === '' || owner === ''}>
            Add domain
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
