/** One call of each endpoint, as docs/examples.md shows it in two languages and a test makes it. */

export interface ExampleCall {
  /** Whose key; absent: none is needed. */
  readonly key?: 'KEY' | 'INGEST_KEY' | 'ADMIN_KEY'
  /** With `$NAMES` of values that the reader has from earlier responses. */
  readonly path: string
  readonly body?: object
  /** A body that is not JSON. */
  readonly text?: string
  /** What to know, in a sentence. */
  readonly note?: string
  /** Other than 2xx. */
  readonly status?: number
  /** The response does not end. */
  readonly isStream?: true
}

const tenant = (path: string, rest: Partial<ExampleCall> = {}): ExampleCall => ({ key: 'KEY', path, ...rest })
const ingest = (path: string, rest: Partial<ExampleCall>): ExampleCall => ({ key: 'INGEST_KEY', path, ...rest })
const admin = (path: string, body?: object, note?: string): ExampleCall => ({
  key: 'ADMIN_KEY',
  path: `/v1/admin${path}`,
  ...(body && { body }),
  ...(note !== undefined && { note }),
})

const EVENT = { id: 'message-1', type: 'Delivery', domain_name: 'acme.test', recipient: 'anna@example.org' }

/** By endpoint, in the order of the document. */
export const CALLS: Readonly<Record<string, ExampleCall>> = {
  'POST /ingest/events': ingest('/ingest/events', { body: { ...EVENT, timestamp: '$NOW' } }),
  'POST /ingest/{connector}': ingest('/ingest/haraka', { body: { ...EVENT, timestamp: '$NOW' } }),
  'POST /ingest/report': ingest('/ingest/report', {
    text: 'To: bounces@acme.test\n\nThis is not a bounce message.',
    note: 'The body is the message as it was received.',
  }),

  'GET /webhooks/{domain}': tenant('/webhooks/acme.test?recipient=anna&limit=10'),
  'GET /logs/{domain}': tenant('/logs/acme.test'),
  'GET /v1/events': tenant('/v1/events?type=Delivery&recipient=anna'),
  'GET /v1/events/facets': tenant('/v1/events/facets?recipient=anna'),
  'GET /v1/events/stream': tenant('/v1/events/stream', { isStream: true, note: 'The response does not end.' }),
  'GET /v1/messages/{id}': tenant('/v1/messages/message-1'),
  'GET /domain/stats': tenant('/domain/stats'),
  'GET /v1/stats/series': tenant('/v1/stats/series?group=type'),
  'GET /v1/stats/figures': tenant('/v1/stats/figures'),
  'GET /v1/stats/delivery-times': tenant('/v1/stats/delivery-times?domain=acme.test'),
  'GET /v1/insights': tenant('/v1/insights'),
  'GET /v1/quotas': tenant('/v1/quotas'),
  'PUT /v1/views/{name}': tenant('/v1/views/Bounces', {
    body: { query: 'type=Bounce&last=24h' },
    note: 'The query is that of the log page of the console.',
  }),
  'GET /v1/views': tenant('/v1/views'),
  'DELETE /v1/views/{name}': tenant('/v1/views/Bounces'),

  'GET /api/v2/domain': tenant('/api/v2/domain'),
  'POST /api/v2/domain/{id}/verify': tenant('/api/v2/domain/$DOMAIN_ID/verify'),
  'GET /v1/domains': tenant('/v1/domains'),
  'GET /v1/domains/{name}': tenant('/v1/domains/acme.test'),
  'POST /v1/domains': tenant('/v1/domains', {
    body: { name: 'letters.acme.test' },
    note: 'Needs a key with the scope `addDomains`, on a server with `ENVELOG_ADD_DOMAINS=tenants`; others get 403.',
    status: 403,
  }),
  'DELETE /v1/domains/{name}': tenant('/v1/domains/letters.acme.test', {
    note: 'Only a domain that is not proven yet. Needs the same key and setting.',
    status: 403,
  }),
  'POST /v1/domains/{name}/verify': tenant('/v1/domains/acme.test/verify'),

  'POST /v1/session': { path: '/v1/session', body: { key: '$KEY' }, note: 'Sets the cookie of the session.' },
  'GET /v1/session': tenant('/v1/session'),
  'DELETE /v1/session': tenant('/v1/session?everywhere=true'),

  'GET /v1/admin/tenants': admin('/tenants'),
  'POST /v1/admin/tenants': admin('/tenants', { name: 'Globex' }),
  'POST /v1/admin/tenants/{id}': admin('/tenants/$TENANT_ID', { quotas: { domains: 20 } }),
  'POST /v1/admin/tenants/{id}/suspend': admin('/tenants/$TENANT_ID/suspend'),
  'POST /v1/admin/tenants/{id}/resume': admin('/tenants/$TENANT_ID/resume'),
  'GET /v1/admin/keys': admin('/keys'),
  'POST /v1/admin/keys': admin('/keys', { tenant: 'Acme', scopes: ['logs'], name: 'support desk', expires: '365d' }),
  'POST /v1/admin/keys/{id}': admin('/keys/$KEY_ID', { networks: ['192.0.2.0/24'] }),
  'DELETE /v1/admin/keys/{id}': admin('/keys/$KEY_ID'),
  'GET /v1/admin/domains': admin('/domains?tenant=Acme'),
  'POST /v1/admin/domains': admin('/domains', { name: 'shop.acme.test', tenant: 'Acme', active: true }),
  'GET /v1/admin/domains/{name}': admin('/domains/acme.test'),
  'POST /v1/admin/domains/{name}/verify': admin('/domains/acme.test/verify'),
  'GET /v1/admin/domains/{name}/keys': admin('/domains/acme.test/keys'),
  'POST /v1/admin/domains/{name}/keys': admin('/domains/acme.test/keys', { algorithm: 'ed25519' }),
  'GET /v1/admin/domains/{name}/keys/{selector}/private-key': admin('/domains/acme.test/keys/current/private-key'),
  'POST /v1/admin/domains/{name}/keys/{selector}/promote': {
    ...admin('/domains/$OLD_DOMAIN/keys/$SELECTOR/promote'),
    note: 'Refused with 409 until a check has found the record of the key in DNS.',
    status: 409,
  },
  'POST /v1/admin/domains/{name}/keys/{selector}/retire': admin('/domains/$OLD_DOMAIN/keys/$SELECTOR/retire'),
  'POST /v1/admin/domains/{name}/deactivate': admin('/domains/$OLD_DOMAIN/deactivate'),
  'POST /v1/admin/domains/{name}/activate': admin('/domains/$OLD_DOMAIN/activate'),

  'GET /v1/admin/events': admin('/events?tenant=Acme'),
  'GET /v1/admin/events/stream': {
    ...admin('/events/stream?tenant=Acme', undefined, 'The response does not end.'),
    isStream: true,
  },
  'GET /v1/admin/events/facets': admin('/events/facets?tenant=Acme'),
  'GET /v1/admin/messages/{id}': admin('/messages/message-1'),
  'GET /v1/admin/stats/series': admin('/stats/series?group=type'),
  'GET /v1/admin/stats/delivery-times': admin('/stats/delivery-times?tenant=Acme'),
  'GET /v1/admin/insights': admin('/insights?tenant=Acme'),
  'GET /v1/admin/ingest': admin('/ingest'),
  'GET /v1/admin/storage': admin('/storage'),
  'GET /v1/admin/quarantine': admin('/quarantine'),
  'POST /v1/admin/quarantine/replay': admin('/quarantine/replay'),
  'DELETE /v1/admin/quarantine': admin('/quarantine?connector=native', undefined, 'Deletes the records of one format.'),
  'POST /v1/admin/return-paths': admin('/return-paths', { domain: 'acme.test', messageId: 'message-1' }),
  'POST /v1/admin/return-paths/verify': admin('/return-paths/verify', { text: '$RETURN_PATH' }),
  'GET /v1/admin/return-paths/key': admin('/return-paths/key'),
  'GET /v1/admin/tracking-secret': admin('/tracking-secret'),
  'GET /v1/admin/secrets': admin('/secrets'),
  'POST /v1/admin/secrets/rotate': admin('/secrets/rotate'),
  'DELETE /v1/admin/secrets/{id}': admin('/secrets/$SECRET_ID'),
  'POST /v1/admin/sessions/end': admin('/sessions/end'),
  'GET /v1/admin/retention': admin('/retention'),
  'POST /v1/admin/retention/run': admin('/retention/run', {}),
  'POST /v1/admin/recount': admin('/recount'),
  'GET /v1/admin/audit': admin('/audit'),
  'POST /v1/admin/erasures': admin('/erasures', { address: 'anna@example.org' }),
  'GET /v1/admin/removals': admin('/removals'),
  'GET /v1/admin/removals/{id}': admin('/removals/$REMOVAL_ID'),
  'DELETE /v1/admin/domains/{name}': admin('/domains/$OLD_DOMAIN?confirm=$OLD_DOMAIN'),
  'DELETE /v1/admin/tenants/{id}': admin('/tenants/$TENANT_ID?confirm=Initech'),

  'GET /healthz': { path: '/healthz' },
  'GET /readyz': { path: '/readyz' },
  'GET /metrics': { path: '/metrics' },
}

/** Endpoints without an example, and why. */
export const WITHOUT_EXAMPLE: Readonly<Record<string, string>> = {
  'GET /t/o/{token}': 'its addresses are in messages: see [tracking.md](tracking.md)',
  'GET /t/c/{token}': 'its addresses are in messages: see [tracking.md](tracking.md)',
  'POST /v1/admin/backup': 'for the command line on the server: see [operations.md](operations.md#backup-and-restore)',
  'POST /v1/admin/days/{day}/accept':
    'for days that are set aside: see [operations.md](operations.md#when-files-do-not-fit)',
  'POST /v1/admin/days/{day}/repair': 'for damaged days: see [operations.md](operations.md#when-a-day-is-damaged)',
}
