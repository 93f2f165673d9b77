/** /v1/admin/secrets: generations of the data secret, never the secrets themselves. */
import * as t from '../../../../lib/json-schema.ts'

export const SecretsSchema = t.named('Secrets', {
  keptBy: t.oneOf(
    ['folder', 'operator', 'store'],
    'Who keeps the newest secret: the data folder in `master.key`, the operator (`ENVELOG_SECRET_FILE`, `ENVELOG_SECRET`), or the PostgreSQL database that several servers share.',
  ),
  secrets: t.list(
    t.object({
      id: t.text('Derived from the secret; it reveals nothing of it.'),
      isNewest: t.flag('The newest encrypts and signs; the earlier ones are accepted until they are forgotten.'),
      createdAt: t.time('When it became the newest.'),
      resealedAt: t.timeOrNull(
        'When all private keys were encrypted with it. Null: not yet, or it was replaced before.',
      ),
    }),
    'Newest first.',
  ),
})
export type Secrets = t.Static<typeof SecretsSchema>

export const SecretParams = t.object({ id: t.text('The id of a secret.') })

/** While a rotation runs. */
export interface RotationProgress {
  /** Domains whose private keys are encrypted with the new secret. */
  readonly domains: number
}

/** The last line of a rotation. */
export interface RotationResult {
  readonly id: string
  readonly previousId: string
  /** Private keys that were encrypted again. */
  readonly resealed: number
  /** Private keys that no known secret decrypts. */
  readonly unreadable: number
}
