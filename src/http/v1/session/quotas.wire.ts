/** GET /v1/quotas: what the caller's tenant may use, and what it uses. */
import * as t from '../../../lib/json-schema.ts'
import { QUOTAS, Use } from '../administration/tenants.wire.ts'

export const OwnQuotasSchema = t.named('OwnQuotas', 'The quotas of the tenant.', {
  quotas: t.object(QUOTAS, 'The limits of the tenant.'),
  use: Use,
  resetsAt: t.time('When `eventsToday` is reset to 0: the next midnight UTC.'),
})
export type OwnQuotas = t.Static<typeof OwnQuotasSchema>
