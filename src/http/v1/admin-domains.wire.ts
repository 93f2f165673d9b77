/** /v1/admin/domains: the domains of all tenants. */
import { type Static, Type } from 'typebox'
import { DomainDetailSchema, DomainSummarySchema } from './domains.wire.ts'
import { count, named, ref } from './schema.wire.ts'

export const ADMIN_DOMAINS_TAKE_DEFAULT = 100
export const ADMIN_DOMAINS_TAKE_MAX = 1000

export const AdminDomainsQuery = Type.Object({
  tenant: Type.Optional(Type.String({ maxLength: 200, description: "Only this tenant's, by its name." })),
  skip: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Domains to skip.' })),
  take: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: ADMIN_DOMAINS_TAKE_DEFAULT,
      'x-counts-at-most': ADMIN_DOMAINS_TAKE_MAX,
      description: 'Domains to return at most.',
    }),
  ),
})

const Owner = Type.Object({ id: Type.String(), name: Type.String() }, { description: 'Whose domain it is.' })

export const AdminDomainSchema = named('AdminDomain', Type.Object({ ...DomainSummarySchema.properties, tenant: Owner }))
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
  name: Type.String({ description: 'Any host name of two labels or more that is no public suffix.' }),
  tenant: Type.String({ description: "The tenant's name." }),
  active: Type.Optional(Type.Boolean({ default: false, description: 'Whether it may be verified at once.' })),
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
