/** GET /v1/admin/tracking-secret. */
import { type Static, Type } from 'typebox'
import { named } from '../../schema.wire.ts'

export const TrackingSecretSchema = named(
  'TrackingSecret',
  Type.Object({ secret: Type.String({ description: '32 bytes, base64url.' }) }),
)
export type TrackingSecret = Static<typeof TrackingSecretSchema>
