/** The domain endpoints. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { DnsRecordSchema, DomainSchema, VerificationErrorSchema } from './domain.wire.ts'
import { addListDomains } from './list-domains.ts'
import { addVerifyDomain } from './verify-domain.ts'

export async function addPlatformSurface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  await describeRoutes(scope, 'platform')
  for (const schema of [VerificationErrorSchema, DnsRecordSchema, DomainSchema]) scope.addSchema(schema)
  addListDomains(scope, deps)
  addVerifyDomain(scope, deps)
}
