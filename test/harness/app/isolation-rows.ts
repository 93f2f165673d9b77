/**
 * How the isolation test calls each route: with the names and ids of a tenant, which is the caller's own, another one, or does
 * not exist. A route without a row fails the test. To add one:
 *
 *     'GET /v1/things/:id': { ask: ({ thing }) => [`/v1/things/${thing}`] },
 *
 * and, if the route returns a kind of text that a tenant owns, add it to `Marks`. HEAD uses the row of GET.
 */
import type { Marks } from './isolation-scene.ts'

export interface Asked {
  readonly path: string
  readonly body?: object | string
  readonly headers?: Readonly<Record<string, string>>
}

export interface IsolationRow {
  readonly ask: (marks: Marks) => readonly (string | Asked)[]
  /** A tenant's own names and ids are not in the response: an error, an empty page, a number. */
  readonly showsNothing?: true
  /** Never ends: only its beginning is read. */
  readonly isStream?: true
  /** Refused with 403 unless the caller is local. */
  readonly isLocal?: true
  /** The status if the caller may call it, where that is 401: a sign-in with an invalid key. */
  readonly status?: 401
}

const page = (path: string): IsolationRow => ({ ask: () => [path] })

const log = (path: string): IsolationRow => ({
  ask: ({ domain, message, recipient, subject }) => [
    `${path}/${domain}`,
    `${path}/${domain}?message_id=${message}`,
    `${path}/${domain}?recipient=${recipient}&subject=${subject}&limit=1`,
    `${path}/${domain.toUpperCase()}.?next_token=rubbish`,
  ],
})

const noDomain = (path: string): IsolationRow => ({ ask: () => [path], showsNothing: true })

const ofDomain = (rest: string, body?: object): IsolationRow => ({
  ask: ({ domain, selector }) => [
    { path: `/v1/admin/domains/${domain}${rest.replace(':selector', selector)}`, ...(body && { body }) },
  ],
})

const posted = (path: string, toBody: (marks: Marks) => object | string, extra: Partial<IsolationRow> = {}) => ({
  ask: (marks: Marks) => [{ path, body: toBody(marks) }],
  ...extra,
})

const eventOf = ({ domain, message, recipient }: Marks) => ({
  id: message,
  timestamp: 1_768_000_000,
  type: 'Delivery',
  domain_name: domain,
  recipient,
})

