/** Events of today against the tenant's quota, if it has one. */
import { useQuotas } from '../api/quotas.ts'
import { formatCount, formatPercent } from '../kit/text/format.ts'
import { Ago } from '../kit/text/time.tsx'

/** From this share on, the note is a warning. */
const NEARLY_FULL = 0.9

export function EventQuota() {
  const { data } = useQuotas(60_000)
  const { quotas, use, resetsAt } = data ?? {}
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
