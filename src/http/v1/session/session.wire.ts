/** Signing in with an API key: the session of a browser and its principal. */
import { type Static, Type } from 'typebox'
import { OPERATOR_SCOPES, TENANT_SCOPES } from '../../../tenants/scope.ts'
import { named, time } from '../schema.wire.ts'

export const SignInBody = Type.Object({
  key: Type.String({ maxLength: 200, description: "An API key, a tenant's or an operator's." }),
})

const TenantPrincipalSchema = Type.Object({
  kind: Type.Literal('tenant', { type: 'string' }),
  tenant: Type.Object({
    id: Type.String({ description: "The tenant's id in /v1/admin." }),
    clientId: Type.String({ description: 'The `client_id` in the statistics.' }),
    name: Type.String(),
  }),
  scopes: Type.Array(Type.Enum([...TENANT_SCOPES], { type: 'string' })),
})

const OperatorPrincipalSchema = Type.Object({
  kind: Type.Literal('operator', { type: 'string' }),
  scopes: Type.Array(Type.Enum([...OPERATOR_SCOPES], { type: 'string' })),
})

export const SessionSchema = named(
  'Session',
  Type.Object(
    {
      principal: Type.Union([TenantPrincipalSchema, OperatorPrincipalSchema], { description: 'The owner of the key.' }),
      csrfToken: Type.Optional(
        Type.String({
          description: 'To be sent as `X-CSRF-Token`. Absent if the request was made with a key instead of the cookie.',
        }),
      ),
      expiresAt: Type.Optional(time('When the session expires. Absent if there is none.')),
      brand: Type.String({ description: "The operator's brand, part of a field's name; empty if there is none." }),
      serviceMessageIdField: Type.String({ description: 'The name of the field `service_message_id` in events.' }),
      retentionDays: Type.Number({ description: 'Retention period of events in days.' }),
    },
    { description: 'The caller, and when the session expires.' },
  ),
)
export type Session = Static<typeof SessionSchema>
