/** Answers of the health endpoints. */
import { Type } from 'typebox'

export const HEALTH = 'Health'

export const HealthSchema = Type.Object(
  {
    status: Type.Enum(['ok', 'ready'], { type: 'string', description: 'Always the good news; bad news is an error.' }),
  },
  { $id: HEALTH },
)
