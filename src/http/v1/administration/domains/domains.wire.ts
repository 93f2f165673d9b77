/** /v1/admin/domains: the domains of all tenants. */
import type { ReportJson } from '../../../../domains/checks/report-json.ts'
import * as t from '../../../../lib/json-schema.ts'
import { DomainDetailSchema, DomainSummarySchema } from '../../domains/domains.wire.ts'
import { DomainCheckSchema } from '../../domains/verify-domain.wire.ts'

/** By name, or by the last check; domains that were never checked are the oldest. */
export const ADMIN_DOMAIN_ORDERS = ['name', '-name', 'checked', '-checked'] as const

export const AdminDomainsQuery = t.object({
  tenant: t.optional(t.text('Only domains of the tenant with this id or name.', { maxLength: 200 })),
  search: t.optional(t.text('Only domains whose name contains this text.', { maxLength: 253 })),
  onboarded: t.optional(t.flag('`true`: only active, approved and verified domains. `false`: only the others.')),
  sort: t.preset(
    t.oneOf(ADMIN_DOMAIN_ORDERS, 'Order: by name, or by the time of the last check.', { default: 'name' }),
  ),
  details: t.preset(
    t.flag('Whether to include the sending address, records and errors of each domain.', { default: false }),
  ),
  skip: t.preset(t.count('Domains to skip.', { default: 0 })),
  take: t.pageSize(100, 1000, 'Maximum number of domains to return.'),
})

const Owner = t.object({ id: t.text(), name: t.text() }, 'The tenant that owns the domain.')

const { sendingEmail, records, errors } = DomainDetailSchema.properties

export const AdminDomainSchema = t.named('AdminDomain', {
  ...DomainSummarySchema.properties,
  tenant: Owner,
  sendingEmail: t.optional(sendingEmail),
  records: t.optional(records),
  errors: t.optional(errors),
})
export type AdminDomain = t.Static<typeof AdminDomainSchema>

export const AdminDomainsSchema = t.named('AdminDomains', {
  domains: t.list(t.ref(AdminDomainSchema), 'In the requested order.'),
  count: t.count("Number of domains that match, not the page's length."),
})
export type AdminDomains = t.Static<typeof AdminDomainsSchema>

export const NewDomainBody = t.object({
  name: t.text('A host name of at least two labels that is not a public suffix.'),
  tenant: t.text("The tenant's name."),
  active: t.optional(t.flag('Whether it can be verified at once.', { default: false })),
  description: t.optional(t.text('At most 500 characters.')),
  sendingEmail: t.optional(t.text("An address at the domain. Default: the domain's postmaster.")),
})

export const AdminDomainDetailSchema = t.named('AdminDomainDetail', { ...DomainDetailSchema.properties, tenant: Owner })
export type AdminDomainDetail = t.Static<typeof AdminDomainDetailSchema>

export const AdminDomainCheckSchema = t.named('AdminDomainCheck', 'Result of a check, with all evidence.', {
  ...DomainCheckSchema.properties,
  report: t.optional(
    t.raw<ReportJson>(
      { type: 'object' },
      'The full report: `{domain, outcome, records, spf?}`. Each record has its `warnings` and its `evidence`, which ' +
        'lists the answer of every server that was queried. Absent if nothing was checked.',
    ),
  ),
})
export type AdminDomainCheck = t.Static<typeof AdminDomainCheckSchema>
