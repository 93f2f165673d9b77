/** Tenants: the customers of the operator. */
import { Link } from 'wouter'
import type { Tenants } from '../../../src/http/v1/administration/tenants.wire.ts'
import { baseOf } from '../api/reading.ts'
import { useIsAdmin } from '../api/session.ts'
import { CopyButton } from '../kit/copy-button.tsx'
import { DialogButton } from '../kit/overlays/dialog.tsx'
import { Page } from '../kit/page.tsx'
import { Empty, QueryState } from '../kit/states.tsx'
import { Table } from '../kit/table.tsx'
import { formatCount } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import { Ago } from '../kit/text/time.tsx'
import { useTenants } from './admin.ts'
import { ListControls, Pager } from './list-controls.tsx'
import { listParams, useListSearch } from './list-search.ts'
import { CreateTenant } from './start/create-tenant.tsx'
import FirstSteps from './start/first-steps.tsx'
import { TenantActions } from './tenant-actions.tsx'

type Tenant = Tenants['tenants'][number]

const COLUMNS = [
  'Name',
  'State',
  'Client ID',
  { title: 'Domains', hint: 'Domains of the tenant, and the quota if there is one', isNumber: true },
  { title: 'Keys', hint: 'Keys that are neither revoked nor expired, and the quota if there is one', isNumber: true },
  {
    title: 'Events today',
    hint: 'Events since midnight UTC, and the quota; counted only for tenants with a quota',
    isNumber: true,
  },
  'Retention',
  'Created',
  { title: 'Actions', isTitleHidden: true },
]

const SORTS = [
  { value: 'name', label: 'By name' },
  { value: '-created', label: 'Newest first' },
  { value: 'created', label: 'Oldest first' },
  { value: '-domains', label: 'Most domains first' },
  { value: '-keys', label: 'Most keys first' },
]

export function TenantsPage() {
  const [list, changeList] = useListSearch(SORTS.map(({ value }) => value))
  const query = useTenants(String(listParams(list)))
  const { data } = query
  const isAdmin = useIsAdmin()
  return (
    <Page
      title="Tenants"
      note="The customers of this installation. Each tenant sees only its own domains."
      actions={isAdmin && <DialogButton label="Create tenant" dialog={CreateTenant} />}
    >
      <ListControls
        list={list}
        onChange={changeList}
        label="Search tenants"
        placeholder="Name, ID or client ID"
        sorts={SORTS}
      />
      <QueryState query={query} what="the tenants" />
      {data?.count === 0 && list.search !== '' && <Empty icon="search" title="No matching tenants" />}
      {data?.count === 0 && list.search === '' && !isAdmin && <Empty icon="tenants" title="No tenants yet" />}
      {data && data.tenants.length > 0 && (
        <Table columns={COLUMNS}>
          {data.tenants.map((tenant) => (
            <TenantRow key={tenant.id} tenant={tenant} canChange={isAdmin} />
          ))}
        </Table>
      )}
      {isAdmin && <FirstSteps />}
      {data && <Pager list={list} onChange={changeList} count={data.count} />}
    </Page>
  )
}

interface TenantRowProps {
  readonly tenant: Tenant
  readonly canChange: boolean
}

function TenantRow({ tenant, canChange }: TenantRowProps) {
  const { id, name, clientId, createdAt, suspendedAt, retentionDays, quotas, use } = tenant
  return (
    <tr>
      <td className="foreign">
        <Link href={`~${baseOf(id)}/overview`} title={`Mail of ${printable(name)}`}>
          <strong>{printable(name)}</strong>
        </Link>
      </td>
      <td className="nowrap">
        {suspendedAt === null ? (
          <span className="badge tone-green">Active</span>
        ) : (
          <>
            <span className="badge tone-red">Suspended</span> <Ago at={suspendedAt} />
          </>
        )}
      </td>
      <td className="nowrap">
        <span className="row gap-4">
          <code>{clientId}</code>
          <CopyButton text={clientId} label={`Copy client ID of ${printable(name)}`} />
        </span>
      </td>
      <td className="number">
        <Link href={`~${baseOf(id)}/domains`}>
          <Use used={use.domains} quota={quotas.domains} />
        </Link>
      </td>
      <td className="number">
        <Link href={`~/operator/keys?${new URLSearchParams({ search: name })}`}>
          <Use used={use.keys} quota={quotas.keys} />
        </Link>
      </td>
      <td className="number">
        {use.eventsToday === null ? (
          <span className="muted">no quota</span>
        ) : (
          <Use used={use.eventsToday} quota={quotas.eventsPerDay} />
        )}
      </td>
      <td className="nowrap">
        {retentionDays === null ? <span className="muted">installation’s</span> : `${formatCount(retentionDays)} days`}
      </td>
      <td className="nowrap">
        <Ago at={createdAt} />
      </td>
      <td className="number">{canChange && <TenantActions tenant={tenant} />}</td>
    </tr>
  )
}

function Use({ used, quota }: { readonly used: number; readonly quota: number | null }) {
  const isFull = quota !== null && used >= quota
  return (
    <span className={`nowrap ${isFull ? 'toned tone-red' : ''}`}>
      {formatCount(used)}
      {quota !== null && ` of ${formatCount(quota)}`}
    </span>
  )
}
