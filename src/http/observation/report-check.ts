/** What a check changed, in the log and in the metrics. */
import type { Logger } from 'pino'
import { findChange, type StateChange } from '../../domains/verification/domain-status.ts'
import type { CheckedDomain } from '../../domains/verification/verify-domain.ts'
import type { Metrics } from './metrics.ts'

const MESSAGES: Readonly<Record<StateChange, readonly [level: 'warn' | 'info', message: string]>> = {
  fails: ['warn', 'a verified domain fails its check; it stays verified unless a check in an hour finds the same'],
  unverified: ['warn', 'a domain is no longer verified'],
  recovered: ['info', 'a domain that failed its check is right again'],
  verified: ['info', 'a domain is verified'],
}

export function reportCheck(checked: CheckedDomain, metrics: Pick<Metrics, 'countCheck'>, logger: Logger): void {
  metrics.countCheck(checked)
  const change = findChange(checked.before, checked.after)
  if (!change) return
  const [level, message] = MESSAGES[change]
  const { domain, trigger, findings } = checked
  // Types alone: the texts and values are for the tenant, and with the domain.
  logger[level]({ domain: domain.name, trigger, errors: findings.errors.map(({ type }) => type) }, message)
}
