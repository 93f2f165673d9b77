/** `key create`: the only time a key is shown. */
import type { Command } from 'commander'
import { AppError } from '../lib/app-error.ts'
import { createKey, type KeyOwner } from '../tenants/create-key.ts'
import { OPERATOR_SCOPES, TENANT_SCOPES } from '../tenants/scope.ts'
import type { CommandRunner } from './command-runner.ts'
import { examples, PROGRAM } from './help.ts'

interface KeyCreateOptions {
  readonly tenant?: string
  readonly operator?: boolean
  readonly scope?: readonly string[]
}

export function addKeyCreate(parent: Command, runner: CommandRunner): void {
  parent
    .command('create')
    .description(
      "Create an API key: a tenant's, to read its own data, or the operator's, to feed events in and administrate.",
    )
    .option('--tenant <name>', 'the tenant that the key speaks for')
    .option('--operator', 'a key of the operator instead')
    .option(
      '--scope <scope>',
      `what it may do, --scope again for each; tenants: ${TENANT_SCOPES.join(', ')} (all unless given); operator: ${OPERATOR_SCOPES.join(', ')}`,
      append,
    )
    .addHelpText(
      'after',
      examples(
        'key create --tenant Acme',
        'key create --tenant Acme --scope logs --scope domainStats',
        'key create --operator --scope ingest',
      ),
    )
    .action((options: KeyCreateOptions) => {
      const owner = requireOwner(options)
      // The operator's can be the first thing there is; a tenant's needs the tenant.
      const place = 'operator' in owner ? 'withService' : 'withData'
      return runner[place](async ({ storage, clock }) => {
        const created = await createKey({ keys: storage.keys, clock }, owner, options.scope)
        return {
          json: { id: created.id, key: created.key, scopes: created.scopes },
          text: [
            created.key,
            '',
            `Key ${created.id} may: ${created.scopes.join(', ')}.`,
            'Keep it now: it is stored only as a hash and cannot be shown again.',
            `To have it refused with the next request, at the latest within two seconds: ${PROGRAM} key revoke ${created.id}`,
          ].join('\n'),
        }
      })
    })
}

function requireOwner(options: KeyCreateOptions): KeyOwner {
  if (options.operator === true && options.tenant === undefined) return { operator: true }
  if (options.operator !== true && options.tenant !== undefined) return { tenantName: options.tenant }
  throw new AppError('invalid_request', 'Say whose key it is: either --tenant NAME or --operator.')
}

function append(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
}
