/** Who makes a request: the holder of a valid key. */
import type { OperatorScope, TenantScope } from './scope.ts'

export interface TenantPrincipal {
  readonly kind: 'tenant'
  readonly keyId: string
  readonly tenantId: string
  readonly clientId: string
  readonly tenantName: string
  readonly scopes: readonly TenantScope[]
}

export interface OperatorPrincipal {
  readonly kind: 'operator'
  readonly keyId: string
  readonly scopes: readonly OperatorScope[]
}

export type Principal = TenantPrincipal | OperatorPrincipal
