/** Removes tenants, domains and recipients: what is visible goes at once, the rest is a job that can be followed. */
import { AppError } from '../../../../lib/app-error.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { type AddAdminRoute, json } from '../../../routes/route.ts'
import { DomainNameParams } from '../../domains/domains.wire.ts'
import { requireNamedDomain } from '../../domains/named-domain.ts'
import { TenantParams } from '../tenants.wire.ts'
import {
  ConfirmQuery,
  ErasureBody,
  RemovalParams,
  RemovalSchema,
  RemovalsSchema,
  toWireRemoval,
  toWireSummary,
} from './removals.wire.ts'

const LISTED_MAX = 50

const begun = json('The removal, which has begun.', RemovalSchema, 202)

const THE_REST =
  'The rest is a job, which is resumed after a restart: ask `GET /v1/admin/removals/{id}` how far it is. Once it is finished, ' +
  'nothing of it is left in any file.'

export function addRemovals(route: AddAdminRoute, { storage, removals }: AdministrationDeps): void {
  const { keys, domains, removals: store } = storage.control

  route('GET /v1/admin/removals', {
    operationId: 'listRemovals',
    access: { operator: 'read' },
    summary: 'List removals',
    description: 'Removals of tenants, domains and recipients, running and finished.',
    answer: json('The last removals.', RemovalsSchema),
    handle: async () => ({ removals: (await store.list(LISTED_MAX)).map(toWireSummary) }),
  })

  route('GET /v1/admin/removals/:id', {
    operationId: 'getRemoval',
    access: { operator: 'read' },
    summary: 'Get a removal',
    description: 'Once it is finished, this is the receipt.',
    params: RemovalParams,
    answer: json('The removal.', RemovalSchema),
    async handle({ params }) {
      const removal = await store.find(params.id)
      if (!removal) throw new AppError('not_found', 'Removal not found')
      return toWireRemoval(removal)
    },
  })

  route('DELETE /v1/admin/tenants/:id', {
    operationId: 'removeTenant',
    summary: 'Delete a tenant',
    description:
      'With its keys, sessions, domains, events, counts and quarantined records. From the response on, the tenant does not ' +
      `exist, and the names of its domains can be added again. ${THE_REST} Entries of the audit log stay. This cannot be undone.`,
    params: TenantParams,
    query: ConfirmQuery,
    answer: begun,
    refusals: ['storage_unavailable'],
    async handle({ params, query: { confirm }, caller, about }) {
      const tenant = await keys.findTenant(params.id)
      if (!tenant) throw new AppError('not_found', 'Tenant not found')
      about(tenant.name)
      requireConfirmed(confirm, tenant.name, 'tenant')
      return toWireRemoval(await removals.removeTenant(tenant.id, caller.keyId))
    },
  })

  route('DELETE /v1/admin/domains/:name', {
    operationId: 'removeDomain',
    summary: 'Remove a domain',
    description:
      'With its DKIM keys, events and counts. From the response on, the domain does not exist, and its name can be added ' +
      `again. ${THE_REST} This cannot be undone; to keep the events, deactivate the domain instead.`,
    params: DomainNameParams,
    query: ConfirmQuery,
    answer: begun,
    refusals: ['storage_unavailable'],
    async handle({ params, query: { confirm }, caller }) {
      const domain = await requireNamedDomain(domains, params.name)
      requireConfirmed(confirm, domain.name, 'domain')
      return toWireRemoval(await removals.removeDomain(domain, caller.keyId))
    },
  })

  route('POST /v1/admin/erasures', {
    operationId: 'eraseRecipient',
    summary: 'Erase a recipient',
    description:
      'Erases all events to an address, of all tenants: from the log, its indexes, the quarantine, saved views and the journal of opens and ' +
      'clicks. A job, which is resumed after a restart; the removal is the receipt, and does not contain the address. Counts ' +
      'stay. Events that arrive later are stored: stop sending to the address first.',
    body: ErasureBody,
    answer: begun,
    refusals: ['invalid_request', 'overloaded', 'storage_unavailable'],
    async handle({ body, caller, about }) {
      // Until the digest is known: the address itself must not get into the audit log.
      about('recipient')
      const removal = await removals.eraseRecipient((await body()).address, caller.keyId)
      about(`${removal.id} ${removal.object}`)
      return toWireRemoval(removal)
    },
  })
}

function requireConfirmed(confirm: string | undefined, name: string, what: string): void {
  if (confirm?.normalize('NFC') === name) return
  throw new AppError('invalid_request', `confirm: send the name of the ${what}, ${JSON.stringify(name)}`)
}
