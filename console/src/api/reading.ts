/** Whose mail the pages show: a tenant its own, an operator that of all tenants or of the one in the address. */
import { useMemo } from 'react'
import { useRouter } from 'wouter'
import { useCurrentSession } from './session.ts'

/** Addresses of one tenant's pages begin with this and the tenant's id. Everything inside is linked relative to it. */
const PREFIX = '/tenant/'

export function baseOf(tenantId: string | undefined): string {
  return tenantId === undefined ? '' : `${PREFIX}${tenantId}`
}

/** The tenant that an absolute path is about. */
export function tenantIn(path: string): string | undefined {
  return /^\/tenant\/([\w-]+)(?:\/|$)/.exec(path)?.[1]
}

export interface Reading {
  readonly isOperator: boolean
  /** Undefined: all tenants, or the signed-in one. */
  readonly tenantId: string | undefined
  /** The path of an endpoint that tenants have under /v1, and operators under /v1/admin. */
  readonly pathOf: (path: `/${string}`, params?: URLSearchParams | string) => string
}

export function useReading(): Reading {
  const isOperator = useCurrentSession().principal.kind === 'operator'
  const { base } = useRouter()
  return useMemo(() => {
    const tenantId = isOperator ? tenantIn(base) : undefined
    return {
      isOperator,
      tenantId,
      pathOf(path, params = '') {
        const asked = [tenantId === undefined ? '' : `tenant=${tenantId}`, String(params)].filter((part) => part !== '')
        return `/v1${isOperator ? '/admin' : ''}${path}${asked.length === 0 ? '' : `?${asked.join('&')}`}`
      },
    }
  }, [isOperator, base])
}
