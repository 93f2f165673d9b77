/** Limits and defaults that the schemas declare: clients rely on them, and requests are checked by them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectSchema } from '../../lib/json-schema.ts'
import { LogQuery, MessageIdQuery } from '../logs/get-webhooks.wire.ts'
import { DomainListParameters } from '../platform/list-domains.wire.ts'
import { NewDomainBody } from '../v1/administration/domains/domains.wire.ts'
import { BackupBody } from '../v1/administration/maintenance/maintenance.wire.ts'
import { DroppedQuery, QuarantineQuery } from '../v1/administration/quarantine.wire.ts'
import { EventsQuery } from '../v1/log/events.wire.ts'
import { MessageQuery } from '../v1/log/messages.wire.ts'

const KEYWORDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'default', 'x-counts-at-most'] as const

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
