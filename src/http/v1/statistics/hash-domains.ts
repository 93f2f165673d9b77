/** A short name for a set of domains: two sets have the same only if they are the same. */
import { createHash } from 'node:crypto'
import type { LogDomain } from '../../../events/log/log-query.ts'

export function hashDomains(domains: readonly LogDomain[]): string {
  const hash = createHash('sha256')
  for (const { number, name } of domains) hash.update(`${number} ${name}\n`)
  return hash.digest('base64')
}
