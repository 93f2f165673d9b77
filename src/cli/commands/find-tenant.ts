/** The tenant that the user named. */
import type { Tenants } from '../../http/v1/administration/tenants.wire.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Context } from '../command/command.ts'

export async function findTenant(
  { client, program }: Pick<Context, 'client' | 'program'>,
  name: string,
): Promise<Tenants['tenants'][number]> {
  const { tenants } = await client.request<Tenants>('GET', '/v1/admin/tenants')
  const tenant = tenants.find((one) => one.name === name.normalize('NFC'))
  if (tenant) return tenant
  throw new AppError('not_found', `There is no tenant named ${JSON.stringify(name)}. See: ${program} tenant list`)
}

export function tenantPath(id: string): string {
  return `/v1/admin/tenants/${encodeURIComponent(id)}`
}
