/** /v1/admin/audit: who did what in the administration. */
import {
  ACTOR_TYPES,
  AUDIT_KINDS,
  AUDIT_OUTCOMES,
  type AuditEntry as StoredEntry,
} from '../../../../audit/audit-entry.ts'
import { toIsoTime } from '../../../../lib/clock.ts'
import * as t from '../../../../lib/json-schema.ts'
import { WindowParameters } from '../../log/event-filters.wire.ts'

const EXACT = { minLength: 1, maxLength: 200 }

export const AUDIT_FORMATS = ['json', 'csv', 'ndjson'] as const

const KIND_TEXT =
  '`administration`: actions of callers with the scope `admin`, sign-ins included. `session`: sign-ins and sign-outs of other ' +
  'keys. `reading`: an operator has read events or messages of tenants; the object says of which. `denied`: failed sign-ins, and requests to the administration without a valid key or scope.'

export const AuditQuery = t.object({
  ...WindowParameters.properties,
  kind: t.optional(t.oneOf(AUDIT_KINDS, `Only entries of this kind. ${KIND_TEXT}`)),
  actor: t.optional(t.text('Only entries of the key with this id, or of the local user with this name.', EXACT)),
  action: t.optional(t.text('Only entries of this operation, such as `createKey`.', EXACT)),
  outcome: t.optional(t.oneOf(AUDIT_OUTCOMES, 'Only entries with this outcome.')),
  cursor: t.optional(t.count('`next` of the previous page. Send it with the same filters.')),
  limit: t.pageSize(100, 1000, 'Page size. Ignored for files.'),
  format: t.preset(
    t.oneOf(AUDIT_FORMATS, '`json`: a page. `csv`, `ndjson`: all matching entries, as a file of any size.', {
      default: 'json',
    }),
  ),
})

export const AuditEntrySchema = t.named('AuditEntry', {
  id: t.integer('Increasing; never reused.'),
  time: t.time('When the response was sent; in summed entries, to the first request.'),
  lastTime: t.time('The same as `time`, except in summed entries: when the response to the last request was sent.'),
  count: t.integer(
    'Number of requests. Above 1 in summed entries: those of kind `session`, `reading` and `denied`, and signed return paths, are ' +
      'summed by hour, caller, network, action and outcome; those of kind `reading` also by object.',
    { minimum: 1 },
  ),
  kind: t.oneOf(AUDIT_KINDS, KIND_TEXT),
  actor: t.object({
    type: t.oneOf(
      ACTOR_TYPES,
      'The kind of key; `local`: a command on the machine of the server; `unknown`: no valid key; `others`: callers beyond ' +
        'the 1,000 of a kind that are distinguished in an hour.',
    ),
    id: t.textOrNull('The id of the key, or the name of the local user.'),
    name: t.textOrNull('The name of the key, if it has one.'),
    address: t.textOrNull('The address of the client; in summed entries its network. Null for local callers.'),
  }),
  action: t.text('The operationId of the endpoint.'),
  object: t.textOrNull('The object of the action, such as the id of a key or the name of a domain.'),
  outcome: t.oneOf(AUDIT_OUTCOMES, '`refused`: status 4xx. `failed`: status 5xx, or the job failed.'),
  status: t.integer('The HTTP status.'),
  requestId: t.text('The request id, as in the log of the server; in summed entries that of the first request.'),
})
export type AuditEntry = t.Static<typeof AuditEntrySchema>

export const AuditPageSchema = t.named('AuditPage', {
  entries: t.list(t.ref(AuditEntrySchema), 'Newest first.'),
  next: t.textOrNull(
    'Cursor for the next page; null on the last page. With filters a page may be short, or empty, and still have one.',
  ),
})
export type AuditPage = t.Static<typeof AuditPageSchema>

export function toWireEntry({ id, timeMs, lastTimeMs, count, kind, actor, object, ...entry }: StoredEntry): AuditEntry {
  const { action, outcome, status, requestId } = entry
  return {
    id,
    time: toIsoTime(timeMs),
    lastTime: toIsoTime(lastTimeMs),
    count,
    kind,
    actor: { type: actor.type, id: actor.id ?? null, name: actor.name ?? null, address: actor.address ?? null },
    action,
    object: object ?? null,
    outcome,
    status,
    requestId,
  }
}
