/** `secret`: the generations of the secret that encrypts and signs, their rotation, and the end of all sessions. */
import type { RotationResult, Secrets } from '../../http/v1/administration/maintenance/secrets.wire.ts'
import type { CommandGroup, CommandSpec, Context, Outcome } from '../command/command.ts'
import { formatCount, formatTable } from '../text/text-table.ts'

const list: CommandSpec = {
  name: 'list',
  description: 'List the generations of the secret: ids and dates, never the secret.',
  examples: ['secret list'],
  async run({ client }) {
    const { keptBy, secrets } = await client.request<Secrets>('GET', '/v1/admin/secrets')
    const place =
      keptBy === 'folder'
        ? 'The newest is in master.key in the data folder.'
        : 'The newest is kept by the operator (ENVELOG_SECRET_FILE or ENVELOG_SECRET).'
    return {
      json: { keptBy, secrets },
      text: [
        formatTable(
          ['ID', 'CREATED', 'STATE'],
          secrets.map(({ id, createdAt, isNewest, resealedAt }) => [
            id,
            createdAt,
            describeState(isNewest, resealedAt),
          ]),
          '',
        ),
        place,
      ].join('\n'),
    }
  },
}

function describeState(isNewest: boolean, resealedAt: string | null): string {
  if (!isNewest) return 'accepted'
  return resealedAt === null ? 'newest, private keys are being encrypted with it' : 'newest'
}

const rotate: CommandSpec = {
  name: 'rotate',
  description:
    'Make a new secret, and encrypt the private keys with it. Earlier secrets stay valid for what they signed until they are ' +
    'forgotten. If you keep the secret yourself, first put the new one before the old one, in ENVELOG_SECRET_FILE.',
  options: [['--sessions', 'rotate only the secret of sessions: everybody has to sign in again']],
  examples: ['secret rotate', 'secret rotate --sessions'],
  run: ({ client }, { sessions }: { readonly sessions?: boolean }) => (sessions ? endSessions(client) : renew(client)),
}

async function renew(client: Context['client']): Promise<Outcome> {
  const { id, previousId, resealed, unreadable } = await client.work<RotationResult>('/v1/admin/secrets/rotate')
  return {
    json: { id, previousId, resealed, unreadable },
    text: [
      `The secret is now ${id}. ${formatCount(resealed, 'private key')} encrypted with it.`,
      'Copy the new keys to mail servers that sign: return-path --export-key, and track secret.',
      `What ${previousId} signed stays valid until: secret forget ${previousId}`,
      `Backups without the secret that were made before now need ${previousId}: keep it as long as you keep them.`,
    ].join('\n'),
    warnings:
      unreadable > 0 ? [`${formatCount(unreadable, 'private key')} cannot be decrypted with any known secret.`] : [],
  }
}

async function endSessions(client: Context['client']): Promise<Outcome> {
  await client.request('POST', '/v1/admin/sessions/end')
  return { json: { ok: true }, text: 'All sessions have ended: everybody has to sign in again.' }
}

const forget: CommandSpec = {
  name: 'forget',
  description:
    'Forget an earlier secret: return paths, tracking links and page tokens that it signed are no longer valid.',
  arguments: [['<id>', 'its id, as secret list shows it']],
  examples: ['secret forget 5f0c9d1e5b7a2468'],
  async run({ client }, id: string) {
    await client.request('DELETE', `/v1/admin/secrets/${encodeURIComponent(id)}`)
    return { json: { id }, text: `The secret ${id} is forgotten.` }
  },
}

export const SECRET: CommandGroup = {
  name: 'secret',
  description: 'The secret that encrypts private keys and signs references and links.',
  commands: [list, rotate, forget],
}
