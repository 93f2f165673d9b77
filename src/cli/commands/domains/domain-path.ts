/** The path of a domain, as the user typed it, in the administration API. */
import { PROGRAM } from '../../../lib/program-name.ts'

export function domainPath(name: string): string {
  return `/v1/admin/domains/${encodeURIComponent(name)}`
}

export function ifNoDomain(name: string): string {
  return `No domain is named ${JSON.stringify(name)}. See ${PROGRAM} domain list, or add it with: ${PROGRAM} domain add NAME --tenant TENANT`
}
