/** `secret`: the generations of the data secret, their rotation, and the end of all sessions. */
import type { RotationResult, Secrets } from '../../http/v1/administration/maintenance/secrets.wire.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import type { CommandGroup, CommandSpec, Context, Outcome } from '../command/command.ts'
import { formatCount, formatTable } from '../text/text-table.ts'

const PLACES: Readonly<Record<Secrets['keptBy'], string>> = {
  folder: 'The newest is in master.key in the data folder.',
  operator: 'The newest is kept by the operator (ENVELOG_SECRET_FILE or ENVELOG_SECRET).',
  store: 'The newest is in the PostgreSQL database: a copy of the database can decrypt the private keys in it.',
}

const list: CommandSpec = {
  name: 'list',
  description: 'List the generations of the data secret: ids and dates, never the secret.',
  examples: ['secret list'],
  async run({ client }) {
    const { keptBy, secrets } = await client.request<Secrets>('GET', '/v1/admin/secrets')
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
        PLACES[keptBy],
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
    'Replace the data secret, and encrypt the private keys with the new one. Signatures of earlier secrets stay valid until ' +
    'these are forgotten. If you keep the secret in ENVELOG_SECRET_FILE, first put the new one on a line before the old one.',
  options: [['--sessions', 'replace only the access secret: everybody has to sign in again']],
  examples: ['secret rotate', 'secret rotate --sessions'],
  run: ({ client, program }, { sessions }: { readonly sessions?: boolean }) =>
    sessions ? endSessions(client) : renew(client, program),
}

async function renew(client: Context['client'], program: string): Promise<Outcome> {
  const { id, previousId, resealed, unreadable } = await client.work<RotationResult>('/v1/admin/secrets/rotate')
  return {
    json: { id, previousId, resealed, unreadable },
    text: [
      `The data secret is now ${id}. ${formatCount(resealed, 'private key')} encrypted with it.`,
      `Earlier backups that do not contain their secret need ${previousId}: keep it as long as you keep them.`,
      '',
      'Copy the new keys to mail servers that create return paths or tracking links:',
      `  ${program} return-path --export-key`,
      `  ${program} track secret`,
      `Signatures of the secret ${previousId} stay valid until you forget it:`,
      `  ${program} secret forget ${previousId}`,
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
    'Forget an earlier data secret: return paths, tracking links and page tokens that it signed are no longer valid.',
  arguments: [['<id>', `its id, as ${PROGRAM} secret list shows it`]],
  examples: ['secret forget 5f0c9d1e5b7a2468'],
  async run({ client }, id: string) {
    await client.request('DELETE', `/v1/admin/secrets/${encodeURIComponent(id)}`)
    return { json: { id }, text: `The secret ${id} was forgotten: what it signed is no longer valid.` }
  },
}

export const SECRET: CommandGroup = {
  name: 'secret',
  description: 'The data secret, which encrypts private keys and signs references and links.',
  commands: [list, rotate, forget],
}
