/** Responses of the health endpoints. */
import { Type } from 'typebox'

export const HEALTH = 'Health'

export const HealthSchema = Type.Object(
  {
    status: Type.Enum(['ok', 'ready'], {
      type: 'string',
      description: '`ok` for liveness, `ready` for readiness; any problem is an error response.',
    }),
  },
  { $id: HEALTH },
)
