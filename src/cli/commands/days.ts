/** `days`: the days of the log, those that are set aside, and how to continue with them. */
import type { StorageUse } from '../../http/v1/administration/storage.wire.ts'
import type { CommandGroup, CommandSpec } from '../command/command.ts'
import { formatCount, formatTable } from '../text/text-table.ts'

const list: CommandSpec = {
  name: 'list',
  description:
    'List the days of the log, and those that are set aside: missing, emptied, damaged, unreadable, or not of this installation.',
  examples: ['days list'],
  async run({ client }) {
    const { days, setAside } = await client.request<StorageUse>('GET', '/v1/admin/storage')
    // A day may be listed as used by a thread that has not closed it yet.
    const used = days.filter(({ day }) => !setAside.some((trouble) => trouble.day === day))
    const rows = [
      ...used.map(({ day, events, bytes }) => [day, String(events), String(bytes)]),
      ...setAside.map(({ day, kind }) => [day, '-', '-', `set aside: ${kind}`]),
    ]
    return {
      json: { days, setAside },
      text: formatTable(
        ['DAY', 'EVENTS', 'BYTES', 'STATE'],
        rows.sort(([a = ''], [b = '']) => (a < b ? 1 : -1)),
        'No events stored yet.',
      ),
      warnings: setAside.map(({ day, kind, detail }) => `${day} is set aside (${kind}): ${detail}`),
    }
  },
}

const accept: CommandSpec = {
  name: 'accept',
  description:
    'Continue with a day that is set aside: without it if it is missing, with what is there if it was emptied. A day that an ' +
    'earlier version wrote is used on your word that it is of this installation.',
  arguments: [['<day>', 'the day, such as 2026-01-31']],
  examples: ['days accept 2026-01-31'],
  async run({ client }, day: string) {
    await client.request('POST', `/v1/admin/days/${encodeURIComponent(day)}/accept`)
    return { json: { day }, text: `${day} is no longer set aside.` }
  },
}

const adopt: CommandSpec = {
  name: 'adopt',
  description:
    'Continue with a control.db that is older than the events, if you have no newer one. Events of domains that it does not know ' +
    'are kept, but not shown. Stop the server first.',
  examples: ['days adopt'],
  isLocal: true,
  async run({ config }) {
    // Loaded only here: storage takes longer to load than most commands take to run.
    const { adoptEvents } = await import('../../data-folder.ts')
    const { days, highestNumber } = adoptEvents(config)
    return {
      json: { days, highestNumber },
      text: `control.db now fits ${formatCount(days, 'day')} of events. Add domains again that are missing: they get numbers above ${highestNumber}.`,
    }
  },
}

export const DAYS: CommandGroup = {
  name: 'days',
  description: 'The days of the log: their sizes, and those that are set aside.',
  commands: [list, accept, adopt],
}
