/** /v1/admin/removals: removals of tenants, domains and recipients, and their receipts. */
import type { Removal as StoredRemoval } from '../../../../events/removal/removal.ts'
import { toIsoTime } from '../../../../lib/clock.ts'
import * as t from '../../../../lib/json-schema.ts'

const KINDS = ['tenant', 'domain', 'recipient'] as const

const SUMMARY = {
  id: t.text(undefined, { format: 'uuid' }),
  kind: t.oneOf(KINDS),
  object: t.text(
    "The tenant's id, the domain's name, or a digest of the address: `sha256:` and the SHA-256 of `<id>:<address in lower " +
      'case>`, in hexadecimal.',
  ),
  state: t.oneOf(
    ['running', 'finished', 'incomplete'],
    '`running`: nothing of it is visible any more, but it is still being removed from the disk. `incomplete`: finished, except ' +
      'for the days listed in `problems`.',
  ),
  requestedBy: t.text('The id of the key, or `local` for a command on the machine of the server.'),
  requestedAt: t.time('When it was requested.'),
  finishedAt: t.timeOrNull('When nothing was left on the disk; null while it is running.'),
  events: t.count('Events that were erased.'),
  dayCount: t.count('Number of days that they were in.'),
  quarantined: t.count('Quarantined records that were removed.'),
  hits: t.count('Opens and clicks that were removed before they reached the log.'),
}

export const RemovalSummarySchema = t.named('RemovalSummary', SUMMARY)
export type RemovalSummary = t.Static<typeof RemovalSummarySchema>

export const RemovalSchema = t.named('Removal', 'A removal; once it is finished, the receipt.', {
  ...SUMMARY,
  days: t.list(t.text(undefined, { format: 'date' }), 'Days (UTC) that events were erased from.'),
  deletedFiles: t.list(
    t.text(),
    'Damaged files, kept by a repair, that contained removed data. Rows cannot be removed from such a file, so it was deleted as a whole.',
  ),
  problems: t.list(
    t.object({ day: t.text(), problem: t.text() }),
    'Days that could not be read. Repair them, then repeat the removal of a recipient.',
  ),
  backups: t.text('What remains in backups.'),
})
export type Removal = t.Static<typeof RemovalSchema>

export const RemovalsSchema = t.named('Removals', {
  removals: t.list(t.ref(RemovalSummarySchema), 'The last 50, newest first.'),
})
export type Removals = t.Static<typeof RemovalsSchema>

export const RemovalParams = t.object({ id: t.text("The removal's id.") })

export const ErasureBody = t.object({
  address: t.text('The address of the recipient. Letter case is ignored.', { maxLength: 1000 }),
})

export const ConfirmQuery = t.object({
  confirm: t.optional(t.text('Required: the name of what is to be removed, to prevent mistakes.', { maxLength: 300 })),
})

export function toWireSummary({ id, kind, object, requestedBy, result, ...removal }: StoredRemoval): RemovalSummary {
  const { finishedAtMs } = removal
  const end = result.problems.length === 0 ? 'finished' : 'incomplete'
  return {
    id,
    kind,
    object,
    state: finishedAtMs === undefined ? 'running' : end,
    requestedBy,
    requestedAt: toIsoTime(removal.requestedAtMs),
    finishedAt: finishedAtMs === undefined ? null : toIsoTime(finishedAtMs),
    events: result.events,
    dayCount: result.units.length,
    quarantined: result.quarantined,
    hits: result.hits,
  }
}

export function toWireRemoval(removal: StoredRemoval): Removal {
  const { result, finishedAtMs } = removal
  return {
    ...toWireSummary(removal),
    days: result.units,
    deletedFiles: result.deletedFiles,
    problems: result.problems.map(({ unit, problem }) => ({ day: unit, problem })),
    backups:
      finishedAtMs === undefined
        ? 'Backups that are made before this is finished may still contain it.'
        : `Backups that were made before ${toIsoTime(finishedAtMs)} still contain it, until they are deleted. ` +
          'After such a backup is restored, repeat the removal.',
  }
}
