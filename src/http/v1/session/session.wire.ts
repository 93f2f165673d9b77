/** Signing in with an API key: the session of a browser and its principal. */
import * as t from '../../../lib/json-schema.ts'
import { ALL_TENANT_SCOPES, OPERATOR_SCOPES } from '../../../tenants/scope.ts'

export const SignInBody = t.object({ key: t.text("An API key, a tenant's or an operator's.", { maxLength: 200 }) })

export const SignOutQuery = t.object({
  everywhere: t.optional(t.flag('Whether to end all sessions of the key, not only this one.')),
})

const TenantPrincipalSchema = t.object({
  kind: t.raw<'tenant'>({ type: 'string', const: 'tenant' }),
  tenant: t.object({
    id: t.text("The tenant's id in /v1/admin."),
    clientId: t.text('The `client_id` in the statistics.'),
    name: t.text(),
  }),
  scopes: t.list(t.oneOf(ALL_TENANT_SCOPES)),
})

const OperatorPrincipalSchema = t.object({
  kind: t.raw<'operator'>({ type: 'string', const: 'operator' }),
  scopes: t.list(t.oneOf(OPERATOR_SCOPES)),
})

export const SessionSchema = t.named('Session', 'The caller, and when the session expires.', {
  principal: t.raw<t.Static<typeof TenantPrincipalSchema> | t.Static<typeof OperatorPrincipalSchema>>(
    { anyOf: [TenantPrincipalSchema, OperatorPrincipalSchema] },
    'The owner of the key.',
  ),
  csrfToken: t.optional(
    t.text('To be sent as `X-CSRF-Token`. Absent if the request was made with a key instead of the cookie.'),
  ),
  expiresAt: t.optional(t.time('When the session expires. Absent if there is none.')),
  brand: t.text("The operator's brand, part of a field's name; empty if there is none."),
  serviceMessageIdField: t.text('The name of the field `service_message_id` in events.'),
  retentionDays: t.raw<number>({ type: 'number' }, 'Retention period of events in days.'),
  addsDomains: t.flag(
    'Whether `POST /v1/domains` is allowed: the key has the scope `addDomains` and the operator lets tenants add domains.',
  ),
  version: t.text('The version of the server.'),
})
export type Session = t.Static<typeof SessionSchema>
