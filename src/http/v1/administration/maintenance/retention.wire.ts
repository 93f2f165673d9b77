/** GET /v1/admin/retention and POST /v1/admin/retention/run. */
import * as t from '../../../../lib/json-schema.ts'

export const RetentionStatusSchema = t.named('RetentionStatus', 'The state of retention.', {
  phase: t.oneOf(
    ['on_time', 'waiting', 'catching_up'],
    '`waiting`: the clock jumped and may be wrong, so nothing is removed early. `catching_up`: more is due than one run removes.',
  ),
  explanation: t.textOrNull('Why less is removed than is due, and what to do; null if that is not so.'),
  clock: t.time("The server's clock."),
  expectedTime: t.time('The time by which data expires.'),
  clockOffsetSeconds: t.integer(
    'How far the clock is ahead of the expected time; negative if behind; 0 unless it is doubted.',
  ),
  believedInSeconds: t.count('Running time after which a clock that is doubted will be believed.'),
  lastRunAt: t.timeOrNull('The last run without errors.'),
  removedBefore: t.timeOrNull('Days that ended before this were removed.'),
  retentionDays: t.raw<number>({ type: 'number' }, 'Retention period of events in days.'),
})
export type RetentionStatusView = t.Static<typeof RetentionStatusSchema>

export const RetentionRunBody = t.object({
  confirmClock: t.optional(
    t.flag(
      'Whether you confirm that the clock and the retention period are right: everything due is then removed at once.',
    ),
  ),
})

export const RetentionRunSchema = t.named('RetentionRun', 'What a run of retention removed.', {
  removedDays: t.list(t.text('UTC.', { format: 'date' })),
  removedRejected: t.count('Rejected records.'),
  removedAuditEntries: t.count('Entries of the audit log.'),
  retention: t.ref(RetentionStatusSchema),
})
export type RetentionRunView = t.Static<typeof RetentionRunSchema>
