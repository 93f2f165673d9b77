/** Reports state changes found by a check to the log and the metrics. */
import type { Logger } from 'pino'
import { findChange, type StateChange } from '../../domains/verification/domain-status.ts'
import type { CheckedDomain } from '../../domains/verification/verify-domain.ts'
import type { Metrics } from './metrics.ts'

const MESSAGES: Readonly<Record<StateChange, readonly [level: 'warn' | 'info', message: string]>> = {
  fails: [
    'warn',
    'a verified domain failed its check; it loses its verification if another check in an hour fails too',
  ],
  unverified: ['warn', 'a domain is no longer verified'],
  recovered: ['info', 'a failing domain is correct again'],
  verified: ['info', 'a domain was verified'],
}

export function reportCheck(checked: CheckedDomain, metrics: Pick<Metrics, 'countCheck'>, logger: Logger): void {
  metrics.countCheck(checked)
  const change = findChange(checked.before, checked.after)
  if (!change) return
  const [level, message] = MESSAGES[change]
  const { domain, trigger, findings } = checked
  // Only the types: texts and values are for the tenant and stored with the domain.
  logger[level]({ domain: domain.name, trigger, errors: findings.errors.map(({ type }) => type) }, message)
}
