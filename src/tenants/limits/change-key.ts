/** Changes the limits of a key. Its owner and scopes stay: a key that may do something else is another key. */
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ApiKeyRecord, KeyStore } from '../key-store.ts'
import { type KeyChange, parseKeyChange } from './key-limits.ts'

export interface ChangeKeyDeps {
  readonly keys: Pick<KeyStore, 'changeKey' | 'findKey'>
  readonly clock: Clock
}

/** Rejects with `invalid_request`, `not_found`, or `conflict` for a key that is revoked or expired. */
export async function changeKey({ keys, clock }: ChangeKeyDeps, id: string, asked: KeyChange): Promise<ApiKeyRecord> {
  const nowMs = clock()
  const isChanged = await keys.changeKey(id, parseKeyChange(asked, nowMs), nowMs)
  const key = await keys.findKey(id)
  if (!key) throw new AppError('not_found', 'API key not found')
  if (isChanged) return key
  const state = key.revokedAtMs === undefined ? 'has expired' : 'is revoked'
  throw new AppError('conflict', `The key ${state} and cannot be changed. Create another one`)
}
