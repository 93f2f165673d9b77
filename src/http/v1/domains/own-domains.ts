/** POST /v1/domains and DELETE /v1/domains/{name}: a tenant adds domains, where the operator allows it. */
import type { FastifyInstance } from 'fastify'
import { CLAIM_RATE, claimDomain } from '../../../domains/registration/claim-domain.ts'
import { PROOF_MS, UNPROVEN_MAX } from '../../../domains/registration/unproven-domain.ts'
import { AppError } from '../../../lib/app-error.ts'
import { TokenBuckets } from '../../../lib/turns/token-buckets.ts'
import { TENANT_ADDS_DOMAINS } from '../../../tenants/scope.ts'
import type { AppDeps } from '../../app-deps.ts'
import { created, noContent, routesOf } from '../../routes/route.ts'
import { toDomainDetail } from './domain-views.ts'
import { DomainDetailSchema, DomainNameParams, OwnDomainBody } from './domains.wire.ts'
import { requireNamedDomain } from './named-domain.ts'

export function addOwnDomains(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, clock, dkimSealer: sealer, recordOptions, tenantsAddDomains } = deps
  const { domains } = storage.control
  const route = routesOf(scope, 'v1', { tenant: TENANT_ADDS_DOMAINS })
  const allowances = new TokenBuckets(CLAIM_RATE)

  function requireAllowed(): void {
    if (tenantsAddDomains) return
    throw new AppError(
      'forbidden',
      'Tenants cannot add or remove domains on this server. Ask the operator, who can allow it with ENVELOG_ADD_DOMAINS.',
    )
  }

  route('POST /v1/domains', {
    operationId: 'addOwnDomain',
    summary: 'Add a domain',
    description:
      'Creates a DKIM key for it. The response contains the records to publish. It is checked automatically, and its events are ' +
      'accepted once all required records were found in DNS, which proves that it belongs to the tenant. Until then the name is ' +
      `reserved for ${PROOF_MS / 86_400_000} days, and a tenant can have ${UNPROVEN_MAX} such domains. A name that another tenant ` +
      `has is refused as not available. At most ${CLAIM_RATE.burst} at once and ${CLAIM_RATE.perMinute} a minute.`,
    audit: 'change',
    body: OwnDomainBody,
    answer: created(DomainDetailSchema, 'Added.'),
    refusals: ['invalid_request', 'conflict', 'rate_limited', 'quota_exceeded', 'storage_unavailable'],
    async handle({ caller: { tenantId }, body, about }) {
      requireAllowed()
      const asked = await body()
      about(asked.name)
      if (!allowances.take(tenantId, clock())) throw rateLimited()
      return toDomainDetail(await claimDomain({ domains, sealer, clock, ...recordOptions }, tenantId, asked))
    },
  })

  route('DELETE /v1/domains/:name', {
    operationId: 'removeOwnDomain',
    summary: 'Remove a domain that is not proven yet',
    description:
      'For a domain that the tenant added by mistake. One that was verified, or that the operator added, may have events and can ' +
      'be removed only by the operator.',
    audit: 'change',
    params: DomainNameParams,
    answer: noContent('Removed.'),
    refusals: ['conflict', 'storage_unavailable'],
    async handle({ caller: { tenantId }, params: { name } }) {
      requireAllowed()
      const { id } = await requireNamedDomain(domains, name, tenantId)
      if (await domains.removeUnproven(id)) return
      throw new AppError('conflict', 'The domain is in use. Only the operator can remove it.')
    },
  })
}

function rateLimited(): AppError {
  return new AppError(
    'rate_limited',
    `Too many domains were added: at most ${CLAIM_RATE.burst} at once and ${CLAIM_RATE.perMinute} per minute are allowed. ` +
      'Nothing was added; retry later.',
  )
}
