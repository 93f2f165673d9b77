/** `domain deactivate` and `domain remove`. */
import type { AdminDomainDetail } from '../../http/v1/administration/domains/domains.wire.ts'
import type { Removal } from '../../http/v1/administration/removal/removals.wire.ts'
import type { CommandSpec, Context } from '../command/command.ts'
import { domainPath, ifNoDomain } from '../commands/domains/domain-path.ts'
import { toDomainJson } from '../commands/domains/domain-text.ts'
import { type ConfirmOptions, confirm, YES } from './confirm.ts'
import { type FollowOptions, followRemoval, NO_WAIT } from './follow-removal.ts'

const deactivate: CommandSpec = {
  name: 'deactivate',
  description: 'Deactivate a domain: its log stays readable, its new events are quarantined, it is not checked.',
  arguments: [['<name>', 'the domain']],
  examples: ['domain deactivate example.com'],
  async run({ client, program }: Context, name: string) {
    const options = { ifMissing: ifNoDomain(name) }
    const domain = await client.request<AdminDomainDetail>('POST', `${domainPath(name)}/deactivate`, options)
    return {
      json: toDomainJson(domain),
      text: `${domain.name} is not active. Undo it with: ${program} domain activate ${domain.name}`,
    }
  },
}

const remove: CommandSpec = {
  name: 'remove',
  description: 'Remove a domain with its DKIM keys and all of its events. Asks for its name first.',
  arguments: [['<name>', 'the domain']],
  options: [YES, NO_WAIT],
  help: `To keep the events, use domain deactivate instead. The domain does not exist from that moment on; the rest is removed from the
files step by step, also after a restart. Backups that were made before still contain it.`,
  examples: ['domain remove example.com', 'domain remove example.com --yes'],
  async run(context: Context, typed: string, options: ConfirmOptions & FollowOptions) {
    const { client } = context
    const ifMissing = ifNoDomain(typed)
    const { name } = await client.request<AdminDomainDetail>('GET', domainPath(typed), { ifMissing })
    await confirm(options, `removes ${name} with all of its events`, name)
    const query = { confirm: name }
    const removal = await client.request<Removal>('DELETE', domainPath(name), { query, ifMissing })
    return followRemoval(context, removal, options)
  },
}

export const DOMAIN_REMOVAL: readonly CommandSpec[] = [deactivate, remove]
