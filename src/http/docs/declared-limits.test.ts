/** Limits and defaults that the schemas declare: clients rely on them, and requests are checked by them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectSchema } from '../../lib/json-schema.ts'
import { ErrorBodySchema } from '../answers/error-body.wire.ts'
import { ConnectorParams, NATIVE } from '../ingest/post-ingest.wire.ts'
import { RecentLogSchema } from '../logs/get-logs.wire.ts'
import { LogQuery, MessageIdQuery } from '../logs/get-webhooks.wire.ts'
import { logEventSchema } from '../logs/log-event.wire.ts'
import { DomainListParameters } from '../platform/list-domains.wire.ts'
import { VerificationResultSchema } from '../platform/verify-domain.wire.ts'
import { AuditEntrySchema, AuditQuery } from '../v1/administration/audit/audit-log.wire.ts'
import { AdminDomainsQuery, NewDomainBody } from '../v1/administration/domains/domains.wire.ts'
import { KeysQuery, NewKeyBody } from '../v1/administration/keys.wire.ts'
import { BackupBody } from '../v1/administration/maintenance/maintenance.wire.ts'
import { DroppedQuery, QuarantinedRecordSchema, QuarantineQuery } from '../v1/administration/quarantine.wire.ts'
import { ConfirmQuery, ErasureBody } from '../v1/administration/removal/removals.wire.ts'
import { ReturnPathBody } from '../v1/administration/signing.wire.ts'
import { NewTenantBody, TenantsQuery } from '../v1/administration/tenants.wire.ts'
import { OwnDomainBody } from '../v1/domains/domains.wire.ts'
import { AnyEventsQuery, EventsQuery } from '../v1/log/events.wire.ts'
import { FacetsQuery } from '../v1/log/facets.wire.ts'
import { AnyMessageQuery, MessageQuery } from '../v1/log/messages.wire.ts'
import { SignInBody } from '../v1/session/session.wire.ts'
import { FindingSchema } from '../v1/statistics/insights.wire.ts'
import { SeriesQuery } from '../v1/statistics/series.wire.ts'

const KEYWORDS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'default',
  'additionalProperties',
  'x-counts-at-most',
] as const

type Declared = Readonly<Partial<Record<(typeof KEYWORDS)[number], string | number | boolean>>> & {
  readonly items?: Declared
}

function limitsOf(schema: Declared): string {
  const own = KEYWORDS.flatMap((name) => (schema[name] === undefined ? [] : [`${name} ${String(schema[name])}`]))
  return [...own, ...(schema.items ? [`items: ${limitsOf(schema.items)}`] : [])].join(', ')
}

function list(schema: ObjectSchema): Record<string, string> {
  const properties = Object.entries(schema.properties as Readonly<Record<string, Declared>>)
  return Object.fromEntries(properties.map(([name, declared]) => [name, limitsOf(declared)]))
}

test('of the log in the interface', () => {
  const time = 'minimum 0, maximum 99999999999'
  const text = 'maxLength 1024'
  assert.deepEqual(list(LogQuery), {
    type: '',
    recipient: text,
    sender: text,
    from: text,
    subject: text,
    response_code: 'minimum 0, maximum 999',
    start_timestamp: time,
    end_timestamp: time,
    message_id: 'minLength 1',
    limit: 'minimum 1, default 50, x-counts-at-most 1000',
    next_token: '',
  })
  assert.deepEqual(list(MessageIdQuery), { message_id: 'minLength 1' })
})

test('of the list of domains in the interface', () => {
  assert.partialDeepStrictEqual(list(DomainListParameters), {
    skip: 'minimum 0, default 0',
    take: 'minimum 1, default 100, x-counts-at-most 1000',
    orderBy: 'minLength 1, maxLength 200, default {"updatedAt":"desc"}',
  })
})

test('of the log under /v1', () => {
  const several = 'maxItems 100, items: maxLength 1024'
  assert.partialDeepStrictEqual(list(EventsQuery), {
    domain: several,
    type: 'maxItems 100, items: ',
    code: several,
    provider: several,
    q: 'maxLength 1024',
    recipient: 'maxLength 1024',
    message_id: 'maxLength 1024',
    from: 'minLength 1, maxLength 40',
    to: 'minLength 1, maxLength 40',
    limit: 'minimum 1, default 100, x-counts-at-most 1000',
    format: 'default json',
  })
  assert.equal(list(MessageQuery)['domain'], 'maxLength 1024')
})

test('of the quarantine', () => {
  assert.deepEqual(list(QuarantineQuery), {
    cursor: 'minimum 0',
    limit: 'minimum 1, default 50, x-counts-at-most 200',
    whole: 'default false',
  })
  assert.deepEqual(list(DroppedQuery), {
    id: 'maxItems 1000, items: minimum 1',
    connector: 'minLength 1',
    source: 'minLength 1',
    all: '',
  })
})

test('of what the operator sends', () => {
  assert.partialDeepStrictEqual(list(BackupBody), { folder: 'minLength 1', keep: 'minimum 1, maximum 10000' })
  assert.equal(list(NewDomainBody)['active'], 'default false')
})

test('of what an operator may ask for', () => {
  const several = 'maxItems 100, items: maxLength 1024'
  assert.partialDeepStrictEqual(list(AnyEventsQuery), { tenant: several, domain: several })
  assert.equal(list(AnyMessageQuery)['domain'], 'maxLength 1024')
  assert.equal(list(FacetsQuery)['limit'], 'minimum 1, default 10, x-counts-at-most 100')
  assert.equal(list(SeriesQuery)['limit'], 'minimum 1, default 100, x-counts-at-most 1000')
  const exact = 'minLength 1, maxLength 200'
  assert.partialDeepStrictEqual(list(AuditQuery), {
    actor: exact,
    action: exact,
    limit: 'minimum 1, default 100, x-counts-at-most 1000',
  })
  assert.deepEqual(list(AdminDomainsQuery), {
    tenant: 'maxLength 200',
    search: 'maxLength 253',
    onboarded: '',
    sort: 'default name',
    details: 'default false',
    skip: 'minimum 0, default 0',
    take: 'minimum 1, default 100, x-counts-at-most 1000',
  })
  const page = { search: 'maxLength 200', skip: 'minimum 0, default 0', take: 'minimum 1, maximum 1000' }
  assert.partialDeepStrictEqual(list(KeysQuery), page)
  assert.partialDeepStrictEqual(list(TenantsQuery), page)
})

test('of bodies', () => {
  assert.equal(list(SignInBody)['key'], 'maxLength 200')
  assert.equal(list(OwnDomainBody)['name'], 'maxLength 300')
  assert.equal(list(NewKeyBody)['networks'], 'items: maxLength 100')
  assert.equal(list(ErasureBody)['address'], 'maxLength 1000')
  assert.equal(list(ConfirmQuery)['confirm'], 'maxLength 300')
  assert.equal(list(ReturnPathBody)['messageId'], 'minLength 1, maxLength 255')
  const { quotas, retentionDays } = list(NewTenantBody)
  assert.deepEqual([quotas, retentionDays], ['additionalProperties false', 'minimum 1, maximum 36500'])
})

test('of responses', () => {
  assert.equal(list(logEventSchema('service_message_id'))['response_code'], 'minimum 0, maximum 999')
  assert.equal(list(RecentLogSchema)['events'], 'maxItems 1000, items: ')
  const problems = 'minItems 1, items: '
  assert.partialDeepStrictEqual(list(VerificationResultSchema), {
    verificationErrors: problems,
    verificationWarnings: problems,
  })
  assert.equal(list(AuditEntrySchema)['count'], 'minimum 1')
  assert.equal(list(QuarantinedRecordSchema)['times'], 'minimum 1')
  assert.partialDeepStrictEqual(list(FindingSchema), { usual: 'minimum 0', share: 'minimum 0, maximum 1' })
  assert.equal(limitsOf(ErrorBodySchema as unknown as Declared), 'additionalProperties false')
})

test('of the names of connectors: the native format has a path of its own', () => {
  const { enum: names } = ConnectorParams.properties.connector as unknown as { readonly enum: readonly string[] }
  assert.ok(names.includes('kumomta') && !names.includes(NATIVE))
})
