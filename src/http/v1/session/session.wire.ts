/** Signing in with an API key: a cookie for browsers, and who it speaks for. */
import { type Static, Type } from 'typebox'
import { OPERATOR_SCOPES, TENANT_SCOPES } from '../../../tenants/scope.ts'
import { named, time } from '../schema.wire.ts'

export const SignInBody = Type.Object({
  key: Type.String({ maxLength: 200, description: "An API key, a tenant's or an operator's." }),
})

const TenantPrincipalSchema = Type.Object({
  kind: Type.Literal('tenant', { type: 'string' }),
  tenant: Type.Object({
    id: Type.String({ description: 'The id that the administration knows the tenant by.' }),
    clientId: Type.String({ description: 'The `client_id` of the statistics.' }),
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
      principal: Type.Union([TenantPrincipalSchema, OperatorPrincipalSchema], { description: 'Whose key it is.' }),
      csrfToken: Type.Optional(
        Type.String({
          description:
            'To be sent as `X-CSRF-Token`. Absent where the request was made with a key and not with the cookie.',
        }),
      ),
      expiresAt: Type.Optional(time('When the session ends by itself. Absent where there is none.')),
      brand: Type.String({ description: "The operator's brand, part of a field's name; empty where there is none." }),
      serviceMessageIdField: Type.String({ description: 'The name that `service_message_id` has in events.' }),
      retentionDays: Type.Number({ description: 'For how many days events are kept.' }),
    },
    { description: 'Who is asking, and until when.' },
  ),
)
export type Session = Static<typeof SessionSchema>
