/** Tenants: the customers of the operator. */
import { useState } from 'react'
import { Link } from 'wouter'
import { useIsAdmin } from '../api/session.ts'
import { CopyButton } from '../kit/copy-button.tsx'
import { DialogButton, FormDialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, messageOf, QueryState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { printable } from '../kit/text/printable.ts'
import { Ago } from '../kit/text/time.tsx'
import { useAdminAction, useAllDomains, useTenants } from './admin.ts'

const COLUMNS = ['Name', 'Client ID', { title: 'Domains', isNumber: true }, 'Created']

export function TenantsPage() {
  const query = useTenants()
  const { data } = query
  const isAdmin = useIsAdmin()
  const domains = useAllDomains()
  const domainsOf = (id: string) => domains.data?.domains.filter(({ tenant }) => tenant.id === id).length
  return (
    <Page
      title="Tenants"
      note="The customers of this installation. Each tenant sees only its own domains."
      actions={isAdmin && <DialogButton label="Create tenant" dialog={CreateTenant} />}
    >
      <QueryState query={query} what="the tenants" />
      {data?.tenants.length === 0 && (
        <Empty icon="tenants" title="No tenants yet">
          <p>Create a tenant, then its domains and a key for it.</p>
        </Empty>
      )}
      {data && data.tenants.length > 0 && (
        <Table columns={COLUMNS}>
          {data.tenants.map(({ id, name, clientId, createdAt }) => (
            <tr key={id}>
              <td className="foreign">
                <strong>{printable(name)}</strong>
              </td>
              <td className="nowrap">
                <code>{clientId}</code> <CopyButton text={clientId} label={`Copy client ID of ${printable(name)}`} />
              </td>
              <td className="number">
                <Link href="/operator/domains">{domainsOf(id) ?? '…'}</Link>
              </td>
              <td className="nowrap">
                <Ago at={createdAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Page>
  )
}

function CreateTenant({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const create = useAdminAction(onClose)
  return (
    <FormDialog
      title="Create tenant"
      action="Create tenant"
      canSubmit={!create.isPending && name.trim() !== ''}
      onClose={onClose}
      onSubmit={() => create.mutate({ path: 'tenants', body: { name: name.trim() } })}
    >
      <Field
        label="Name"
        required
        maxLength={100}
        autoFocus
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={create.error ? messageOf(create.error) : undefined}
        hint="Shown to the tenant. It cannot be changed later."
      />
    </FormDialog>
  )
}
