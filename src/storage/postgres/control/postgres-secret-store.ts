/** Generations of the data secret in PostgreSQL. */
import { AppError } from '../../../lib/app-error.ts'
import type { SecretStore } from '../../../lib/sealing/secret-store.ts'
import { type GenerationRow, toGeneration } from '../../rows/generation-row.ts'
import { LOCKS } from '../database/locks.ts'
import type { Postgres } from '../database/postgres.ts'

const SELECT = `
  SELECT id, created_at_ms AS "createdAtMs", resealed_at_ms AS "resealedAtMs", sealed_secret AS "sealedSecret"
  FROM secret_generation ORDER BY number`
const INSERT = `
  INSERT INTO secret_generation (number, id, created_at_ms, resealed_at_ms, sealed_secret) VALUES ($1, $2, $3, $4, $5)`

export function createSecretStore(db: Postgres): SecretStore {
  return {
    listGenerations: async () => (await db.all<GenerationRow>(SELECT)).map(toGeneration),
    async replaceGenerations(generations, newestId) {
      await db.transaction(async (statements) => {
        await statements.run('SELECT pg_advisory_xact_lock($1)', LOCKS.secrets)
        if ((await statements.all<GenerationRow>(SELECT))[0]?.id !== newestId) {
          throw new AppError('conflict', 'The secret was changed at the same time. Retry.')
        }
        await statements.run('DELETE FROM secret_generation')
        for (const [number, { id, createdAtMs, resealedAtMs = null, sealedSecret = null }] of generations.entries()) {
          await statements.run(INSERT, number, id, createdAtMs, resealedAtMs, sealedSecret)
        }
      })
    },
  }
}
