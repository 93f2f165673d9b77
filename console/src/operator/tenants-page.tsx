/** Tenants: the customers of the operator. */
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Page } from '../kit/page.tsx'
import { printable } from '../kit/printable.ts'
import { Empty, Failure, messageOf, Skeleton } from '../kit/states.tsx'
import { Ago } from '../kit/time.tsx'
import { useAdminAction, useAllDomains, useTenants } from './admin.ts'

export function TenantsPage() {
  const { data, error, refetch } = useTenants()
  const domains = useAllDomains()
  const [isAdding, setAdding] = useState(false)
  const domainsOf = (id: string) => domains.data?.domains.filter(({ tenant }) => tenant.id === id).length
  return (
    <Page
      title="Tenants"
      note="Those who send through this installation. Each sees its own domains and nothing else."
      actions={
        <Button look="strong" icon="plus" onClick={() => setAdding(true)}>
          Create tenant
        </Button>
      }
    >
      {error && <Failure what="The tenants could not be read" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={4} />}
      {data?.tenants.length === 0 && (
        <Empty icon="tenants" title="No tenants yet">
          <p>Create the first one, then a key for it and the domains that it sends from.</p>
        </Empty>
      )}
      {data && data.tenants.length > 0 && (
        <div className="box table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th>Name</th>
                <th>Client id</th>
                <th className="number">Domains</th>
                <th>Created</th>
              </tr>
            </thead>
            <tbody>
              {data.tenants.map(({ id, name, clientId, createdAt }) => (
                <tr key={id}>
                  <td className="foreign">
                    <strong>{printable(name)}</strong>
                  </td>
                  <td className="nowrap">
                    <code>{clientId}</code>{' '}
                    <CopyButton text={clientId} label={`Copy client id of ${printable(name)}`} />
                  </td>
                  <td className="number">
                    <Link href="/operator/domains">{domainsOf(id) ?? '…'}</Link>
                  </td>
                  <td className="nowrap">
                    <Ago at={createdAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isAdding && <CreateTenant onClose={() => setAdding(false)} />}
    </Page>
  )
}

function CreateTenant({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('')
  const create = useAdminAction(onClose)
  return (
    <Dialog title="Create tenant" isOpen onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate({ path: 'tenants', body: { name: name.trim() } })
        }}
      >
        <Field
          label="Name"
          required
          maxLength={100}
          autoFocus
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          problem={create.error ? messageOf(create.error) : undefined}
          hint="As its people know themselves. It cannot be changed later."
        />
        <div className="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="strong" type="submit" disabled={create.isPending || name.trim() === ''}>
            Create tenant
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
