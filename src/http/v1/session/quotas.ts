/** GET /v1/quotas: a tenant's own quotas. */
import type { FastifyInstance } from 'fastify'
import { toIsoTime } from '../../../lib/clock.ts'
import type { AppDeps } from '../../app-deps.ts'
import { json, routesOf } from '../../routes/route.ts'
import { toWireQuotas } from '../administration/tenants.wire.ts'
import { OwnQuotasSchema } from './quotas.wire.ts'

const DAY_MS = 86_400_000

export function addQuotas(scope: FastifyInstance, { storage, clock, eventQuotas }: AppDeps): void {
  const { keys } = storage.control
  routesOf(scope, 'v1', { tenant: 'domainStats' })('GET /v1/quotas', {
    operationId: 'getQuotas',
    summary: 'Get your quotas',
    description: "The tenant's quotas and their current use.",
    answer: json('The quotas and their use.', OwnQuotasSchema),
    async handle({ caller: { tenantId } }) {
      const nowMs = clock()
      const [tenant, use, allowance] = await Promise.all([
        keys.findTenant(tenantId),
        keys.countUseOf(tenantId, nowMs),
        eventQuotas.find(tenantId),
      ])
      return {
        quotas: toWireQuotas(tenant?.quotas),
        use: { ...use, eventsToday: allowance?.day.used ?? null },
        resetsAt: toIsoTime((Math.floor(nowMs / DAY_MS) + 1) * DAY_MS),
      }
    },
  })
}
