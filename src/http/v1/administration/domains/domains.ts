/** /v1/admin/domains: the domains of all tenants. */
import { domainToASCII } from 'node:url'
import { toReportJson } from '../../../../domains/checks/report-json.ts'
import type { Domain } from '../../../../domains/domain.ts'
import type { DomainListQuery } from '../../../../domains/domain-store.ts'
import { activateDomain } from '../../../../domains/registration/activate-domain.ts'
import { addDomain } from '../../../../domains/registration/add-domain.ts'
import { deactivateDomain } from '../../../../domains/registration/deactivate-domain.ts'
import { known } from '../../../../lib/known.ts'
import { requireTenantByIdOrName } from '../../../../tenants/require-tenant.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { type AddAdminRoute, created, json } from '../../../routes/route.ts'
import { toDomainCheck } from '../../domains/domain-check-view.ts'
import { readFindings, toDomainDetail, toDomainSummary } from '../../domains/domain-views.ts'
import { DomainNameParams } from '../../domains/domains.wire.ts'
import { requireNamedDomain } from '../../domains/named-domain.ts'
import {
  type ADMIN_DOMAIN_ORDERS,
  AdminDomainCheckSchema,
  type AdminDomainDetail,
  AdminDomainDetailSchema,
  AdminDomainsQuery,
  AdminDomainsSchema,
  NewDomainBody,
} from './domains.wire.ts'

const ORDERS: Readonly<Record<(typeof ADMIN_DOMAIN_ORDERS)[number], DomainListQuery['orderBy']>> = {
  name: { field: 'name', direction: 'asc' },
  '-name': { field: 'name', direction: 'desc' },
  checked: { field: 'lastVerificationCheckedAt', direction: 'asc' },
  '-checked': { field: 'lastVerificationCheckedAt', direction: 'desc' },
}

export function addDomains(route: AddAdminRoute, deps: AdministrationDeps): void {
  const { storage, clock, dkimSealer: sealer, recordOptions, verifications } = deps
  const { domains, keys } = storage.control

  async function findOwners(): Promise<(domain: Domain) => { id: string; name: string }> {
    const names = new Map((await keys.listTenants()).map(({ id, name }) => [id, name]))
    return ({ tenantId: id }) => ({ id, name: names.get(id) ?? '' })
  }

  async function toAdminDetail(domain: Domain): Promise<AdminDomainDetail> {
    const ownerOf = await findOwners()
    return { ...toDomainDetail(domain, await readFindings(domains, domain.id)), tenant: ownerOf(domain) }
  }

  route('GET /v1/admin/domains', {
    operationId: 'listAllDomains',
    access: { operator: 'read' },
    summary: 'List domains of all tenants',
    query: AdminDomainsQuery,
    answer: json('One page of domains.', AdminDomainsSchema),
    refusals: ['not_found'],
    async handle({ query: { tenant, search, onboarded, sort, details, skip, take } }) {
      const owner = tenant === undefined ? undefined : await requireTenantByIdOrName(keys, tenant)
      const wanted = known({
        tenantId: owner?.id,
        search: search === undefined ? undefined : toStoredForm(search),
        onboarded,
      })
      const page = await domains.list({ ...wanted, skip, take, orderBy: ORDERS[sort] })
      const ownerOf = await findOwners()
      const show = details ? (domain: Domain) => toDomainDetail(domain) : toDomainSummary
      const shown = page.domains.map((domain) => ({ ...show(domain), tenant: ownerOf(domain) }))
      return { domains: shown, count: page.count }
    },
  })

  route('POST /v1/admin/domains', {
    operationId: 'addDomain',
    summary: 'Add a domain',
    description: 'Creates a DKIM key for it. The response contains the records that the tenant has to publish.',
    body: NewDomainBody,
    answer: created(AdminDomainDetailSchema, 'Added.'),
    refusals: ['invalid_request', 'not_found', 'conflict', 'quota_exceeded', 'storage_unavailable'],
    async handle({ body, about }) {
      const { tenant: tenantName, active: isActive = false, ...asked } = await body()
      about(asked.name)
      const domain = await addDomain(
        { domains, keys, sealer, clock, ...recordOptions },
        { ...asked, tenantName, isActive },
      )
      return toAdminDetail(domain)
    },
  })

  route('GET /v1/admin/domains/:name', {
    operationId: 'getAnyDomain',
    access: { operator: 'read' },
    summary: 'Get a domain of any tenant',
    params: DomainNameParams,
    answer: json('The domain.', AdminDomainDetailSchema),
    handle: async ({ params }) => toAdminDetail(await requireNamedDomain(domains, params.name)),
  })

  route('POST /v1/admin/domains/:name/activate', {
    operationId: 'activateDomain',
    summary: 'Activate a domain',
    description:
      'An active domain can be verified and is checked automatically. Activating it again has no effect. A domain that its tenant ' +
      'added and has not verified yet is taken as proven: its events are accepted from then on.',
    params: DomainNameParams,
    answer: json('The active domain.', AdminDomainDetailSchema),
    refusals: ['storage_unavailable'],
    async handle({ params }) {
      const { name } = await requireNamedDomain(domains, params.name)
      return toAdminDetail(await activateDomain({ domains, clock }, name))
    },
  })

  route('POST /v1/admin/domains/:name/deactivate', {
    operationId: 'deactivateDomain',
    summary: 'Deactivate a domain',
    description:
      'Its events stay readable. Within two seconds, its new events are quarantined, from where they can be replayed when the ' +
      'domain is active again. It is not checked any more. Deactivating it again has no effect.',
    params: DomainNameParams,
    answer: json('The inactive domain.', AdminDomainDetailSchema),
    refusals: ['storage_unavailable'],
    async handle({ params }) {
      const { name } = await requireNamedDomain(domains, params.name)
      return toAdminDetail(await deactivateDomain({ domains, clock }, name))
    },
  })

  route('POST /v1/admin/domains/:name/verify', {
    operationId: 'checkAnyDomain',
    summary: 'Check a domain of any tenant now',
    description:
      'The same check as `POST /v1/domains/{name}/verify`, with the full report. Takes no body. The rate ' +
      'limit of the tenant does not apply.',
    params: DomainNameParams,
    answer: json('The result of the check, successful or not.', AdminDomainCheckSchema),
    refusals: ['overloaded', 'storage_unavailable'],
    async handle({ params }) {
      const { id: domainId, name } = await requireNamedDomain(domains, params.name)
      const result = await verifications.verify({ domainId })
      const check = toDomainCheck(
        result,
        await requireNamedDomain(domains, name),
        await readFindings(domains, domainId),
      )
      return { ...check, ...(result.report && { report: toReportJson(result.report) }) }
    },
  })
}

/** Names are stored in lower case, with letters beyond ASCII in their encoded form. */
function toStoredForm(search: string): string {
  const name = search.toLowerCase()
  return (/\P{ASCII}/u.test(name) && domainToASCII(name)) || name
}
