/** The DKIM keys of a domain, for people and as JSON; never their private halves. */

import type { DkimKey, Domain } from '../domains/domain.ts'
import { findKeyRecord } from '../domains/records/dkim-keys.ts'
import { toIsoTime } from '../lib/clock.ts'
import { formatTable } from './text-table.ts'

export function toKeysJson(domain: Domain): object {
  return {
    name: domain.name,
    keys: domain.dkimKeys.map((key) => {
      const { selector, algorithm, state, createdAtMs } = key
      const record = findKeyRecord(domain, key)
      return { selector, algorithm, state, createdAt: toIsoTime(createdAtMs), ...(record && { dnsRecord: record }) }
    }),
  }
}

export function describeKeys(domain: Domain): string {
  return formatTable(
    ['SELECTOR', 'ALGORITHM', 'STATE', 'RECORD', 'CREATED'],
    domain.dkimKeys.map((key) => [
      key.selector,
      key.algorithm,
      key.state,
      findKeyRecord(domain, key)?.status ?? 'none',
      toIsoTime(key.createdAtMs),
    ]),
    `${domain.name} has no DKIM key.`,
  )
}

const ALGORITHM_NAMES: Readonly<Record<DkimKey['algorithm'], string>> = { rsa: 'RSA, 2048 bits', ed25519: 'Ed25519' }

export function describeAlgorithm({ algorithm }: Pick<DkimKey, 'algorithm'>): string {
  return ALGORITHM_NAMES[algorithm]
}
