/** GET and POST /v1/admin/keys, POST and DELETE /v1/admin/keys/{id}. */
import { AppError } from '../../../lib/app-error.ts'
import { createKey } from '../../../tenants/create-key.ts'
import type { ApiKeyRecord } from '../../../tenants/key-store.ts'
import { changeKey } from '../../../tenants/limits/change-key.ts'
import { isExpired } from '../../../tenants/limits/key-limits.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { type AddAdminRoute, created, json, noContent } from '../../routes/route.ts'
import { toKeyChange } from './key-limits-body.ts'
import {
  ApiKeySchema,
  ApiKeysSchema,
  ChangedKeyBody,
  CreatedKeySchema,
  type KEY_ORDERS,
  KeyParams,
  KeysQuery,
  NewKeyBody,
  toWireKey,
} from './keys.wire.ts'

type CompareKeys = (one: ApiKeyRecord, other: ApiKeyRecord) => number

/** The newest come first where the rest is equal. */
const ORDERS: Readonly<Record<(typeof KEY_ORDERS)[number], CompareKeys>> = {
  '-created': (one, other) => other.createdAtMs - one.createdAtMs,
  created: (one, other) => one.createdAtMs - other.createdAtMs,
  name: byText(({ name }) => name),
  tenant: byText(({ tenant }) => tenant?.name),
  '-used': (one, other) => lastUse(other) - lastUse(one),
  used: (one, other) => lastUse(one) - lastUse(other),
  expires: (one, other) => expiry(one) - expiry(other),
}

/** A key that was never used comes before all that were. */
function lastUse({ lastUsedAtMs = 0 }: ApiKeyRecord): number {
  return lastUsedAtMs
}

function expiry({ expiresAtMs = Number.MAX_SAFE_INTEGER }: ApiKeyRecord): number {
  return expiresAtMs
}

/** By code point in lower case, which is the same on every machine. Absent ones last. */
function byText(textOf: (key: ApiKeyRecord) => string | undefined): CompareKeys {
  const foldedOf = (key: ApiKeyRecord) => textOf(key)?.toLowerCase()
  return (one, other) => {
    const [a, b] = [foldedOf(one), foldedOf(other)]
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
    return Number(a > b) - Number(a < b)
  }
}

/** Of a whole key, its id is searched for. */
function isFoundBy(search: string): (key: ApiKeyRecord) => boolean {
  const text = (/^env_([0-9A-Za-z]{12})/.exec(search)?.[1] ?? search).normalize('NFC').toLowerCase()
  return ({ id, name = '', tenant }) =>
    [id, name, tenant?.name ?? 'operator'].some((part) => part.toLowerCase().includes(text))
}

export function addKeys(route: AddAdminRoute, { storage, keyUses, clock }: AdministrationDeps): void {
  const { keys } = storage.control

  route('GET /v1/admin/keys', {
    operationId: 'listKeys',
    access: { operator: 'read' },
    summary: 'List API keys',
    description:
      'API keys of all tenants and of the operator, including revoked and expired ones. The keys themselves are not stored.',
    query: KeysQuery,
    answer: json('One page of keys, or all of them.', ApiKeysSchema),
    async handle({ query: { search = '', valid, scope, sort, skip, take } }) {
      // Uses are written in batches; write the pending ones first. A failure only makes the list slightly older.
      await keyUses.flush().catch(() => undefined)
      const nowMs = clock()
      const isValid = (key: ApiKeyRecord) => key.revokedAtMs === undefined && !isExpired(key, nowMs)
      const found = (await keys.listKeys())
        .toReversed()
        .filter((key) => isFoundBy(search)(key) && (valid === undefined || isValid(key) === valid))
        .filter(({ scopes }) => scope === undefined || scopes.includes(scope))
        .sort(ORDERS[sort])
      const page = found.slice(skip, take === undefined ? undefined : skip + take)
      return { keys: page.map(toWireKey), count: found.length }
    },
  })

  route('POST /v1/admin/keys', {
    operationId: 'createKey',
    summary: 'Create an API key',
    description: 'For a tenant or for the operator. The key is returned only in this response.',
    body: NewKeyBody,
    answer: created(CreatedKeySchema),
    refusals: ['invalid_request', 'not_found', 'quota_exceeded', 'storage_unavailable'],
    async handle({ body, about }) {
      const { tenant, scopes = [], ...limits } = await body()
      const owner = tenant === undefined ? ('operator' as const) : { tenantName: tenant }
      // One time for both, so that the period of validity is exactly what was asked for.
      const nowMs = clock()
      const key = await createKey({ keys, clock: () => nowMs }, owner, scopes, toKeyChange(limits, nowMs))
      about(key.id)
      return key
    },
  })

  route('POST /v1/admin/keys/:id', {
    operationId: 'changeKey',
    summary: 'Change an API key',
    description:
      'Its name, expiry or networks; fields that are not sent stay as they are. Takes effect within two seconds. Owner and ' +
      'scopes of a key cannot be changed. 409 if the key is revoked or has expired.',
    params: KeyParams,
    body: ChangedKeyBody,
    answer: json('The changed key.', ApiKeySchema),
    refusals: ['invalid_request', 'conflict', 'storage_unavailable'],
    handle: async ({ params, body }) =>
      toWireKey(await changeKey({ keys, clock }, params.id, toKeyChange(await body(), clock()))),
  })

  route('DELETE /v1/admin/keys/:id', {
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'Takes effect within two seconds, also for its sessions. Revoking a key again has no effect.',
    params: KeyParams,
    answer: noContent('Revoked.'),
    refusals: ['storage_unavailable'],
    async handle({ params }) {
      if (!(await keys.revokeKey(params.id, clock()))) throw new AppError('not_found', 'API key not found')
    },
  })
}
