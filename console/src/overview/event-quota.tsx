/** Events of today against the tenant's quota, if it has one. */
import type { OwnQuotas } from '../../../src/http/v1/session/quotas.wire.ts'
import { formatCount, formatPercent } from '../kit/text/format.ts'
import { Ago } from '../kit/text/time.tsx'

/** From this share on, the note is a warning. */
const NEARLY_FULL = 0.9

export function EventQuota({ quotas: own }: { readonly quotas: OwnQuotas | undefined }) {
  const { quotas, use, resetsAt } = own ?? {}
  const quota = quotas?.eventsPerDay ?? null
  const used = use?.eventsToday ?? 0
  if (quota === null || resetsAt === undefined) return null
  const share = quota === 0 ? 1 : used / quota
  return (
    <p className={share >= NEARLY_FULL ? 'field-error' : 'small soft'} role="status">
      Events today: {formatCount(used)} of {formatCount(quota)} ({formatPercent(share)}).{' '}
      {used >= quota && 'Further events are refused or quarantined. '}
      The count is reset <Ago at={resetsAt} />, at midnight UTC.
    </p>
  )
}
