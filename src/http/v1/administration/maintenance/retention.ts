/** GET /v1/admin/retention and POST /v1/admin/retention/run: the state of retention, and a run on request. */
import { describeRetention } from '../../../../events/retention/describe-retention.ts'
import type { RetentionStatus } from '../../../../events/retention/retention.ts'
import { toIsoTime } from '../../../../lib/clock.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { type AddAdminRoute, json } from '../../../routes/route.ts'
import {
  RetentionRunBody,
  RetentionRunSchema,
  RetentionStatusSchema,
  type RetentionStatusView,
} from './retention.wire.ts'

const DAY_MS = 86_400_000

export function addRetention(route: AddAdminRoute, { retention, retentionMs }: AdministrationDeps): void {
  route('GET /v1/admin/retention', {
    operationId: 'getRetention',
    access: { operator: 'read' },
    summary: 'Get the state of retention',
    answer: json('The state of retention.', RetentionStatusSchema),
    handle: () => toView(retention.status, retentionMs),
  })

  route('POST /v1/admin/retention/run', {
    operationId: 'runRetention',
    summary: 'Run retention',
    description:
      'Removes what is due, as the server does every hour. One run removes at most three days of events more than the last ' +
      'one, and nothing early while the clock is doubted, unless `confirmClock` is set.',
    body: RetentionRunBody,
    answer: json('What was removed.', RetentionRunSchema),
    refusals: ['storage_unavailable'],
    async handle({ body, about }) {
      const { confirmClock = false } = await body()
      about(confirmClock ? 'clock confirmed' : 'ordinary run')
      const { days, rejected, auditEntries, status } = await retention.run({ isConfirmed: confirmClock })
      return {
        removedDays: days,
        removedRejected: rejected,
        removedAuditEntries: auditEntries,
        retention: toView(status, retentionMs),
      }
    },
  })
}

function toView(status: RetentionStatus, retentionMs: number): RetentionStatusView {
  const { phase, clockMs, timeMs, offMs, believedInMs, completedAtMs, cutoffMs } = status
  return {
    phase,
    explanation: describeRetention(status) ?? null,
    clock: toIsoTime(clockMs),
    expectedTime: toIsoTime(timeMs),
    clockOffsetSeconds: Math.round(offMs / 1000),
    believedInSeconds: Math.ceil(believedInMs / 1000),
    lastRunAt: completedAtMs === undefined ? null : toIsoTime(completedAtMs),
    removedBefore: cutoffMs === undefined ? null : toIsoTime(cutoffMs),
    retentionDays: retentionMs / DAY_MS,
  }
}
