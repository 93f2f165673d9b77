/** `tenant suspend`, `tenant resume` and `tenant delete`. */
import type { Removal } from '../../http/v1/administration/removal/removals.wire.ts'
import type { Tenant } from '../../http/v1/administration/tenants.wire.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import type { CommandSpec, Context } from '../command/command.ts'
import { findTenant, tenantPath } from '../commands/find-tenant.ts'
import { quoteForShell } from '../text/help.ts'
import { printable } from '../text/printable.ts'
import { formatCount } from '../text/text-table.ts'
import { type ConfirmOptions, confirm, YES } from './confirm.ts'
import { type FollowOptions, followRemoval, NO_WAIT } from './follow-removal.ts'

const NAME: readonly [string, string] = ['<name>', `its name, as ${PROGRAM} tenant list shows it`]

const suspend: CommandSpec = {
  name: 'suspend',
  description: 'Suspend a tenant: its keys are refused, its events are quarantined. tenant resume undoes it.',
  arguments: [NAME],
  help: `Within two seconds its keys and sessions are refused with 403, and its streams and exports end. Its new events are quarantined,
and can be replayed after it is resumed. Its domains are not checked automatically.`,
  examples: ['tenant suspend Acme'],
  async run(context: Context, name: string) {
    const { id } = await findTenant(context, name)
    const tenant = await context.client.request<Tenant>('POST', `${tenantPath(id)}/suspend`)
    return {
      json: { id, name: tenant.name, suspendedAt: tenant.suspendedAt },
      text: `${printable(tenant.name)} is suspended. Undo it with: ${context.program} tenant resume ${quoteForShell(tenant.name)}`,
    }
  },
}

const resume: CommandSpec = {
  name: 'resume',
  description: 'Resume a suspended tenant.',
  arguments: [NAME],
  examples: ['tenant resume Acme'],
  async run(context: Context, name: string) {
    const { id } = await findTenant(context, name)
    const tenant = await context.client.request<Tenant>('POST', `${tenantPath(id)}/resume`)
    return {
      json: { id, name: tenant.name, suspendedAt: tenant.suspendedAt },
      text: `${printable(tenant.name)} is no longer suspended. Store its quarantined events with: ${context.program} rejected replay`,
    }
  },
}

const remove: CommandSpec = {
  name: 'delete',
  description: 'Delete a tenant with its keys, domains and events. Asks for its name first.',
  arguments: [NAME],
  options: [YES, NO_WAIT],
  help: `The tenant does not exist from that moment on; the rest is removed from the files step by step, also after a restart. Entries
of the audit log stay. Backups that were made before still contain it.`,
  examples: ['tenant delete Acme', 'tenant delete Acme --yes'],
  async run(context: Context, name: string, options: ConfirmOptions & FollowOptions) {
    const tenant = await findTenant(context, name)
    const domains = formatCount(tenant.use.domains, 'domain')
    const what = `deletes the tenant ${printable(tenant.name)} with ${domains} and all of its events`
    await confirm(options, what, tenant.name)
    const query = { confirm: tenant.name }
    const removal = await context.client.request<Removal>('DELETE', tenantPath(tenant.id), { query })
    return followRemoval(context, removal, options)
  },
}

export const TENANT_REMOVAL: readonly CommandSpec[] = [suspend, resume, remove]
