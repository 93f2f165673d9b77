/** Follows a removal until it is finished, and describes it. */
import { setTimeout as delay } from 'node:timers/promises'
import { EXIT } from '../../describe-failure.ts'
import type { Removal } from '../../http/v1/administration/removal/removals.wire.ts'
import type { Context, Outcome } from '../command/command.ts'
import { formatCount } from '../text/text-table.ts'

export interface FollowOptions {
  /** False with `--no-wait`. */
  readonly wait?: boolean
}

export const NO_WAIT: readonly [string, string] = [
  '--no-wait',
  'do not wait until nothing is left on the disk; the server continues, and removal show prints the receipt',
]

const POLL_MS = { min: 50, max: 2000 } as const

export async function followRemoval(
  { client, program }: Context,
  begun: Removal,
  { wait = true }: FollowOptions,
): Promise<Outcome> {
  let removal = begun
  for (
    let pauseMs: number = POLL_MS.min;
    wait && removal.state === 'running';
    pauseMs = Math.min(POLL_MS.max, pauseMs * 2)
  ) {
    await delay(pauseMs)
    removal = await client.request<Removal>('GET', `/v1/admin/removals/${removal.id}`)
  }
  return describeRemoval(removal, program)
}

export function describeRemoval(removal: Removal, program: string): Outcome {
  const { id, kind, object, state, requestedAt, requestedBy, finishedAt, days, deletedFiles, problems } = removal
  const exitCode = state === 'incomplete' ? EXIT.failed : EXIT.ok
  const found = [
    `${formatCount(removal.events, 'event')} of ${formatCount(days.length, 'day')}`,
    formatCount(removal.quarantined, 'rejected record'),
    formatCount(removal.hits, 'open or click', 'opens and clicks'),
  ]
  const text = [
    `Removal ${id} (${kind} ${object}): ${state}.`,
    `  Requested ${requestedAt} by ${requestedBy}${finishedAt === null ? '' : `, finished ${finishedAt}`}.`,
    `  Removed ${found.join(', ')}.`,
    ...deletedFiles.map((file) => `  Deleted the damaged file events/${file}, which contained removed data.`),
    ...problems.map(({ day, problem }) => `  ${day} could not be examined: ${problem}`),
    `  ${removal.backups}`,
    ...(state === 'running' ? [`  The server continues. See: ${program} removal show ${id}`] : []),
  ].join('\n')
  return { json: removal, text, exitCode }
}
