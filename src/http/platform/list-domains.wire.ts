/** Section 4.2 of the interface: parameters and response of the domain listing. */
import { DOMAIN_SORT_FIELDS, type DomainListQuery } from '../../domains/domain-store.ts'
import { AppError } from '../../lib/app-error.ts'
import * as t from '../../lib/json-schema.ts'
import { DomainSchema } from './domain.wire.ts'

/** Clients that request "everything" with a huge number still work: they get this many and continue with `skip`. */
const TAKE_MAX = 1000

export const DomainListParameters = t.object({
  skip: t.preset(t.count('Domains to skip.', { default: 0 })),
  take: t.pageSize(100, TAKE_MAX, `Maximum number of domains to return. Above ${TAKE_MAX} it counts as ${TAKE_MAX}.`),
  orderBy: t.preset(
    t.text(
      'Sort order: a JSON object with one field and `asc` or `desc`. Ties are ordered by id. ' +
        `Fields: ${DOMAIN_SORT_FIELDS.map((field) => `\`${field}\``).join(', ')}.`,
      { minLength: 1, maxLength: 200, default: '{"updatedAt":"desc"}' },
    ),
  ),
  onboardingStatus: t.optional(
    t.flag('`true`: domains that are active, approved and verified. `false`: the rest. Not sent: all.'),
  ),
})

/** Throws AppError `invalid_request`. */
export function parseOrderBy(text: string): DomainListQuery['orderBy'] {
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

export const DomainListSchema = t.named('DomainList', 'One page of domains.', {
  domains: t.list(t.ref(DomainSchema), undefined, { maxItems: TAKE_MAX }),
  count: t.count("Number of domains that match, not the page's length."),
})
