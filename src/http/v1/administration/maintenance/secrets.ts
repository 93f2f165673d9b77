/** /v1/admin/secrets: list, rotate and forget the generations of the data secret; and end all sessions. */
import { completeRotation } from '../../../../domains/keys/reseal-keys.ts'
import { toIsoTime } from '../../../../lib/clock.ts'
import * as t from '../../../../lib/json-schema.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { type AddAdminRoute, content, json, noContent } from '../../../routes/route.ts'
import { type Jobs, ROTATION } from './jobs.ts'
import { NDJSON, sendProgress } from './progress-lines.ts'
import { type RotationProgress, type RotationResult, SecretParams, SecretsSchema } from './secrets.wire.ts'
import { unwritable } from './unwritable.ts'

export function addSecrets(route: AddAdminRoute, deps: AdministrationDeps, jobs: Jobs): void {
  const { storage, dataSecret, accessSecret, dkimSealer: sealer } = deps
  const { domains } = storage.control
  /** A backup would get one secret and the database of another. */
  const begin = () => jobs.begin(ROTATION, 'backup')

  route('GET /v1/admin/secrets', {
    operationId: 'listSecrets',
    access: { operator: 'read' },
    summary: 'List the generations of the data secret',
    description: 'Their ids and dates, never the secrets.',
    answer: json('The generations.', SecretsSchema),
    handle: () => ({
      keptBy: dataSecret.place,
      secrets: dataSecret.keyring.generations.map(({ id, createdAtMs, resealedAtMs }, index) => ({
        id,
        isNewest: index === 0,
        createdAt: toIsoTime(createdAtMs),
        resealedAt: resealedAtMs === undefined ? null : toIsoTime(resealedAtMs),
      })),
    }),
  })

  route('POST /v1/admin/secrets/rotate', {
    operationId: 'rotateSecret',
    summary: 'Rotate the secret',
    description:
      'Replaces the data secret, and encrypts all private keys with the new one. If the operator keeps the secret, the new one has to ' +
      'be the first in `ENVELOG_SECRET_FILE` or `ENVELOG_SECRET`. Signatures of earlier secrets stay valid until these are ' +
      'forgotten. Mail servers that sign need the new keys: `GET /v1/admin/return-paths/key` and ' +
      '`GET /v1/admin/tracking-secret`. While it runs, a line `{"domains"}` is written from time to time. The last line is ' +
      '`{"id", "previousId", "resealed", "unreadable"}`, or `{"error", "message"}`. An interrupted rotation is completed by the ' +
      'next start.',
    answer: content('Progress and result.', { [NDJSON]: t.text() }),
    refusals: ['conflict', 'storage_unavailable'],
    async handle({ request, reply }) {
      const job = begin()
      return sendProgress(request, reply, async (report): Promise<RotationResult> => {
        using _job = job
        const previousId = dataSecret.keyring.generations[0].id
        const { id } = await dataSecret.rotate().catch((error: unknown) => {
          throw unwritable('secret', error) ?? error
        })
        const onProgress = (done: number) => report({ domains: done } satisfies RotationProgress)
        const result = await completeRotation({ domains, sealer, dataSecret }, onProgress)
        return { id, previousId, ...result }
      })
    },
  })

  route('DELETE /v1/admin/secrets/:id', {
    operationId: 'forgetSecret',
    summary: 'Forget an earlier data secret',
    description:
      'References, tracking links and page tokens that it signed are no longer accepted. 409 for the newest secret, and while ' +
      'private keys may still be encrypted with it.',
    params: SecretParams,
    answer: noContent('Forgotten.'),
    refusals: ['conflict', 'storage_unavailable'],
    async handle({ params: { id } }) {
      using _job = begin()
      // Again: a key that was made during the rotation may have been encrypted with the earlier secret.
      await completeRotation({ domains, sealer, dataSecret })
      await dataSecret.forget(id)
    },
  })

  route('POST /v1/admin/sessions/end', {
    operationId: 'endSessions',
    summary: 'End all sessions',
    description:
      'Replaces the access secret: everybody has to sign in again. API keys stay valid. Other servers of the installation follow ' +
      'within two seconds.',
    answer: noContent('Ended.'),
    refusals: ['storage_unavailable'],
    async handle() {
      await accessSecret.rotate().catch((error: unknown) => {
        throw unwritable('secret', error) ?? error
      })
    },
  })
}
