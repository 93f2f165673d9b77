/** What the operator can do with a tenant: suspend, resume, change its retention, delete. */
import { useState } from 'react'
import type { Tenant } from '../../../src/http/v1/administration/tenants.wire.ts'
import { Button } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { FormDialog } from '../kit/overlays/dialog.tsx'
import { Menu, MenuItem } from '../kit/overlays/menu.tsx'
import { messageOf } from '../kit/states.tsx'
import { printable } from '../kit/text/printable.ts'
import { useAdminAction } from './admin.ts'
import { ConfirmRemoval } from './confirm-removal.tsx'

type Action = 'suspend' | 'resume' | 'retention' | 'delete'

interface ActionProps {
  readonly tenant: Tenant
  readonly onClose: () => void
}

const pathOf = ({ id }: Tenant) => `tenants/${encodeURIComponent(id)}`

export function TenantActions({ tenant }: { readonly tenant: Tenant }) {
  const [action, setAction] = useState<Action>()
  const props = { tenant, onClose: () => setAction(undefined) }
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button look="quiet" icon="down" aria-label={`Actions for ${printable(tenant.name)}`}>
            Actions
          </Button>
        }
      >
        {tenant.suspendedAt === null ? (
          <MenuItem onSelect={() => setAction('suspend')}>Suspend…</MenuItem>
        ) : (
          <MenuItem onSelect={() => setAction('resume')}>Resume…</MenuItem>
        )}
        <MenuItem onSelect={() => setAction('retention')}>Change retention…</MenuItem>
        <MenuItem onSelect={() => setAction('delete')}>Delete…</MenuItem>
      </Menu>
      {action === 'suspend' && <Suspend {...props} />}
      {action === 'resume' && <Resume {...props} />}
      {action === 'retention' && <ChangeRetention {...props} />}
      {action === 'delete' && (
        <ConfirmRemoval
          title="Delete tenant?"
          description={`${printable(tenant.name)} is deleted with its keys, domains and all of their events. This cannot be undone.`}
          action="Delete tenant"
          name={tenant.name}
          path={pathOf(tenant)}
          onClose={props.onClose}
        />
      )}
    </>
  )
}

function Suspend({ tenant, onClose }: ActionProps) {
  const suspend = useAdminAction(onClose)
  return (
    <FormDialog
      title="Suspend tenant?"
      description={`Within two seconds, keys and sessions of ${printable(tenant.name)} are refused, and its new events are quarantined. Its domains are not checked automatically. You can resume it at any time.`}
      action="Suspend tenant"
      look="danger"
      canSubmit={!suspend.isPending}
      onClose={onClose}
      onSubmit={() => suspend.mutate({ path: `${pathOf(tenant)}/suspend` })}
    >
      {suspend.error && <p className="field-error">{messageOf(suspend.error)}</p>}
    </FormDialog>
  )
}

function Resume({ tenant, onClose }: ActionProps) {
  const resume = useAdminAction(onClose)
  return (
    <FormDialog
      title="Resume tenant?"
      description={`Keys and sessions of ${printable(tenant.name)} are valid again. Replay the quarantine to store the events that arrived meanwhile.`}
      action="Resume tenant"
      canSubmit={!resume.isPending}
      onClose={onClose}
      onSubmit={() => resume.mutate({ path: `${pathOf(tenant)}/resume` })}
    >
      {resume.error && <p className="field-error">{messageOf(resume.error)}</p>}
    </FormDialog>
  )
}

function ChangeRetention({ tenant, onClose }: ActionProps) {
  const [days, setDays] = useState(tenant.retentionDays === null ? '' : String(tenant.retentionDays))
  const change = useAdminAction(onClose)
  const isValid = days === '' || /^[1-9]\d{0,4}$/.test(days)
  return (
    <FormDialog
      title="Change retention"
      description={`Events of ${printable(tenant.name)} that are older are removed, day by day. Their counts stay.`}
      action="Change retention"
      canSubmit={!change.isPending && isValid}
      onClose={onClose}
      onSubmit={() =>
        change.mutate({ path: pathOf(tenant), body: { retentionDays: days === '' ? null : Number(days) } })
      }
    >
      <Field
        label="Retention in days"
        inputMode="numeric"
        autoFocus
        autoComplete="off"
        value={days}
        onChange={(event) => setDays(event.currentTarget.value.trim())}
        error={change.error ? messageOf(change.error) : undefined}
        hint="Empty: the retention of the installation."
      />
    </FormDialog>
  )
}
