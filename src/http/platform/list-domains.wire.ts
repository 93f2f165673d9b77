/** Section 4.2 of the interface: parameters and response of the domain listing. */
import { Type } from 'typebox'
import { DOMAIN_SORT_FIELDS, type DomainListQuery, type DomainPage } from '../../domains/domain-store.ts'
import { AppError } from '../../lib/app-error.ts'
import { parseQuery } from '../request/query-parameters.ts'
import { DOMAIN, toWireDomain } from './domain.wire.ts'

const TAKE_DEFAULT = 100
/** Clients that request "everything" with a huge number still work: they get this many and continue with `skip`. */
const TAKE_MAX = 1000

const NEWEST_FIRST = { field: 'updatedAt', direction: 'desc' } as const

export const DomainListParameters = Type.Object({
  skip: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Domains to skip.' })),
  take: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: TAKE_DEFAULT,
      'x-counts-at-most': TAKE_MAX,
      description: `Maximum number of domains to return. Above ${TAKE_MAX} it counts as ${TAKE_MAX}.`,
    }),
  ),
  orderBy: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      default: '{"updatedAt":"desc"}',
      description:
        'Sort order: a JSON object with one field and `asc` or `desc`. Ties are ordered by id. ' +
        `Fields: ${DOMAIN_SORT_FIELDS.map((field) => `\`${field}\``).join(', ')}.`,
    }),
  ),
  onboardingStatus: Type.Optional(
    Type.Boolean({
      description: '`true`: domains that are active, approved and verified. `false`: the rest. Not sent: all.',
    }),
  ),
})

/** Throws AppError `invalid_request`. */
export function parseDomainListQuery(query: unknown): Omit<DomainListQuery, 'tenantId'> {
  const { skip = 0, take = TAKE_DEFAULT, orderBy, onboardingStatus } = parseQuery(DomainListParameters, query)
  return {
    skip,
    take: Math.min(take, TAKE_MAX),
    orderBy: orderBy === undefined ? NEWEST_FIRST : parseOrderBy(orderBy),
    ...(onboardingStatus !== undefined && { onboarded: onboardingStatus }),
  }
}

function parseOrderBy(text: string): DomainListQuery['orderBy'] {
  const entries = Object.entries(parseJsonObject(text))
  const [name, direction] = entries[0] ?? []
  const field = DOMAIN_SORT_FIELDS.find((candidate) => candidate === name)
  if (entries.length !== 1) throw orderByRefusal(`it names ${entries.length} fields where one is expected`)
  if (!field) throw orderByRefusal(`${JSON.stringify(name)} is not a field to sort by`)
  if (direction !== 'asc' && direction !== 'desc') throw orderByRefusal('the direction is neither "asc" nor "desc"')
  return { field, direction }
}

function parseJsonObject(text: string): object {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw orderByRefusal('it is not JSON')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw orderByRefusal('it is not a JSON object')
  return value
}

function orderByRefusal(problem: string): AppError {
  const allowed = `a JSON object such as {"updatedAt":"desc"}, with one of ${DOMAIN_SORT_FIELDS.join(', ')}`
  return new AppError('invalid_request', `Invalid orderBy: ${problem}. Allowed: ${allowed}.`)
}

export const DOMAIN_LIST = 'DomainList'

export const DomainListSchema = Type.Object(
  {
    domains: Type.Array(Type.Ref(DOMAIN), { maxItems: TAKE_MAX }),
    count: Type.Integer({ minimum: 0, description: "Number of domains that match, not the page's length." }),
  },
  { $id: DOMAIN_LIST, description: 'One page of domains.' },
)

export function toWireDomainList({ domains, count }: DomainPage) {
  return { domains: domains.map(toWireDomain), count }
}
