/** Who makes a request: the holder of a valid key, or a local caller, who needs none. */
import { OPERATOR_SCOPES, type OperatorScope, type TenantScope } from './scope.ts'

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

/** The owner of the data folder, at work on the server's own machine. Needs no key: the folder itself holds every secret. */
export const LOCAL_OPERATOR: OperatorPrincipal = { kind: 'operator', keyId: 'local', scopes: OPERATOR_SCOPES }
