/** The domain that somebody typed, or a refusal that says how to go on. */
import type { Domain } from '../domains/domain.ts'
import { requireDomain } from '../domains/require-domain.ts'
import { AppError } from '../lib/app-error.ts'
import type { Service } from '../open-service.ts'
import { PROGRAM } from './help.ts'

export async function requireNamedDomain({ storage }: Service, name: string): Promise<Domain> {
  try {
    return await requireDomain(storage.domains, name)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'domain_not_found') throw error
    throw new AppError(
      'not_found',
      `There is no domain named ${JSON.stringify(name)}. See ${PROGRAM} domain list, or add it with: ${PROGRAM} domain add NAME --tenant TENANT`,
    )
  }
}
