/** Generations of the data secret in SQLite. */
import { AppError } from '../../../lib/app-error.ts'
import type { SecretStore } from '../../../lib/sealing/secret-store.ts'
import { type GenerationRow, toGeneration } from '../../rows/generation-row.ts'
import type { Database } from '../database/database.ts'

const SELECT = `
  SELECT id, created_at_ms AS createdAtMs, resealed_at_ms AS resealedAtMs, sealed_secret AS sealedSecret
  FROM secret_generation ORDER BY number`
const INSERT =
  'INSERT INTO secret_generation (number, id, created_at_ms, resealed_at_ms, sealed_secret) VALUES (?, ?, ?, ?, ?)'

export function createSecretStore(db: Database): SecretStore {
  return {
    listGenerations: async () => db.all<GenerationRow>(SELECT).map(toGeneration),
    async replaceGenerations(generations, newestId) {
      db.transaction(() => {
        if (db.all<GenerationRow>(SELECT)[0]?.id !== newestId) {
          throw new AppError('conflict', 'The secret was changed at the same time. Retry.')
        }
        db.run('DELETE FROM secret_generation')
        for (const [number, { id, createdAtMs, resealedAtMs = null, sealedSecret = null }] of generations.entries()) {
          db.run(INSERT, number, id, createdAtMs, resealedAtMs, sealedSecret)
        }
      })
    },
  }
}
