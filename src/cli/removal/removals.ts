/** `erase`: all events to an address. `removal`: what was removed, with receipts. */
import type { Removal, Removals } from '../../http/v1/administration/removal/removals.wire.ts'
import type { CommandGroup, CommandSpec, Context } from '../command/command.ts'
import { formatTable } from '../text/text-table.ts'
import { type ConfirmOptions, confirm, YES } from './confirm.ts'
import { describeRemoval, type FollowOptions, followRemoval, NO_WAIT } from './follow-removal.ts'

export const ERASE: CommandSpec = {
  name: 'erase',
  description: 'Erase all events to an address, of all tenants, and print a receipt.',
  arguments: [['<address>', 'the address of the recipient; letter case is ignored']],
  options: [YES, NO_WAIT],
  help: `Erased are the events and everything derived from them, quarantined records that contain the address, and opens and clicks
that are not in the log yet. Counts stay. The receipt does not contain the address. Stop sending to the address first: events
that arrive later are stored. Backups that were made before still contain it.`,
  examples: ['erase anna@example.org', 'erase anna@example.org --yes --json'],
  async run(context: Context, address: string, options: ConfirmOptions & FollowOptions) {
    await confirm(options, `erases all events to ${address}`, address)
    const removal = await context.client.request<Removal>('POST', '/v1/admin/erasures', { body: { address } })
    return followRemoval(context, removal, options)
  },
}

const list: CommandSpec = {
  name: 'list',
  description: 'List the last removals of tenants, domains and recipients.',
  examples: ['removal list'],
  async run({ client }: Context) {
    const { removals } = await client.request<Removals>('GET', '/v1/admin/removals')
    return {
      json: { removals },
      text: formatTable(
        ['REQUESTED', 'KIND', 'STATE', 'EVENTS', 'BY', 'ID'],
        removals.map(({ requestedAt, kind, state, events, requestedBy, id }) => [
          requestedAt,
          kind,
          state,
          String(events),
          requestedBy,
          id,
        ]),
        'Nothing was removed yet.',
      ),
    }
  },
}

const show: CommandSpec = {
  name: 'show',
  description: 'Show a removal; once it is finished, this is the receipt.',
  arguments: [['<id>', 'as removal list shows it']],
  examples: ['removal show 01a1dd06-cd67-7112-ae2b-611428db5f93'],
  async run({ client, program }: Context, id: string) {
    const ifMissing = `No removal has the id ${JSON.stringify(id)}. See: ${program} removal list`
    const path = `/v1/admin/removals/${encodeURIComponent(id)}`
    return describeRemoval(await client.request<Removal>('GET', path, { ifMissing }), program)
  },
}

export const REMOVAL: CommandGroup = {
  name: 'removal',
  description: 'Removals of tenants, domains and recipients, and their receipts.',
  commands: [list, show],
}
