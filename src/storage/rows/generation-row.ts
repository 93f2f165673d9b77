/** How the table `secret_generation` of an SQL engine is read. */
import type { StoredGeneration } from '../../lib/sealing/secret-store.ts'

export type GenerationRow = {
  id: string
  createdAtMs: number
  resealedAtMs: number | null
  sealedSecret: Uint8Array | null
}

export function toGeneration({ id, createdAtMs, resealedAtMs, sealedSecret }: GenerationRow): StoredGeneration {
  return {
    id,
    createdAtMs,
    ...(resealedAtMs !== null && { resealedAtMs }),
    ...(sealedSecret !== null && { sealedSecret }),
  }
}
