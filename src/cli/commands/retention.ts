/** `retention`: its state, and a run on request. */
import type { RetentionRunView, RetentionStatusView } from '../../http/v1/administration/maintenance/retention.wire.ts'
import type { CommandGroup, CommandSpec } from '../command/command.ts'
import { formatCount } from '../text/text-table.ts'

const status: CommandSpec = {
  name: 'status',
  description: 'Show what retention has removed, and whether it doubts the clock.',
  examples: ['retention status'],
  async run({ client }) {
    const found = await client.request<RetentionStatusView>('GET', '/v1/admin/retention')
    return { json: found, text: describe(found), warnings: warningsOf(found) }
  },
}

const run: CommandSpec = {
  name: 'run',
  description: 'Remove what is older than the retention period now, instead of within the hour.',
  options: [
    [
      '--confirm',
      'confirm that the clock and ENVELOG_RETENTION are right: do not wait, and remove everything that is due at once',
    ],
  ],
  examples: ['retention run', 'retention run --confirm'],
  async run({ client }, { confirm = false }: { readonly confirm?: boolean }) {
    const body = { confirmClock: confirm }
    const done = await client.request<RetentionRunView>('POST', '/v1/admin/retention/run', { body })
    const { removedDays, removedRejected, removedAuditEntries, retention } = done
    const removed = [
      removedDays.length > 0 && `${formatCount(removedDays.length, 'day')} (${removedDays.join(', ')})`,
      removedRejected > 0 && formatCount(removedRejected, 'rejected record'),
      removedAuditEntries > 0 && formatCount(removedAuditEntries, 'audit entry', 'audit entries'),
    ].filter((part) => part !== false)
    return {
      json: done,
      text: removed.length === 0 ? 'Nothing was removed.' : `Removed ${removed.join(', ')}.`,
      warnings: warningsOf(retention),
    }
  },
}

function describe({ retentionDays, clock, removedBefore, lastRunAt }: RetentionStatusView): string {
  return [
    `Retention period: ${retentionDays} days`,
    `Clock:            ${clock}`,
    `Removed before:   ${removedBefore ?? 'no run yet'}`,
    `Last run:         ${lastRunAt ?? 'none yet'}`,
  ].join('\n')
}

function warningsOf({ explanation }: RetentionStatusView): readonly string[] {
  return explanation === null ? [] : [explanation]
}

export const RETENTION: CommandGroup = {
  name: 'retention',
  description: 'Retention: what was removed, and a run after a long downtime.',
  commands: [status, run],
}