export const ISOLATION_ROWS: Readonly<Record<string, IsolationRow>> = {
  // Log
  'GET /webhooks/:domain': log('/webhooks'),
  'GET /logs/:domain': log('/logs'),
  'GET /webhooks': noDomain('/webhooks'),
  'GET /webhooks/': noDomain('/webhooks/'),
  'GET /logs': noDomain('/logs'),
  'GET /logs/': noDomain('/logs/'),
  'GET /v1/events': {
    ask: ({ domain, message, recipient, sender, from, subject, response }) => [
      '/v1/events',
      `/v1/events?domain=${domain}`,
      ...['csv', 'ndjson'].flatMap((format) => [
        `/v1/events?format=${format}`,
        `/v1/events?format=${format}&domain=${domain}`,
      ]),
      ...[recipient, sender, from, subject, message, response].map((text) => `/v1/events?q=${text}`),
      `/v1/events?message_id=${message}`,
      `/v1/events?recipient=${recipient}&format=csv`,
    ],
  },
  'GET /v1/events/facets': {
    ask: ({ domain, recipient, subject }) => [
      '/v1/events/facets',
      `/v1/events/facets?domain=${domain}`,
      `/v1/events/facets?q=${recipient}`,
      `/v1/events/facets?subject=${subject}`,
    ],
  },
  'GET /v1/admin/events/facets': page('/v1/admin/events/facets'),
  'GET /v1/admin/events/stream': {
    ask: ({ domain, tenantId, tenantName, recipient }) =>
      ['', `?tenant=${tenantName}`, `?tenant=${tenantId}`, `?domain=${domain}`, `?q=${recipient}`].map(
        (query) => `/v1/admin/events/stream${query}`,
      ),
    isStream: true,
    showsNothing: true,
  },
  'GET /v1/events/stream': {
    ask: ({ domain, recipient }) =>
      ['', `?domain=${domain}`, `?q=${recipient}`].map((query) => `/v1/events/stream${query}`),
    isStream: true,
    showsNothing: true,
  },
  'GET /v1/messages/:id': {
    ask: ({ message, domain }) => [
      `/v1/messages/${message}`,
      `/v1/messages/${message}?domain=${domain}`,
      `/v1/messages/message-of-both?domain=${domain}`,
    ],
  },

  // Domains
  'GET /api/v2/domain': { ask: () => ['/api/v2/domain', '/api/v2/domain?orderBy=name&take=1'] },
  'POST /api/v2/domain/:id/verify': { ask: ({ domainId }) => [`/api/v2/domain/${domainId}/verify`] },
  'GET /v1/domains': page('/v1/domains'),
  'GET /v1/domains/:name': { ask: ({ domain }) => [`/v1/domains/${domain}`] },
  // A name that is taken differs from one that is not; what a tenant learns then is in own-domains.test.ts.
  'POST /v1/domains': posted('/v1/domains', () => ({ name: 'test' }), { showsNothing: true }),
  'DELETE /v1/domains/:name': { ask: ({ domain }) => [`/v1/domains/${domain}`], showsNothing: true },
  'POST /v1/domains/:name/verify': { ask: ({ domain }) => [`/v1/domains/${domain}/verify`] },

  // Statistics
  'GET /domain/stats': page('/domain/stats'),
  'GET /v1/stats/figures': { ...page('/v1/stats/figures'), showsNothing: true },
  'GET /v1/stats/series': {
    ask: ({ domain }) => ['/v1/stats/series?by=type', `/v1/stats/series?domain=${domain}`],
    showsNothing: true,
  },

  'GET /v1/insights': {
    ask: ({ domain }) => ['/v1/insights', `/v1/insights?domain=${domain}`],
    showsNothing: true,
  },

  'GET /v1/stats/delivery-times': {
    ask: ({ domain }) => ['/v1/stats/delivery-times', `/v1/stats/delivery-times?domain=${domain}`],
    showsNothing: true,
  },

  'GET /v1/admin/stats/delivery-times': {
    ask: ({ domain, tenantName }) => [
      '/v1/admin/stats/delivery-times',
      `/v1/admin/stats/delivery-times?tenant=${tenantName}`,
      `/v1/admin/stats/delivery-times?domain=${domain}`,
    ],
    showsNothing: true,
  },
  'GET /v1/admin/insights': {
    ask: ({ domain, tenantName }) => [
      '/v1/admin/insights',
      `/v1/admin/insights?tenant=${tenantName}`,
      `/v1/admin/insights?domain=${domain}`,
    ],
    showsNothing: true,
  },
  'GET /v1/admin/events': {
    ask: ({ domain, tenantId, tenantName, message, sendingAddress, sendingSource }) => [
      '/v1/admin/events',
      `/v1/admin/events?tenant=${tenantName}`,
      `/v1/admin/events?tenant=${tenantId}`,
      `/v1/admin/events?domain=${domain}&format=csv`,
      `/v1/admin/events?message_id=${message}&sending_source=${sendingSource}`,
      `/v1/admin/events?sending_address=${sendingAddress}&format=ndjson`,
    ],
  },
  'GET /v1/admin/messages/:id': {
    ask: ({ message, domain, tenantId }) => [
      `/v1/admin/messages/${message}`,
      `/v1/admin/messages/${message}?domain=${domain}`,
      `/v1/admin/messages/${message}?tenant=${tenantId}`,
    ],
  },
  'GET /v1/admin/stats/series': {
    ask: ({ domain, tenantName, sendingPool }) => [
      '/v1/admin/stats/series?group=sending_address',
      `/v1/admin/stats/series?domain=${domain}`,
      `/v1/admin/stats/series?tenant=${tenantName}&sending_pool=${sendingPool}`,
    ],
  },

  // Sessions. Those of valid keys have tests of their own.
  'POST /v1/session': posted('/v1/session', ({ keyId }) => ({ key: `env_${keyId}_rubbish` }), { status: 401 }),
  'GET /v1/session': page('/v1/session'),
  'DELETE /v1/session': page('/v1/session'),
  'GET /v1/views': page('/v1/views'),
  'PUT /v1/views/:name': posted('/v1/views/mine', () => ({ query: 'type=Bounce' })),
  'DELETE /v1/views/:name': page('/v1/views/none'),
  'GET /v1/quotas': { ...page('/v1/quotas'), showsNothing: true },

  // Administration
  'GET /v1/admin/tenants': page('/v1/admin/tenants'),
  'POST /v1/admin/tenants': posted('/v1/admin/tenants', ({ tenantName }) => ({ name: tenantName })),
  'POST /v1/admin/tenants/:id': {
    ask: ({ tenantId }) => [{ path: `/v1/admin/tenants/${tenantId}`, body: { quotas: {} } }],
  },
  'POST /v1/admin/tenants/:id/suspend': {
    ask: ({ tenantId }) => [{ path: `/v1/admin/tenants/${tenantId}/suspend` }],
  },
  'POST /v1/admin/tenants/:id/resume': { ask: ({ tenantId }) => [{ path: `/v1/admin/tenants/${tenantId}/resume` }] },
  // Not confirmed: the others need the tenant.
  'DELETE /v1/admin/tenants/:id': { ask: ({ tenantId }) => [`/v1/admin/tenants/${tenantId}?confirm=no`] },
  'GET /v1/admin/removals': page('/v1/admin/removals'),
  'GET /v1/admin/removals/:id': page('/v1/admin/removals/unknown'),
  'POST /v1/admin/erasures': posted('/v1/admin/erasures', () => ({ address: 'not an address' })),
  'GET /v1/admin/keys': page('/v1/admin/keys'),
  'POST /v1/admin/keys/:id': { ask: ({ spareKeyId }) => [{ path: `/v1/admin/keys/${spareKeyId}`, body: {} }] },
  'POST /v1/admin/keys': posted('/v1/admin/keys', ({ tenantName }) => ({ tenant: tenantName })),
  'DELETE /v1/admin/keys/:id': { ask: ({ spareKeyId }) => [`/v1/admin/keys/${spareKeyId}`] },
  'GET /v1/admin/domains': {
    ask: ({ tenantName }) => ['/v1/admin/domains?details=true', `/v1/admin/domains?tenant=${tenantName}`],
  },
  'POST /v1/admin/domains': posted('/v1/admin/domains', ({ domain, tenantName }) => ({
    name: domain,
    tenant: tenantName,
  })),
  'GET /v1/admin/domains/:name': ofDomain(''),
  'POST /v1/admin/domains/:name/activate': ofDomain('/activate'),
  // The others need the domain active.
  'POST /v1/admin/domains/:name/deactivate': {
    ask: () => [{ path: '/v1/admin/domains/nowhere.test/deactivate' }],
    showsNothing: true,
  },
  'DELETE /v1/admin/domains/:name': ofDomain('?confirm=no'),
  'POST /v1/admin/domains/:name/verify': ofDomain('/verify'),
  'GET /v1/admin/domains/:name/keys': ofDomain('/keys'),
  'POST /v1/admin/domains/:name/keys': ofDomain('/keys', { algorithm: 'ed25519' }),
  'POST /v1/admin/domains/:name/keys/:selector/promote': ofDomain('/keys/:selector/promote'),
  'POST /v1/admin/domains/:name/keys/:selector/retire': ofDomain('/keys/:selector/retire'),
  'GET /v1/admin/domains/:name/keys/:selector/private-key': ofDomain('/keys/:selector/private-key'),
  'GET /v1/admin/ingest': page('/v1/admin/ingest'),
  'GET /v1/admin/storage': page('/v1/admin/storage'),
  'GET /v1/admin/retention': page('/v1/admin/retention'),
  'POST /v1/admin/retention/run': posted('/v1/admin/retention/run', () => ({})),
  'GET /v1/admin/quarantine': page('/v1/admin/quarantine?whole=true'),
  'DELETE /v1/admin/quarantine': page('/v1/admin/quarantine?id=1'),
  'POST /v1/admin/quarantine/replay': page('/v1/admin/quarantine/replay'),
  'POST /v1/admin/return-paths': posted('/v1/admin/return-paths', ({ domain, message }) => ({
    domain,
    messageId: message,
  })),
  'POST /v1/admin/return-paths/verify': posted('/v1/admin/return-paths/verify', ({ message }) => ({ text: message })),
  'GET /v1/admin/return-paths/key': page('/v1/admin/return-paths/key'),
  'GET /v1/admin/tracking-secret': page('/v1/admin/tracking-secret'),
  'POST /v1/admin/backup': posted('/v1/admin/backup', () => ({ folder: 'not/absolute' }), { isLocal: true }),
  'POST /v1/admin/recount': page('/v1/admin/recount'),
  'POST /v1/admin/days/:day/accept': page('/v1/admin/days/2026-01-15/accept'),
  'POST /v1/admin/days/:day/repair': page('/v1/admin/days/2020-01-01/repair'),
  'GET /v1/admin/secrets': page('/v1/admin/secrets'),
  'POST /v1/admin/secrets/rotate': page('/v1/admin/secrets/rotate'),
  'DELETE /v1/admin/secrets/:id': page('/v1/admin/secrets/rubbish'),
  'POST /v1/admin/sessions/end': page('/v1/admin/sessions/end'),
  'GET /v1/admin/audit': {
    ask: ({ keyId }) => ['/v1/admin/audit', '/v1/admin/audit?format=csv', `/v1/admin/audit?actor=${keyId}`],
  },

  // Ingest
  'POST /ingest/events': posted('/ingest/events', eventOf),
  'POST /ingest/:connector': posted('/ingest/haraka', eventOf),
  'POST /ingest/report': posted('/ingest/report', ({ recipient }) => `To: ${recipient}\r\n\r\nnot a report`),

  // Public
  'GET /healthz': page('/healthz'),
  'GET /readyz': page('/readyz'),
  'GET /metrics': page('/metrics'),
  'GET /t/o/:token': { ask: ({ message }) => [`/t/o/${message}`] },
  'GET /t/c/:token': { ask: ({ message }) => [`/t/c/${message}`] },
  ...Object.fromEntries(
    ['index', 'logs', 'platform', 'stats', 'operations', 'tracking', 'v1'].map((name) => [
      `GET /openapi/${name}.json`,
      page(`/openapi/${name}.json`),
    ]),
  ),
  'GET /docs': page('/docs'),
  'GET /docs/': page('/docs/'),
  ...Object.fromEntries(
    ['logs', 'platform', 'stats', 'operations', 'tracking', 'v1', 'search.json'].map((name) => [
      `GET /docs/reference/${name}`,
      page(`/docs/reference/${name}`),
    ]),
  ),
  'GET /docs/guide': page('/docs/guide'),
  'GET /docs/guide/': page('/docs/guide/'),
  'GET /docs/guide/*': page('/docs/guide/operations'),
  'GET /': page('/'),
  'GET /overview': page('/overview'),
  'GET /log': { ask: ({ recipient }) => [`/log?q=${recipient}`] },
  'GET /domains': page('/domains'),
  'GET /domains/:name': { ask: ({ domain }) => [`/domains/${domain}`] },
  'GET /sending': page('/sending'),
  'GET /tenant/:id': { ask: ({ tenantId }) => [`/tenant/${tenantId}`] },
  'GET /tenant/:id/overview': { ask: ({ tenantId }) => [`/tenant/${tenantId}/overview`] },
  'GET /tenant/:id/log': { ask: ({ tenantId, recipient }) => [`/tenant/${tenantId}/log?q=${recipient}`] },
  'GET /tenant/:id/domains': { ask: ({ tenantId }) => [`/tenant/${tenantId}/domains`] },
  'GET /tenant/:id/domains/:name': { ask: ({ tenantId, domain }) => [`/tenant/${tenantId}/domains/${domain}`] },
  'GET /tenant/:id/sending': { ask: ({ tenantId }) => [`/tenant/${tenantId}/sending`] },
  'GET /operator': page('/operator'),
  'GET /operator/:page': page('/operator/keys'),
  'GET /assets/*': page('/assets/icon.svg'),
}
