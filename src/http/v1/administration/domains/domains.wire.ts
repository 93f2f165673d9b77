/** /v1/admin/domains: the domains of all tenants. */
import { type Static, Type } from 'typebox'
import type { ReportJson } from '../../../../domains/checks/report-json.ts'
import { DomainDetailSchema, DomainSummarySchema } from '../../domains/domains.wire.ts'
import { DomainCheckSchema } from '../../domains/verify-domain.wire.ts'
import { count, named, ref } from '../../schema.wire.ts'

export const ADMIN_DOMAINS_TAKE_DEFAULT = 100
export const ADMIN_DOMAINS_TAKE_MAX = 1000

export const AdminDomainsQuery = Type.Object({
  tenant: Type.Optional(Type.String({ maxLength: 200, description: 'Only domains of the tenant with this name.' })),
  details: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether to include the sending address, records and errors of each domain.',
    }),
  ),
  skip: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Domains to skip.' })),
  take: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: ADMIN_DOMAINS_TAKE_DEFAULT,
      'x-counts-at-most': ADMIN_DOMAINS_TAKE_MAX,
      description: 'Maximum number of domains to return.',
    }),
  ),
})

const Owner = Type.Object(
  { id: Type.String(), name: Type.String() },
  { description: 'The tenant that owns the domain.' },
)

const { sendingEmail, records, errors } = DomainDetailSchema.properties

export const AdminDomainSchema = named(
  'AdminDomain',
  Type.Object({
    ...DomainSummarySchema.properties,
    tenant: Owner,
    sendingEmail: Type.Optional(sendingEmail),
    records: Type.Optional(records),
    errors: Type.Optional(errors),
  }),
)
export type AdminDomain = Static<typeof AdminDomainSchema>

export const AdminDomainsSchema = named(
  'AdminDomains',
  Type.Object({
    domains: Type.Array(ref(AdminDomainSchema), { description: 'By name.' }),
    count: count("Number of domains that match, not the page's length."),
  }),
)
export type AdminDomains = Static<typeof AdminDomainsSchema>

export const NewDomainBody = Type.Object({
  name: Type.String({ description: 'A host name of at least two labels that is not a public suffix.' }),
  tenant: Type.String({ description: "The tenant's name." }),
  active: Type.Optional(Type.Boolean({ default: false, description: 'Whether it can be verified at once.' })),
  description: Type.Optional(Type.String({ description: 'At most 500 characters.' })),
  sendingEmail: Type.Optional(
    Type.String({ description: "An address at the domain. Default: the domain's postmaster." }),
  ),
})

export const AdminDomainDetailSchema = named(
  'AdminDomainDetail',
  Type.Object({ ...DomainDetailSchema.properties, tenant: Owner }),
)
export type AdminDomainDetail = Static<typeof AdminDomainDetailSchema>

export const AdminDomainCheckSchema = named(
  'AdminDomainCheck',
  Type.Object(
    {
      ...DomainCheckSchema.properties,
      report: Type.Optional(
        Type.Unsafe<ReportJson>({
          type: 'object',
          description:
            'The full report: `{domain, outcome, records, spf?}`. Each record has its `warnings` and its `evidence`, which ' +
            'lists the answer of every server that was queried. Absent if nothing was checked.',
        }),
      ),
    },
    { description: 'Result of a check, with all evidence.' },
  ),
)
export type AdminDomainCheck = Static<typeof AdminDomainCheckSchema>
