/** Generated from the OpenAPI documents by `npm run docs`. */
export const OPERATIONS = {
  getEmailLogs: { method: 'GET', path: '/webhooks/{domain}', isBodyJson: false },
  getRecentEmailLogs: { method: 'GET', path: '/logs/{domain}', isBodyJson: false },
  listDomains: { method: 'GET', path: '/api/v2/domain', isBodyJson: false },
  verifyDomain: { method: 'POST', path: '/api/v2/domain/{id}/verify', isBodyJson: false },
  getTenantStatistics: { method: 'GET', path: '/domain/stats', isBodyJson: false },
  getQuotas: { method: 'GET', path: '/v1/quotas', isBodyJson: false },
  listViews: { method: 'GET', path: '/v1/views', isBodyJson: false },
  saveView: { method: 'PUT', path: '/v1/views/{name}', isBodyJson: true },
  deleteView: { method: 'DELETE', path: '/v1/views/{name}', isBodyJson: false },
  searchEvents: { method: 'GET', path: '/v1/events', isBodyJson: false },
  searchAllEvents: { method: 'GET', path: '/v1/admin/events', isBodyJson: false },
  countEvents: { method: 'GET', path: '/v1/events/facets', isBodyJson: false },
  countAllEvents: { method: 'GET', path: '/v1/admin/events/facets', isBodyJson: false },
  streamEvents: { method: 'GET', path: '/v1/events/stream', isBodyJson: false },
  streamAllEvents: { method: 'GET', path: '/v1/admin/events/stream', isBodyJson: false },
  getMessage: { method: 'GET', path: '/v1/messages/{id}', isBodyJson: false },
  getAnyMessage: { method: 'GET', path: '/v1/admin/messages/{id}', isBodyJson: false },
  getSeries: { method: 'GET', path: '/v1/stats/series', isBodyJson: false },
  getAllSeries: { method: 'GET', path: '/v1/admin/stats/series', isBodyJson: false },
  listFigures: { method: 'GET', path: '/v1/stats/figures', isBodyJson: false },
  getInsights: { method: 'GET', path: '/v1/insights', isBodyJson: false },
  getAllInsights: { method: 'GET', path: '/v1/admin/insights', isBodyJson: false },
  getDeliveryTimes: { method: 'GET', path: '/v1/stats/delivery-times', isBodyJson: false },
  getAllDeliveryTimes: { method: 'GET', path: '/v1/admin/stats/delivery-times', isBodyJson: false },
  listDomainSummaries: { method: 'GET', path: '/v1/domains', isBodyJson: false },
  addOwnDomain: { method: 'POST', path: '/v1/domains', isBodyJson: true },
  getDomain: { method: 'GET', path: '/v1/domains/{name}', isBodyJson: false },
  removeOwnDomain: { method: 'DELETE', path: '/v1/domains/{name}', isBodyJson: false },
  checkDomain: { method: 'POST', path: '/v1/domains/{name}/verify', isBodyJson: false },
  listTenants: { method: 'GET', path: '/v1/admin/tenants', isBodyJson: false },
  createTenant: { method: 'POST', path: '/v1/admin/tenants', isBodyJson: true },
  changeTenant: { method: 'POST', path: '/v1/admin/tenants/{id}', isBodyJson: true },
  removeTenant: { method: 'DELETE', path: '/v1/admin/tenants/{id}', isBodyJson: false },
  suspendTenant: { method: 'POST', path: '/v1/admin/tenants/{id}/suspend', isBodyJson: false },
  resumeTenant: { method: 'POST', path: '/v1/admin/tenants/{id}/resume', isBodyJson: false },
  listKeys: { method: 'GET', path: '/v1/admin/keys', isBodyJson: false },
  createKey: { method: 'POST', path: '/v1/admin/keys', isBodyJson: true },
  changeKey: { method: 'POST', path: '/v1/admin/keys/{id}', isBodyJson: true },
  revokeKey: { method: 'DELETE', path: '/v1/admin/keys/{id}', isBodyJson: false },
  listAllDomains: { method: 'GET', path: '/v1/admin/domains', isBodyJson: false },
  addDomain: { method: 'POST', path: '/v1/admin/domains', isBodyJson: true },
  getAnyDomain: { method: 'GET', path: '/v1/admin/domains/{name}', isBodyJson: false },
  removeDomain: { method: 'DELETE', path: '/v1/admin/domains/{name}', isBodyJson: false },
  activateDomain: { method: 'POST', path: '/v1/admin/domains/{name}/activate', isBodyJson: false },
  deactivateDomain: { method: 'POST', path: '/v1/admin/domains/{name}/deactivate', isBodyJson: false },
  checkAnyDomain: { method: 'POST', path: '/v1/admin/domains/{name}/verify', isBodyJson: false },
  listDkimKeys: { method: 'GET', path: '/v1/admin/domains/{name}/keys', isBodyJson: false },
  rotateDkimKey: { method: 'POST', path: '/v1/admin/domains/{name}/keys', isBodyJson: true },
  promoteDkimKey: { method: 'POST', path: '/v1/admin/domains/{name}/keys/{selector}/promote', isBodyJson: false },
  retireDkimKey: { method: 'POST', path: '/v1/admin/domains/{name}/keys/{selector}/retire', isBodyJson: false },
  getDkimPrivateKey: { method: 'GET', path: '/v1/admin/domains/{name}/keys/{selector}/private-key', isBodyJson: false },
  getIngestHealth: { method: 'GET', path: '/v1/admin/ingest', isBodyJson: false },
  getStorageUse: { method: 'GET', path: '/v1/admin/storage', isBodyJson: false },
  listQuarantine: { method: 'GET', path: '/v1/admin/quarantine', isBodyJson: false },
  dropQuarantine: { method: 'DELETE', path: '/v1/admin/quarantine', isBodyJson: false },
  replayQuarantine: { method: 'POST', path: '/v1/admin/quarantine/replay', isBodyJson: false },
  listRemovals: { method: 'GET', path: '/v1/admin/removals', isBodyJson: false },
  getRemoval: { method: 'GET', path: '/v1/admin/removals/{id}', isBodyJson: false },
  eraseRecipient: { method: 'POST', path: '/v1/admin/erasures', isBodyJson: true },
  makeReturnPath: { method: 'POST', path: '/v1/admin/return-paths', isBodyJson: true },
  verifyReturnPath: { method: 'POST', path: '/v1/admin/return-paths/verify', isBodyJson: true },
  getReturnPathKey: { method: 'GET', path: '/v1/admin/return-paths/key', isBodyJson: false },
  getTrackingSecret: { method: 'GET', path: '/v1/admin/tracking-secret', isBodyJson: false },
  backUp: { method: 'POST', path: '/v1/admin/backup', isBodyJson: true },
  repairDay: { method: 'POST', path: '/v1/admin/days/{day}/repair', isBodyJson: false },
  recount: { method: 'POST', path: '/v1/admin/recount', isBodyJson: false },
  acceptDay: { method: 'POST', path: '/v1/admin/days/{day}/accept', isBodyJson: false },
  listSecrets: { method: 'GET', path: '/v1/admin/secrets', isBodyJson: false },
  rotateSecret: { method: 'POST', path: '/v1/admin/secrets/rotate', isBodyJson: false },
  forgetSecret: { method: 'DELETE', path: '/v1/admin/secrets/{id}', isBodyJson: false },
  endSessions: { method: 'POST', path: '/v1/admin/sessions/end', isBodyJson: false },
  getRetention: { method: 'GET', path: '/v1/admin/retention', isBodyJson: false },
  runRetention: { method: 'POST', path: '/v1/admin/retention/run', isBodyJson: true },
  listAudit: { method: 'GET', path: '/v1/admin/audit', isBodyJson: false },
  ingestEvents: { method: 'POST', path: '/ingest/events', isBodyJson: true },
  ingestRecords: { method: 'POST', path: '/ingest/{connector}', isBodyJson: true },
  ingestReport: { method: 'POST', path: '/ingest/report', isBodyJson: false },
  getHealth: { method: 'GET', path: '/healthz', isBodyJson: false },
  getReadiness: { method: 'GET', path: '/readyz', isBodyJson: false },
} as const

export interface Calls {
  /** Get email logs */
  getEmailLogs: {
    readonly path: {
      /** Sender domain; must belong to the key's tenant. Letter case and one trailing dot are ignored, internationalized names are compared in their ASCII form. At most 253 characters. */
      readonly domain: string
    }
    readonly query?: {
      /** One event type, exact match. Multiple types cannot be combined. */
      readonly type?: "Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback"
      /** Events whose recipient address contains this text, literally and ignoring letter case: `%`, `_`, `*` and quotes have no special meaning. An empty text counts as not sent. In a URL, `+` means a space; send `%2B` for a plus sign. */
      readonly recipient?: string
      /** Events whose envelope sender contains this text, literally and ignoring letter case: `%`, `_`, `*` and quotes have no special meaning. An empty text counts as not sent. In a URL, `+` means a space; send `%2B` for a plus sign. */
      readonly sender?: string
      /** Events whose From header contains this text, literally and ignoring letter case: `%`, `_`, `*` and quotes have no special meaning. An empty text counts as not sent. In a URL, `+` means a space; send `%2B` for a plus sign. */
      readonly from?: string
      /** Events whose subject contains this text, literally and ignoring letter case: `%`, `_`, `*` and quotes have no special meaning. An empty text counts as not sent. In a URL, `+` means a space; send `%2B` for a plus sign. */
      readonly subject?: string
      /** Exact response code. */
      readonly response_code?: number
      /** Window start, Unix seconds, inclusive. Default: 15 days before now. */
      readonly start_timestamp?: number
      /** Window end, Unix seconds, inclusive. Default: now. Must not be before the start. */
      readonly end_timestamp?: number
      /** All events of one message, newest first, in one page. If set, all other parameters are ignored, even invalid ones. An unknown id gives an empty page. */
      readonly message_id?: string
      /** Page size. Above 1000 it counts as 1000. */
      readonly limit?: number
      /** Cursor from the previous response, for the next page. It contains the filters and the window of the first page: send it alone or with the same filters; other values are refused. `limit` may change. Valid for 24 hours. An empty value counts as not sent. */
      readonly next_token?: string
    }
    readonly returns: EmailLogPage
  }
  /** Get recent email logs */
  getRecentEmailLogs: {
    readonly path: {
      /** Sender domain; must belong to the key's tenant. Letter case and one trailing dot are ignored, internationalized names are compared in their ASCII form. At most 253 characters. */
      readonly domain: string
    }
    readonly query?: {
      /** Only events of this type. Default: all six. */
      readonly type?: "Reception" | "Delivery" | "Bounce" | "TransientFailure" | "Opened" | "Click"
    }
    readonly returns: RecentEmailLog
  }
  /** List tenant domains */
  listDomains: {
    readonly query?: {
      /** Domains to skip. */
      readonly skip?: number
      /** Maximum number of domains to return. Above 1000 it counts as 1000. */
      readonly take?: number
      /** Sort order: a JSON object with one field and `asc` or `desc`. Ties are ordered by id. Fields: `id`, `createdAt`, `updatedAt`, `name`, `description`, `sendingEmail`, `isActive`, `isApproved`, `isVerified`, `lastVerificationCheckedAt`. */
      readonly orderBy?: string
      /** `true`: domains that are active, approved and verified. `false`: the rest. Not sent: all. */
      readonly onboardingStatus?: boolean
    }
    readonly returns: DomainList
  }
  /** Verify a domain */
  verifyDomain: {
    readonly path: {
      /** Domain id (a UUID) from the domain listing. */
      readonly id: string
    }
    readonly returns: VerificationResult
  }
  /** Get tenant statistics */
  getTenantStatistics: {
    readonly returns: TenantStatistics
  }
  /** Get your quotas */
  getQuotas: {
    readonly returns: OwnQuotas
  }
  /** List saved views */
  listViews: {
    readonly returns: Views
  }
  /** Save a view */
  saveView: {
    readonly path: {
      /** The name: at most 100 printable characters. */
      readonly name: string
    }
    readonly body: {
      /** The query string of the log page: filters, window, columns. At most 4000 characters. It may be empty. */
      readonly query: string
      /** Name of a view that this one replaces: to give it another name in one step. */
      readonly replaces?: string
    }
    readonly returns: View
  }
  /** Delete a view */
  deleteView: {
    readonly path: {
      /** The name: at most 100 printable characters. */
      readonly name: string
    }
    readonly returns: undefined
  }
  /** Search the log */
  searchEvents: {
    readonly query?: {
      /** Only events of this sender domain, which must belong to the tenant. Default: all domains. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
      /** Only events of this type. May be repeated; values are combined with OR. */
      readonly type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** Only events with this response code: `550`, a class (`4xx`, `55x`) or a range, both ends included (`400-499`). May be repeated; values are combined with OR. */
      readonly code?: readonly (string)[]
      /** Only events of this receiving provider, exact match. May be repeated; values are combined with OR. */
      readonly provider?: readonly (string)[]
      /** Only events with this `bounce_classification`, exact match. May be repeated; values are combined with OR. */
      readonly classification?: readonly (string)[]
      /** Only events whose server response is this text once its variable parts (addresses, ids, numbers) are masked as `*`, exact match: a value of the facet `reply`. May be repeated; values are combined with OR. */
      readonly reply?: readonly (string)[]
      /** Only events of messages that were sent from this IP address, in any spelling. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_address?: readonly (string)[]
      /** Only events of messages that were sent from this source, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_source?: readonly (string)[]
      /** Only events of messages that were sent from this pool, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_pool?: readonly (string)[]
      /** No events of this sender domain. May be repeated. */
      readonly not_domain?: readonly (string)[]
      /** No events of this type. May be repeated. */
      readonly not_type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** No events with this response code, a class or a range as with `code`. May be repeated. */
      readonly not_code?: readonly (string)[]
      /** No events of this receiving provider, exact match. May be repeated. */
      readonly not_provider?: readonly (string)[]
      /** No events with this `bounce_classification`, exact match. May be repeated. */
      readonly not_classification?: readonly (string)[]
      /** No events with this masked server response, exact match. May be repeated. */
      readonly not_reply?: readonly (string)[]
      /** No events of messages from this IP address. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_address?: readonly (string)[]
      /** No events of messages from this source. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_source?: readonly (string)[]
      /** No events of messages from this pool. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_pool?: readonly (string)[]
      /** A search as people type it. Each word must occur in the recipient, sender, From header or subject, ignoring letter case, or be the message id; quotation marks keep words together. `Anna <anna@example.org>`, `mailto:` links and Message-IDs can be pasted. Operators: `to:`, `from:` (From header or envelope sender), `sender:`, `subject:` and `answer:` (response of the receiving server) search in one field; `type:`, `code:`, `domain:`, `provider:`, `class:`, `id:`, `ip:`, `source:` and `pool:` take exact values, several separated by commas. `-` before a term excludes the events to which it applies: `anna code:5xx -type:Opened -subject:"out of office"`. Names that are not operators are words. At most 20 terms. */
      readonly q?: string
      /** Events whose recipient address contains this text, literally and ignoring letter case. */
      readonly recipient?: string
      /** Events whose envelope sender contains this text, literally and ignoring letter case. */
      readonly sender?: string
      /** Events whose From header contains this text, literally and ignoring letter case. */
      readonly header_from?: string
      /** Events whose subject contains this text, literally and ignoring letter case. */
      readonly subject?: string
      /** Only events of this message. */
      readonly message_id?: string
      /** Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC. */
      readonly from?: string
      /** End of the window, exclusive. Default: now. */
      readonly to?: string
      /** Page size; above 1000 it counts as 1000. Ignored for files. */
      readonly limit?: number
      /** `next` of the previous page. It contains the filters and the window of the first page: send it alone, or with the same filters. `limit` may change. Valid for 24 hours. */
      readonly cursor?: string
      /** `json`: a page. `csv`, `ndjson`: all matching events, as a file of any size. In CSV, cells that a spreadsheet would interpret as a formula get a `'` in front. */
      readonly format?: "json" | "csv" | "ndjson"
    }
    readonly returns: EventsPage
  }
  /** Search the log of all tenants */
  searchAllEvents: {
    readonly query?: {
      /** Only events of this sender domain. Default: all domains of the tenants. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
      /** Only events of this type. May be repeated; values are combined with OR. */
      readonly type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** Only events with this response code: `550`, a class (`4xx`, `55x`) or a range, both ends included (`400-499`). May be repeated; values are combined with OR. */
      readonly code?: readonly (string)[]
      /** Only events of this receiving provider, exact match. May be repeated; values are combined with OR. */
      readonly provider?: readonly (string)[]
      /** Only events with this `bounce_classification`, exact match. May be repeated; values are combined with OR. */
      readonly classification?: readonly (string)[]
      /** Only events whose server response is this text once its variable parts (addresses, ids, numbers) are masked as `*`, exact match: a value of the facet `reply`. May be repeated; values are combined with OR. */
      readonly reply?: readonly (string)[]
      /** Only events of messages that were sent from this IP address, in any spelling. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_address?: readonly (string)[]
      /** Only events of messages that were sent from this source, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_source?: readonly (string)[]
      /** Only events of messages that were sent from this pool, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_pool?: readonly (string)[]
      /** No events of this sender domain. May be repeated. */
      readonly not_domain?: readonly (string)[]
      /** No events of this type. May be repeated. */
      readonly not_type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** No events with this response code, a class or a range as with `code`. May be repeated. */
      readonly not_code?: readonly (string)[]
      /** No events of this receiving provider, exact match. May be repeated. */
      readonly not_provider?: readonly (string)[]
      /** No events with this `bounce_classification`, exact match. May be repeated. */
      readonly not_classification?: readonly (string)[]
      /** No events with this masked server response, exact match. May be repeated. */
      readonly not_reply?: readonly (string)[]
      /** No events of messages from this IP address. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_address?: readonly (string)[]
      /** No events of messages from this source. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_source?: readonly (string)[]
      /** No events of messages from this pool. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_pool?: readonly (string)[]
      /** A search as people type it. Each word must occur in the recipient, sender, From header or subject, ignoring letter case, or be the message id; quotation marks keep words together. `Anna <anna@example.org>`, `mailto:` links and Message-IDs can be pasted. Operators: `to:`, `from:` (From header or envelope sender), `sender:`, `subject:` and `answer:` (response of the receiving server) search in one field; `type:`, `code:`, `domain:`, `provider:`, `class:`, `id:`, `ip:`, `source:` and `pool:` take exact values, several separated by commas. `-` before a term excludes the events to which it applies: `anna code:5xx -type:Opened -subject:"out of office"`. Names that are not operators are words. At most 20 terms. */
      readonly q?: string
      /** Events whose recipient address contains this text, literally and ignoring letter case. */
      readonly recipient?: string
      /** Events whose envelope sender contains this text, literally and ignoring letter case. */
      readonly sender?: string
      /** Events whose From header contains this text, literally and ignoring letter case. */
      readonly header_from?: string
      /** Events whose subject contains this text, literally and ignoring letter case. */
      readonly subject?: string
      /** Only events of this message. */
      readonly message_id?: string
      /** Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC. */
      readonly from?: string
      /** End of the window, exclusive. Default: now. */
      readonly to?: string
      /** Page size; above 1000 it counts as 1000. Ignored for files. */
      readonly limit?: number
      /** `next` of the previous page. It contains the filters and the window of the first page: send it alone, or with the same filters. `limit` may change. Valid for 24 hours. */
      readonly cursor?: string
      /** `json`: a page. `csv`, `ndjson`: all matching events, as a file of any size. In CSV, cells that a spreadsheet would interpret as a formula get a `'` in front. */
      readonly format?: "json" | "csv" | "ndjson"
      /** Only events of the tenant with this id or name. Default: all tenants. May be repeated; values are combined with OR. */
      readonly tenant?: readonly (string)[]
    }
    readonly returns: EventsPage
  }
  /** Count the events of a search */
  countEvents: {
    readonly query?: {
      /** Only events of this sender domain, which must belong to the tenant. Default: all domains. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
      /** Only events of this type. May be repeated; values are combined with OR. */
      readonly type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** Only events with this response code: `550`, a class (`4xx`, `55x`) or a range, both ends included (`400-499`). May be repeated; values are combined with OR. */
      readonly code?: readonly (string)[]
      /** Only events of this receiving provider, exact match. May be repeated; values are combined with OR. */
      readonly provider?: readonly (string)[]
      /** Only events with this `bounce_classification`, exact match. May be repeated; values are combined with OR. */
      readonly classification?: readonly (string)[]
      /** Only events whose server response is this text once its variable parts (addresses, ids, numbers) are masked as `*`, exact match: a value of the facet `reply`. May be repeated; values are combined with OR. */
      readonly reply?: readonly (string)[]
      /** Only events of messages that were sent from this IP address, in any spelling. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_address?: readonly (string)[]
      /** Only events of messages that were sent from this source, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_source?: readonly (string)[]
      /** Only events of messages that were sent from this pool, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_pool?: readonly (string)[]
      /** No events of this sender domain. May be repeated. */
      readonly not_domain?: readonly (string)[]
      /** No events of this type. May be repeated. */
      readonly not_type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** No events with this response code, a class or a range as with `code`. May be repeated. */
      readonly not_code?: readonly (string)[]
      /** No events of this receiving provider, exact match. May be repeated. */
      readonly not_provider?: readonly (string)[]
      /** No events with this `bounce_classification`, exact match. May be repeated. */
      readonly not_classification?: readonly (string)[]
      /** No events with this masked server response, exact match. May be repeated. */
      readonly not_reply?: readonly (string)[]
      /** No events of messages from this IP address. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_address?: readonly (string)[]
      /** No events of messages from this source. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_source?: readonly (string)[]
      /** No events of messages from this pool. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_pool?: readonly (string)[]
      /** A search as people type it. Each word must occur in the recipient, sender, From header or subject, ignoring letter case, or be the message id; quotation marks keep words together. `Anna <anna@example.org>`, `mailto:` links and Message-IDs can be pasted. Operators: `to:`, `from:` (From header or envelope sender), `sender:`, `subject:` and `answer:` (response of the receiving server) search in one field; `type:`, `code:`, `domain:`, `provider:`, `class:`, `id:`, `ip:`, `source:` and `pool:` take exact values, several separated by commas. `-` before a term excludes the events to which it applies: `anna code:5xx -type:Opened -subject:"out of office"`. Names that are not operators are words. At most 20 terms. */
      readonly q?: string
      /** Events whose recipient address contains this text, literally and ignoring letter case. */
      readonly recipient?: string
      /** Events whose envelope sender contains this text, literally and ignoring letter case. */
      readonly sender?: string
      /** Events whose From header contains this text, literally and ignoring letter case. */
      readonly header_from?: string
      /** Events whose subject contains this text, literally and ignoring letter case. */
      readonly subject?: string
      /** Only events of this message. */
      readonly message_id?: string
      /** Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC. */
      readonly from?: string
      /** End of the window, exclusive. Default: now. */
      readonly to?: string
      /** Maximum number of values of each facet, the most frequent first. */
      readonly limit?: number
    }
    readonly returns: Facets
  }
  /** Count the events of a search in the log of all tenants */
  countAllEvents: {
    readonly query?: {
      /** Only events of this sender domain. Default: all domains of the tenants. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
      /** Only events of this type. May be repeated; values are combined with OR. */
      readonly type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** Only events with this response code: `550`, a class (`4xx`, `55x`) or a range, both ends included (`400-499`). May be repeated; values are combined with OR. */
      readonly code?: readonly (string)[]
      /** Only events of this receiving provider, exact match. May be repeated; values are combined with OR. */
      readonly provider?: readonly (string)[]
      /** Only events with this `bounce_classification`, exact match. May be repeated; values are combined with OR. */
      readonly classification?: readonly (string)[]
      /** Only events whose server response is this text once its variable parts (addresses, ids, numbers) are masked as `*`, exact match: a value of the facet `reply`. May be repeated; values are combined with OR. */
      readonly reply?: readonly (string)[]
      /** Only events of messages that were sent from this IP address, in any spelling. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_address?: readonly (string)[]
      /** Only events of messages that were sent from this source, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_source?: readonly (string)[]
      /** Only events of messages that were sent from this pool, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_pool?: readonly (string)[]
      /** No events of this sender domain. May be repeated. */
      readonly not_domain?: readonly (string)[]
      /** No events of this type. May be repeated. */
      readonly not_type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** No events with this response code, a class or a range as with `code`. May be repeated. */
      readonly not_code?: readonly (string)[]
      /** No events of this receiving provider, exact match. May be repeated. */
      readonly not_provider?: readonly (string)[]
      /** No events with this `bounce_classification`, exact match. May be repeated. */
      readonly not_classification?: readonly (string)[]
      /** No events with this masked server response, exact match. May be repeated. */
      readonly not_reply?: readonly (string)[]
      /** No events of messages from this IP address. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_address?: readonly (string)[]
      /** No events of messages from this source. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_source?: readonly (string)[]
      /** No events of messages from this pool. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_pool?: readonly (string)[]
      /** A search as people type it. Each word must occur in the recipient, sender, From header or subject, ignoring letter case, or be the message id; quotation marks keep words together. `Anna <anna@example.org>`, `mailto:` links and Message-IDs can be pasted. Operators: `to:`, `from:` (From header or envelope sender), `sender:`, `subject:` and `answer:` (response of the receiving server) search in one field; `type:`, `code:`, `domain:`, `provider:`, `class:`, `id:`, `ip:`, `source:` and `pool:` take exact values, several separated by commas. `-` before a term excludes the events to which it applies: `anna code:5xx -type:Opened -subject:"out of office"`. Names that are not operators are words. At most 20 terms. */
      readonly q?: string
      /** Events whose recipient address contains this text, literally and ignoring letter case. */
      readonly recipient?: string
      /** Events whose envelope sender contains this text, literally and ignoring letter case. */
      readonly sender?: string
      /** Events whose From header contains this text, literally and ignoring letter case. */
      readonly header_from?: string
      /** Events whose subject contains this text, literally and ignoring letter case. */
      readonly subject?: string
      /** Only events of this message. */
      readonly message_id?: string
      /** Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC. */
      readonly from?: string
      /** End of the window, exclusive. Default: now. */
      readonly to?: string
      /** Maximum number of values of each facet, the most frequent first. */
      readonly limit?: number
      /** Only events of the tenant with this id or name. Default: all tenants. May be repeated; values are combined with OR. */
      readonly tenant?: readonly (string)[]
    }
    readonly returns: Facets
  }
  /** Follow the log */
  streamEvents: {
    readonly query?: {
      /** Only events of this sender domain, which must belong to the tenant. Default: all domains. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
      /** Only events of this type. May be repeated; values are combined with OR. */
      readonly type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** Only events with this response code: `550`, a class (`4xx`, `55x`) or a range, both ends included (`400-499`). May be repeated; values are combined with OR. */
      readonly code?: readonly (string)[]
      /** Only events of this receiving provider, exact match. May be repeated; values are combined with OR. */
      readonly provider?: readonly (string)[]
      /** Only events with this `bounce_classification`, exact match. May be repeated; values are combined with OR. */
      readonly classification?: readonly (string)[]
      /** Only events whose server response is this text once its variable parts (addresses, ids, numbers) are masked as `*`, exact match: a value of the facet `reply`. May be repeated; values are combined with OR. */
      readonly reply?: readonly (string)[]
      /** Only events of messages that were sent from this IP address, in any spelling. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_address?: readonly (string)[]
      /** Only events of messages that were sent from this source, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_source?: readonly (string)[]
      /** Only events of messages that were sent from this pool, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_pool?: readonly (string)[]
      /** No events of this sender domain. May be repeated. */
      readonly not_domain?: readonly (string)[]
      /** No events of this type. May be repeated. */
      readonly not_type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** No events with this response code, a class or a range as with `code`. May be repeated. */
      readonly not_code?: readonly (string)[]
      /** No events of this receiving provider, exact match. May be repeated. */
      readonly not_provider?: readonly (string)[]
      /** No events with this `bounce_classification`, exact match. May be repeated. */
      readonly not_classification?: readonly (string)[]
      /** No events with this masked server response, exact match. May be repeated. */
      readonly not_reply?: readonly (string)[]
      /** No events of messages from this IP address. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_address?: readonly (string)[]
      /** No events of messages from this source. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_source?: readonly (string)[]
      /** No events of messages from this pool. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_pool?: readonly (string)[]
      /** A search as people type it. Each word must occur in the recipient, sender, From header or subject, ignoring letter case, or be the message id; quotation marks keep words together. `Anna <anna@example.org>`, `mailto:` links and Message-IDs can be pasted. Operators: `to:`, `from:` (From header or envelope sender), `sender:`, `subject:` and `answer:` (response of the receiving server) search in one field; `type:`, `code:`, `domain:`, `provider:`, `class:`, `id:`, `ip:`, `source:` and `pool:` take exact values, several separated by commas. `-` before a term excludes the events to which it applies: `anna code:5xx -type:Opened -subject:"out of office"`. Names that are not operators are words. At most 20 terms. */
      readonly q?: string
      /** Events whose recipient address contains this text, literally and ignoring letter case. */
      readonly recipient?: string
      /** Events whose envelope sender contains this text, literally and ignoring letter case. */
      readonly sender?: string
      /** Events whose From header contains this text, literally and ignoring letter case. */
      readonly header_from?: string
      /** Events whose subject contains this text, literally and ignoring letter case. */
      readonly subject?: string
      /** Only events of this message. */
      readonly message_id?: string
      /** The same as the header `Last-Event-ID`, for clients that cannot send the header with their first request. If both are sent, the header counts. */
      readonly last_event_id?: string
    }
    readonly returns: Response
  }
  /** Follow the log of all tenants */
  streamAllEvents: {
    readonly query?: {
      /** Only events of this sender domain. Default: all domains of the tenants. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
      /** Only events of this type. May be repeated; values are combined with OR. */
      readonly type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** Only events with this response code: `550`, a class (`4xx`, `55x`) or a range, both ends included (`400-499`). May be repeated; values are combined with OR. */
      readonly code?: readonly (string)[]
      /** Only events of this receiving provider, exact match. May be repeated; values are combined with OR. */
      readonly provider?: readonly (string)[]
      /** Only events with this `bounce_classification`, exact match. May be repeated; values are combined with OR. */
      readonly classification?: readonly (string)[]
      /** Only events whose server response is this text once its variable parts (addresses, ids, numbers) are masked as `*`, exact match: a value of the facet `reply`. May be repeated; values are combined with OR. */
      readonly reply?: readonly (string)[]
      /** Only events of messages that were sent from this IP address, in any spelling. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_address?: readonly (string)[]
      /** Only events of messages that were sent from this source, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_source?: readonly (string)[]
      /** Only events of messages that were sent from this pool, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_pool?: readonly (string)[]
      /** No events of this sender domain. May be repeated. */
      readonly not_domain?: readonly (string)[]
      /** No events of this type. May be repeated. */
      readonly not_type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** No events with this response code, a class or a range as with `code`. May be repeated. */
      readonly not_code?: readonly (string)[]
      /** No events of this receiving provider, exact match. May be repeated. */
      readonly not_provider?: readonly (string)[]
      /** No events with this `bounce_classification`, exact match. May be repeated. */
      readonly not_classification?: readonly (string)[]
      /** No events with this masked server response, exact match. May be repeated. */
      readonly not_reply?: readonly (string)[]
      /** No events of messages from this IP address. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_address?: readonly (string)[]
      /** No events of messages from this source. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_source?: readonly (string)[]
      /** No events of messages from this pool. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated. */
      readonly not_sending_pool?: readonly (string)[]
      /** A search as people type it. Each word must occur in the recipient, sender, From header or subject, ignoring letter case, or be the message id; quotation marks keep words together. `Anna <anna@example.org>`, `mailto:` links and Message-IDs can be pasted. Operators: `to:`, `from:` (From header or envelope sender), `sender:`, `subject:` and `answer:` (response of the receiving server) search in one field; `type:`, `code:`, `domain:`, `provider:`, `class:`, `id:`, `ip:`, `source:` and `pool:` take exact values, several separated by commas. `-` before a term excludes the events to which it applies: `anna code:5xx -type:Opened -subject:"out of office"`. Names that are not operators are words. At most 20 terms. */
      readonly q?: string
      /** Events whose recipient address contains this text, literally and ignoring letter case. */
      readonly recipient?: string
      /** Events whose envelope sender contains this text, literally and ignoring letter case. */
      readonly sender?: string
      /** Events whose From header contains this text, literally and ignoring letter case. */
      readonly header_from?: string
      /** Events whose subject contains this text, literally and ignoring letter case. */
      readonly subject?: string
      /** Only events of this message. */
      readonly message_id?: string
      /** The same as the header `Last-Event-ID`, for clients that cannot send the header with their first request. If both are sent, the header counts. */
      readonly last_event_id?: string
      /** Only events of the tenant with this id or name. Default: all tenants. May be repeated; values are combined with OR. */
      readonly tenant?: readonly (string)[]
    }
    readonly returns: Response
  }
  /** Get the timeline of a message */
  getMessage: {
    readonly path: {
      /** Message id: the `id` of its events. */
      readonly id: string
    }
    readonly query?: {
      /** The sender domain. Default: all domains of the tenant are searched. */
      readonly domain?: string
    }
    readonly returns: Message
  }
  /** Get the timeline of a message of any tenant */
  getAnyMessage: {
    readonly path: {
      /** Message id: the `id` of its events. */
      readonly id: string
    }
    readonly query?: {
      /** Only events of the tenant with this id or name. Default: all tenants. May be repeated; values are combined with OR. */
      readonly tenant?: readonly (string)[]
      /** The sender domain. Default: all domains of the tenants are searched. */
      readonly domain?: string
    }
    readonly returns: Message
  }
  /** Counts over time */
  getSeries: {
    readonly query?: {
      /** Period of each count: an hour, or a day in UTC. */
      readonly bucket?: "hour" | "day"
      /** One series for each event type, receiving provider, bounce classification or sender domain; for each figure of `GET /v1/stats/figures`; or for each sending address, source or pool, which count only events whose mail server has reported one. 403 for a tenant unless the operator shows tenants where messages were sent from. */
      readonly group?: "type" | "provider" | "classification" | "domain" | "sending_address" | "sending_source" | "sending_pool" | "figure"
      /** Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC. */
      readonly from?: string
      /** End of the window, exclusive. Default: now. */
      readonly to?: string
      /** Only events of this sender domain, which must belong to the tenant. Default: all domains. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
      /** Only events of this type. May be repeated; values are combined with OR. */
      readonly type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** Only events that this figure counts. May be repeated. Not together with `type`. */
      readonly figure?: readonly ("received" | "delivered" | "deferred" | "delayed" | "bounced" | "late_bounces" | "complaints" | "opens" | "clicks")[]
      /** Only events of this receiving provider, exact match. May be repeated; values are combined with OR. */
      readonly provider?: readonly (string)[]
      /** Only events with this `bounce_classification`, exact match. May be repeated; values are combined with OR. */
      readonly classification?: readonly (string)[]
      /** Only events of messages that were sent from this IP address, in any spelling. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_address?: readonly (string)[]
      /** Only events of messages that were sent from this source, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_source?: readonly (string)[]
      /** Only events of messages that were sent from this pool, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_pool?: readonly (string)[]
      /** Maximum number of series, the largest first; the others are summed in `rest`. */
      readonly limit?: number
    }
    readonly returns: Series
  }
  /** Counts over time of all tenants */
  getAllSeries: {
    readonly query?: {
      /** Period of each count: an hour, or a day in UTC. */
      readonly bucket?: "hour" | "day"
      /** One series for each event type, receiving provider, bounce classification or sender domain; for each figure of `GET /v1/stats/figures`; or for each sending address, source or pool, which count only events whose mail server has reported one. 403 for a tenant unless the operator shows tenants where messages were sent from. */
      readonly group?: "type" | "provider" | "classification" | "domain" | "sending_address" | "sending_source" | "sending_pool" | "figure"
      /** Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC. */
      readonly from?: string
      /** End of the window, exclusive. Default: now. */
      readonly to?: string
      /** Only events of this sender domain. Default: all domains of the tenants. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
      /** Only events of this type. May be repeated; values are combined with OR. */
      readonly type?: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
      /** Only events that this figure counts. May be repeated. Not together with `type`. */
      readonly figure?: readonly ("received" | "delivered" | "deferred" | "delayed" | "bounced" | "late_bounces" | "complaints" | "opens" | "clicks")[]
      /** Only events of this receiving provider, exact match. May be repeated; values are combined with OR. */
      readonly provider?: readonly (string)[]
      /** Only events with this `bounce_classification`, exact match. May be repeated; values are combined with OR. */
      readonly classification?: readonly (string)[]
      /** Only events of messages that were sent from this IP address, in any spelling. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_address?: readonly (string)[]
      /** Only events of messages that were sent from this source, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_source?: readonly (string)[]
      /** Only events of messages that were sent from this pool, exact match. 403 for a tenant unless the operator shows tenants where messages were sent from. May be repeated; values are combined with OR. */
      readonly sending_pool?: readonly (string)[]
      /** Maximum number of series, the largest first; the others are summed in `rest`. */
      readonly limit?: number
      /** Only events of the tenant with this id or name. Default: all tenants. May be repeated; values are combined with OR. */
      readonly tenant?: readonly (string)[]
    }
    readonly returns: Series
  }
  /** Definitions of the figures */
  listFigures: {
    readonly returns: Figures
  }
  /** What has changed */
  getInsights: {
    readonly query?: {
      /** Only events of this sender domain, which must belong to the tenant. Default: all domains. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
    }
    readonly returns: Insights
  }
  /** What has changed, of all tenants */
  getAllInsights: {
    readonly query?: {
      /** Only events of the tenant with this id or name. Default: all tenants. May be repeated; values are combined with OR. */
      readonly tenant?: readonly (string)[]
      /** Only events of this sender domain. Default: all domains of the tenants. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
    }
    readonly returns: Insights
  }
  /** Time from reception to delivery */
  getDeliveryTimes: {
    readonly query?: {
      /** Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC. */
      readonly from?: string
      /** End of the window, exclusive. Default: now. */
      readonly to?: string
      /** Only events of this sender domain, which must belong to the tenant. Default: all domains. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
    }
    readonly returns: DeliveryTimes
  }
  /** Time from reception to delivery, of all tenants */
  getAllDeliveryTimes: {
    readonly query?: {
      /** Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC. */
      readonly from?: string
      /** End of the window, exclusive. Default: now. */
      readonly to?: string
      /** Only events of the tenant with this id or name. Default: all tenants. May be repeated; values are combined with OR. */
      readonly tenant?: readonly (string)[]
      /** Only events of this sender domain. Default: all domains of the tenants. May be repeated; values are combined with OR. */
      readonly domain?: readonly (string)[]
    }
    readonly returns: DeliveryTimes
  }
  /** List domains */
  listDomainSummaries: {
    readonly returns: DomainSummaries
  }
  /** Add a domain */
  addOwnDomain: {
    readonly body: {
      /** A host name of at least two labels that is not a public suffix. */
      readonly name: string
      /** At most 500 characters. */
      readonly description?: string
    }
    readonly returns: DomainDetail
  }
  /** Get a domain and its records */
  getDomain: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
    }
    readonly returns: DomainDetail
  }
  /** Remove a domain that is not proven yet */
  removeOwnDomain: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
    }
    readonly returns: undefined
  }
  /** Check a domain now */
  checkDomain: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
    }
    readonly returns: DomainCheck
  }
  /** List tenants */
  listTenants: {
    readonly query?: {
      /** Only tenants whose name contains this text, in upper or lower case, or whose id or client id it is. */
      readonly search?: string
      /** Order: by name, by the time of creation, or by the number of domains or keys. */
      readonly sort?: "name" | "-name" | "created" | "-created" | "-domains" | "-keys"
      /** Tenants to skip. */
      readonly skip?: number
      /** Maximum number of tenants to return. Default: all. */
      readonly take?: number
    }
    readonly returns: Tenants
  }
  /** Create a tenant */
  createTenant: {
    readonly body: {
      /** At most 100 printable characters. */
      readonly name: string
      /** The limits of the tenant. */
      readonly quotas?: {
        /** Sender domains. Null: no quota. */
        readonly domains?: number | null
        /** API keys that are neither revoked nor expired. Null: no quota. */
        readonly keys?: number | null
        /** Events that are ingested in one UTC day. Null: no quota. */
        readonly eventsPerDay?: number | null
      }
      /** Its events are removed after this many days, if the retention of the installation does not remove them earlier. Null: only by that. */
      readonly retentionDays?: number | null
    }
    readonly returns: Tenant
  }
  /** Change the quotas and the retention of a tenant */
  changeTenant: {
    readonly path: {
      /** The tenant's id. */
      readonly id: string
    }
    readonly body: {
      /** The limits of the tenant. */
      readonly quotas?: {
        /** Sender domains. Null: no quota. */
        readonly domains?: number | null
        /** API keys that are neither revoked nor expired. Null: no quota. */
        readonly keys?: number | null
        /** Events that are ingested in one UTC day. Null: no quota. */
        readonly eventsPerDay?: number | null
      }
      /** Its events are removed after this many days, if the retention of the installation does not remove them earlier. Null: only by that. */
      readonly retentionDays?: number | null
    }
    readonly returns: Tenant
  }
  /** Delete a tenant */
  removeTenant: {
    readonly path: {
      /** The tenant's id. */
      readonly id: string
    }
    readonly query?: {
      /** Required: the name of what is to be removed, to prevent mistakes. */
      readonly confirm?: string
    }
    readonly returns: Removal
  }
  /** Suspend a tenant */
  suspendTenant: {
    readonly path: {
      /** The tenant's id. */
      readonly id: string
    }
    readonly returns: Tenant
  }
  /** Resume a suspended tenant */
  resumeTenant: {
    readonly path: {
      /** The tenant's id. */
      readonly id: string
    }
    readonly returns: Tenant
  }
  /** List API keys */
  listKeys: {
    readonly query?: {
      /** Only keys whose id, name or tenant's name contains this text, in upper or lower case. */
      readonly search?: string
      /** `true`: only keys that are neither revoked nor expired. `false`: only the others. */
      readonly valid?: boolean
      /** Only keys with this scope. */
      readonly scope?: "logs" | "domains" | "domainStats" | "addDomains" | "ingest" | "admin" | "read"
      /** Order: by the time of creation, by name, by the tenant's name, by the last use, or by the time of expiry. Keys without the value come last; `used` lists keys that were never used first. */
      readonly sort?: "-created" | "created" | "name" | "tenant" | "-used" | "used" | "expires"
      /** Keys to skip. */
      readonly skip?: number
      /** Maximum number of keys to return. Default: all. */
      readonly take?: number
    }
    readonly returns: ApiKeys
  }
  /** Create an API key */
  createKey: {
    readonly body: {
      /** The tenant's name. Default: an operator key. */
      readonly tenant?: string
      /** For a tenant key: `logs`, `domains`, `domainStats`; default: these three. Also `addDomains`: the tenant adds domains itself, if the operator has set ENVELOG_ADD_DOMAINS. Or only `ingest`: the key sends events of the tenant's domains and can do nothing else. For an operator key: `ingest`, `admin`, `read` (everything that /v1/admin shows except secrets, and no changes); at least one is required. */
      readonly scopes?: readonly (string)[]
      /** A name to recognize it by: at most 100 printable characters. Empty: none. */
      readonly name?: string
      /** When the key expires: a duration from now such as `90d`, or a time in the future such as `2027-01-31T12:00:00Z`. Null: never. */
      readonly expires?: string | null
      /** Addresses and CIDR blocks that the key may be used from, at most 50. Empty: everywhere. Requests from elsewhere get the same response as with an invalid key. */
      readonly networks?: readonly (string)[]
    }
    readonly returns: CreatedApiKey
  }
  /** Change an API key */
  changeKey: {
    readonly path: {
      /** The public part of the key. */
      readonly id: string
    }
    readonly body: {
      /** A name to recognize it by: at most 100 printable characters. Empty: none. */
      readonly name?: string
      /** When the key expires: a duration from now such as `90d`, or a time in the future such as `2027-01-31T12:00:00Z`. Null: never. */
      readonly expires?: string | null
      /** Addresses and CIDR blocks that the key may be used from, at most 50. Empty: everywhere. Requests from elsewhere get the same response as with an invalid key. */
      readonly networks?: readonly (string)[]
    }
    readonly returns: ApiKey
  }
  /** Revoke an API key */
  revokeKey: {
    readonly path: {
      /** The public part of the key. */
      readonly id: string
    }
    readonly returns: undefined
  }
  /** List domains of all tenants */
  listAllDomains: {
    readonly query?: {
      /** Only domains of the tenant with this id or name. */
      readonly tenant?: string
      /** Only domains whose name contains this text. */
      readonly search?: string
      /** `true`: only active, approved and verified domains. `false`: only the others. */
      readonly onboarded?: boolean
      /** Order: by name, or by the time of the last check. */
      readonly sort?: "name" | "-name" | "checked" | "-checked"
      /** Whether to include the sending address, records and errors of each domain. */
      readonly details?: boolean
      /** Domains to skip. */
      readonly skip?: number
      /** Maximum number of domains to return. */
      readonly take?: number
    }
    readonly returns: AdminDomains
  }
  /** Add a domain */
  addDomain: {
    readonly body: {
      /** A host name of at least two labels that is not a public suffix. */
      readonly name: string
      /** The tenant's name. */
      readonly tenant: string
      /** Whether it can be verified at once. */
      readonly active?: boolean
      /** At most 500 characters. */
      readonly description?: string
      /** An address at the domain. Default: the domain's postmaster. */
      readonly sendingEmail?: string
    }
    readonly returns: AdminDomainDetail
  }
  /** Get a domain of any tenant */
  getAnyDomain: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
    }
    readonly returns: AdminDomainDetail
  }
  /** Remove a domain */
  removeDomain: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
    }
    readonly query?: {
      /** Required: the name of what is to be removed, to prevent mistakes. */
      readonly confirm?: string
    }
    readonly returns: Removal
  }
  /** Activate a domain */
  activateDomain: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
    }
    readonly returns: AdminDomainDetail
  }
  /** Deactivate a domain */
  deactivateDomain: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
    }
    readonly returns: AdminDomainDetail
  }
  /** Check a domain of any tenant now */
  checkAnyDomain: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
    }
    readonly returns: AdminDomainCheck
  }
  /** List the DKIM keys of a domain */
  listDkimKeys: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
    }
    readonly returns: DkimKeys
  }
  /** Create a DKIM key */
  rotateDkimKey: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
    }
    readonly body: {
      /** RSA keys have 2048 bits. */
      readonly algorithm?: "rsa" | "ed25519"
    }
    readonly returns: NewDkimKey
  }
  /** Promote a DKIM key */
  promoteDkimKey: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
      /** The selector of the key. */
      readonly selector: string
    }
    readonly returns: DkimKeys
  }
  /** Delete a DKIM key */
  retireDkimKey: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
      /** The selector of the key. */
      readonly selector: string
    }
    readonly returns: DkimKeys
  }
  /** Get the private key of a DKIM key */
  getDkimPrivateKey: {
    readonly path: {
      /** Domain name. Letter case and one trailing dot are ignored. */
      readonly name: string
      /** The selector of the key; `current` for the key in use. */
      readonly selector: string
    }
    readonly returns: DkimPrivateKey
  }
  /** Get the state of ingest */
  getIngestHealth: {
    readonly returns: IngestHealth
  }
  /** Get storage use by day */
  getStorageUse: {
    readonly returns: StorageUse
  }
  /** List quarantined records */
  listQuarantine: {
    readonly query?: {
      /** `next` of the previous page. */
      readonly cursor?: number
      /** Page size. */
      readonly limit?: number
      /** Whether to return payloads in full. Pages may then be shorter than `limit`. */
      readonly whole?: boolean
    }
    readonly returns: Quarantine
  }
  /** Delete quarantined records */
  dropQuarantine: {
    readonly query?: {
      /** The records with these ids. */
      readonly id?: readonly (number)[]
      /** All records of this connector. */
      readonly connector?: string
      /** All records of this source, as a listing shows it. */
      readonly source?: string
      /** `true`: all records. */
      readonly all?: boolean
    }
    readonly returns: DroppedRecords
  }
  /** Replay quarantined records */
  replayQuarantine: {
    readonly returns: Replay
  }
  /** List removals */
  listRemovals: {
    readonly returns: Removals
  }
  /** Get a removal */
  getRemoval: {
    readonly path: {
      /** The removal's id. */
      readonly id: string
    }
    readonly returns: Removal
  }
  /** Erase a recipient */
  eraseRecipient: {
    readonly body: {
      /** The address of the recipient. Letter case is ignored. */
      readonly address: string
    }
    readonly returns: Removal
  }
  /** Sign a return path */
  makeReturnPath: {
    readonly body: {
      /** The sender domain. */
      readonly domain: string
      /** Message id: the `id` of its events. No control characters. */
      readonly messageId: string
      /** The recipient it is valid for. Default: all recipients of the message. */
      readonly recipient?: string
      /** The part after the @. Default: the configured label below the domain. */
      readonly host?: string
    }
    readonly returns: ReturnPath
  }
  /** Verify a return path */
  verifyReturnPath: {
    readonly body: {
      /** A return path, an envelope id or the header. */
      readonly text: string
      /** Needed if it was made for one recipient. */
      readonly recipient?: string
    }
    readonly returns: ProvenReference
  }
  /** Get the key that signs return paths */
  getReturnPathKey: {
    readonly returns: ReferenceKey
  }
  /** Get the secret that signs pixels and links */
  getTrackingSecret: {
    readonly returns: TrackingSecret
  }
  /** Back up all data */
  backUp: {
    readonly body: {
      /** Absolute path of the folder of backups on the server's machine. It is created if it is missing. */
      readonly folder: string
      /** How many backups to keep, including the new one; the oldest are removed. By default all are kept. */
      readonly keep?: number
      /** Whether to leave `master.key` out. The copy cannot be restored without it. */
      readonly withoutSecret?: boolean
    }
    readonly returns: Response
  }
  /** Repair a damaged day */
  repairDay: {
    readonly path: {
      /** UTC, such as `2026-01-31`. */
      readonly day: string
    }
    readonly returns: Response
  }
  /** Verify the statistics */
  recount: {
    readonly query?: {
      /** `true`: also correct the counters. Only for events in ClickHouse. */
      readonly repair?: boolean
    }
    readonly returns: Response
  }
  /** Accept a day that is set aside */
  acceptDay: {
    readonly path: {
      /** UTC, such as 2026-01-31. */
      readonly day: string
    }
    readonly returns: undefined
  }
  /** List the generations of the data secret */
  listSecrets: {
    readonly returns: Secrets
  }
  /** Rotate the secret */
  rotateSecret: {
    readonly returns: Response
  }
  /** Forget an earlier data secret */
  forgetSecret: {
    readonly path: {
      /** The id of a secret. */
      readonly id: string
    }
    readonly returns: undefined
  }
  /** End all sessions */
  endSessions: {
    readonly returns: undefined
  }
  /** Get the state of retention */
  getRetention: {
    readonly returns: RetentionStatus
  }
  /** Run retention */
  runRetention: {
    readonly body: {
      /** Whether you confirm that the clock and the retention period are right: everything due is then removed at once. */
      readonly confirmClock?: boolean
    }
    readonly returns: RetentionRun
  }
  /** List the audit log */
  listAudit: {
    readonly query?: {
      /** Start of the window, inclusive: ISO 8601 with a time zone (`2026-01-15T12:00:00Z`), or a date, which means midnight UTC. */
      readonly from?: string
      /** End of the window, exclusive. Default: now. */
      readonly to?: string
      /** Only entries of this kind. `administration`: actions of callers with the scope `admin`, sign-ins included. `session`: sign-ins and sign-outs of other keys. `reading`: an operator has read events or messages of tenants; the object says of which. `denied`: failed sign-ins, and requests to the administration without a valid key or scope. */
      readonly kind?: "administration" | "session" | "reading" | "denied"
      /** Only entries of the key with this id, or of the local user with this name. */
      readonly actor?: string
      /** Only entries of this operation, such as `createKey`. */
      readonly action?: string
      /** Only entries with this outcome. */
      readonly outcome?: "success" | "refused" | "failed"
      /** `next` of the previous page. Send it with the same filters. */
      readonly cursor?: number
      /** Page size. Ignored for files. */
      readonly limit?: number
      /** `json`: a page. `csv`, `ndjson`: all matching entries, as a file of any size. */
      readonly format?: "json" | "csv" | "ndjson"
    }
    readonly returns: AuditPage
  }
  /** Ingest events */
  ingestEvents: {
    readonly body: EmailLogEvent | readonly (EmailLogEvent)[]
    readonly returns: IngestResult
  }
  /** Ingest records of a mail server */
  ingestRecords: {
    readonly path: {
      /** Name of the mail server's record format. */
      readonly connector: "kumomta" | "haraka" | "maillog" | "tracking"
    }
    readonly body: unknown
    readonly returns: IngestResult
  }
  /** Ingest a report */
  ingestReport: {
    readonly body: string | Uint8Array
    readonly returns: IngestResult
  }
  /** Liveness */
  getHealth: {
    readonly returns: Health
  }
  /** Readiness */
  getReadiness: {
    readonly returns: Health
  }
}

/** The body of every response that is not 2xx. */
export type ErrorBody = {
  /** The HTTP status of this response. */
  readonly error: number
  /** What went wrong, in words. The wording may change; do not compare it. */
  readonly message: string
}

/** An event in the life of one message. Unknown fields are omitted, never null; only `campaign` may be null. `Opened` and `Click` events from Envelog's own tracking have two additional members: `url`, the target of a click, and `machine`, present if the request was automated. */
export type EmailLogEvent = {
  /** Message id. Shared by all events of the message; usable as the `message_id` filter. */
  readonly id: string
  /** Event time, Unix seconds. */
  readonly timestamp: number
  /** What happened. */
  readonly type: "Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback"
  /** Sender domain. */
  readonly domain_name: string
  /** Recipient address. */
  readonly recipient: string
  /** Envelope sender address; empty for the null reverse-path of a bounce. */
  readonly sender?: string
  /** Full From header including display name. */
  readonly from?: string
  /** Email subject. */
  readonly subject?: string
  /** SMTP or internal response code: 250 success, 4xx temporary, 5xx permanent, 400 an internal code (connection dropped, or a Delayed retry). */
  readonly response_code?: number
  /** Response text from the receiving server, or internal error. */
  readonly response_content?: string
  /** Enhanced status code in dotted form; may be empty. */
  readonly response_enhanced_code?: string
  /** Normalized name of the receiving provider. */
  readonly provider_name?: string
  /** Hostname of the receiving mail server. Present once a connection was made. */
  readonly peer_name?: string
  /** Failure category assigned by the sending engine. */
  readonly bounce_classification?: string
  /** Delivery attempts made at the time of the event. */
  readonly num_attempts?: number
  /** Message size in bytes. */
  readonly size?: number
  /** The message's id in the service's own message-id header, for support. */
  readonly service_message_id?: string
  /** Message direction, for example `outbound`. */
  readonly direction?: string
  /** Campaign identifier, when applicable. */
  readonly campaign?: string | null
  /** Protocol the message was received over, for example HTTP. */
  readonly reception_protocol?: string
  /** Protocol used to deliver to the recipient server, for example ESMTP. */
  readonly delivery_protocol?: string
  /** TLS version used for delivery. */
  readonly tls_protocol_version?: string
  /** TLS cipher used for delivery. */
  readonly tls_cipher?: string
}

/** One page of the log. */
export type EmailLogPage = {
  /** Newest first: by timestamp, then by arrival. */
  readonly events: readonly (EmailLogEvent)[]
  /** Number of events in this page. */
  readonly count: number
  /** Every filter in effect, as strings, with the resolved window; with `message_id` only that. `limit` and `next_token` are not filters. */
  readonly filters_applied: Readonly<Record<string, string>>
  /** Cursor for the next page, absent on the last page. A page may be short, or empty, and still have one, because a search that exceeds its time budget returns the events found so far. Following the tokens returns each event that was stored when the first page was served, exactly once. */
  readonly next_token?: string
}

/** One event, reduced to the fields of this endpoint. Unknown fields are omitted. */
export type RecentEmailLogEvent = {
  /** Message id. Shared by all events of the message; usable as the `message_id` filter. */
  readonly id: string
  /** Event time, Unix seconds. */
  readonly timestamp: number
  /** Sender domain. */
  readonly domain_name: string
  /** Recipient address. */
  readonly recipient: string
  /** SMTP or internal response code: 250 success, 4xx temporary, 5xx permanent, 400 an internal code (connection dropped, or a Delayed retry). */
  readonly response_code?: number
  /** Envelope sender address; empty for the null reverse-path of a bounce. */
  readonly sender?: string
  /** Email subject. */
  readonly subject?: string
  /** What happened. */
  readonly type: "Reception" | "Delivery" | "Bounce" | "TransientFailure" | "Opened" | "Click"
  /** Full From header including display name. */
  readonly from?: string
}

/** The newest events of the last 15 days. */
export type RecentEmailLog = {
  /** Newest first, at most 1000. */
  readonly events: readonly (RecentEmailLogEvent)[]
  /** Number of events in this response. */
  readonly count: number
  /** The requested `type`; empty if none was sent. */
  readonly filtered_type: "Reception" | "Delivery" | "Bounce" | "TransientFailure" | "Opened" | "Click" | ""
}

/** A DNS record that the domain needs. */
export type DnsRecord = {
  /** Type of the DNS record. */
  readonly type: "TXT" | "CNAME" | "MX"
  /** Full name to publish the record at. */
  readonly name: string
  /** Value to publish. */
  readonly value: string
  /** What the record is for. */
  readonly purpose: "DKIM" | "SPF" | "DMARC" | "RETURN_PATH" | "TRACKING" | "MX"
  /** Whether verification fails without it. */
  readonly required: boolean
  /** What the last check found: `pending` before the first, `unknown` if DNS could not be queried. */
  readonly status: "pending" | "valid" | "invalid" | "unknown"
  /** Values that the last check found at this name. */
  readonly actual: readonly (string)[]
}

/** Why a verification failed. */
export type VerificationError = {
  /** Error category: the type of the record at fault (`TXT`, `CNAME`, `MX`), `CONFIG` (the domain is not active yet, or has no DKIM key) or `SYSTEM` (DNS could not be queried; the status of the domain is unchanged). */
  readonly type: "TXT" | "CNAME" | "MX" | "CONFIG" | "SYSTEM"
  /** What is wrong and how to fix it. */
  readonly error: string
  /** Expected DNS record value(s). */
  readonly required: readonly (string)[]
  /** DNS record value(s) actually found. */
  readonly actual: readonly (string)[]
}

/** A sender domain. */
export type Domain = {
  /** Domain id, used in the verify path. */
  readonly id: string
  /** Creation time. */
  readonly createdAt: string
  /** Last update time; default sort key. */
  readonly updatedAt: string
  /** Domain name, in its ASCII form. */
  readonly name: string
  /** Description. */
  readonly description: string
  /** Sending address of the domain. */
  readonly sendingEmail: string
  /** DNS records the domain requires. */
  readonly dnsRecords: readonly (DnsRecord)[]
  /** Set by the operator. Only an active domain can be verified. */
  readonly isActive: boolean
  /** Set and cleared together with `isVerified`. */
  readonly isApproved: boolean
  /** Whether all required records were correct at the last conclusive check. A DNS outage never changes it. */
  readonly isVerified: boolean
  /** Errors from the most recent verification check; empty when it succeeded or there was none. */
  readonly lastVerificationErrors: readonly (VerificationError)[]
  /** Time of the most recent verification check; absent before the first. */
  readonly lastVerificationCheckedAt?: string
}

/** One page of domains. */
export type DomainList = {
  readonly domains: readonly (Domain)[]
  /** Number of domains that match, not the page's length. */
  readonly count: number
}

/** Result of a verification check. */
export type VerificationResult = {
  /** Result of this check. */
  readonly isVerified: boolean
  /** Present if verification failed, with one entry per problem. */
  readonly verificationErrors?: readonly (VerificationError)[]
  /** Present if a required record is correct only because our mechanism comes first: receivers stop evaluating the policy after it, for example because the policy needs more than 10 DNS lookups. `required` is empty. */
  readonly verificationWarnings?: readonly (VerificationError)[]
}

/** Counts since the domain was added. They are kept when retention removes the events. */
export type DomainStatistics = {
  readonly counts: {
    /** Events of type `Bounce`. An `OOBBounce` is not counted: its message was counted as delivered before. */
    readonly bounce: number
    /** Events of type `Delivery`. */
    readonly delivery: number
    /** Events of type `Reception`. */
    readonly reception: number
  }
  /** When the counts last changed, in UTC; null before the first counted event. */
  readonly lastUpdated: string | null
}

/** An acknowledged event is counted in the next response. */
export type TenantStatistics = {
  /** Tenant's client identifier. */
  readonly client_id: string
  /** By domain name. Every domain of the tenant is listed, with zeros if it has no events. */
  readonly domains: Readonly<Record<string, DomainStatistics>>
  /** Number of domains. */
  readonly total_domains: number
}

/** The caller, and when the session expires. */
export type Session = {
  /** The owner of the key. */
  readonly principal: {
    readonly kind: "tenant"
    readonly tenant: {
      /** The tenant's id in /v1/admin. */
      readonly id: string
      /** The `client_id` in the statistics. */
      readonly clientId: string
      readonly name: string
    }
    readonly scopes: readonly ("logs" | "domains" | "domainStats" | "addDomains" | "ingest")[]
  } | {
    readonly kind: "operator"
    readonly scopes: readonly ("ingest" | "admin" | "read")[]
  }
  /** To be sent as `X-CSRF-Token`. Absent if the request was made with a key instead of the cookie. */
  readonly csrfToken?: string
  /** When the session expires. Absent if there is none. */
  readonly expiresAt?: string
  /** The operator's brand, part of a field's name; empty if there is none. */
  readonly brand: string
  /** The name of the field `service_message_id` in events. */
  readonly serviceMessageIdField: string
  /** Retention period of events in days. */
  readonly retentionDays: number
  /** Whether `POST /v1/domains` is allowed: the key has the scope `addDomains` and the operator lets tenants add domains. */
  readonly addsDomains: boolean
  /** The version of the server. */
  readonly version: string
}

/** The quotas of the tenant. */
export type OwnQuotas = {
  /** The limits of the tenant. */
  readonly quotas: {
    /** Sender domains. Null: no quota. */
    readonly domains: number | null
    /** API keys that are neither revoked nor expired. Null: no quota. */
    readonly keys: number | null
    /** Events that are ingested in one UTC day. Null: no quota. */
    readonly eventsPerDay: number | null
  }
  /** What the tenant uses. */
  readonly use: {
    readonly domains: number
    /** Keys that are neither revoked nor expired. */
    readonly keys: number
    /** Events that were ingested since midnight UTC. After a restart of the server: those stored with a time of today. Null if the tenant has no quota of events. */
    readonly eventsToday: number | null
  }
  /** When `eventsToday` is reset to 0: the next midnight UTC. */
  readonly resetsAt: string
}

/** A search of the log, saved under a name. */
export type View = {
  /** Unique for the key. */
  readonly name: string
  /** The query string of the log page of the console, such as `type=Bounce&last=24h`. */
  readonly query: string
  /** When it was saved. */
  readonly savedAt: string
}

/** The views of a key. */
export type Views = {
  /** By name; at most 50. */
  readonly views: readonly (View)[]
}

/** One page of the log of all domains. */
export type EventsPage = {
  /** Newest first: by timestamp, then in a fixed order that does not change when events arrive. */
  readonly events: readonly (EmailLogEvent)[]
  /** Cursor for the next page; null on the last page. A page may be short, or empty, and still have one, because a search that exceeds its time budget returns the events found so far. */
  readonly next: string | null
  /** The window has been searched from its end back to this time. */
  readonly searchedTo: string
}

/** The number of events that match a search. */
export type Facets = {
  /** Events counted. */
  readonly total: number
  /** Whether `total` is the number of all matching events. Otherwise see `countedFrom`. */
  readonly isExact: boolean
  /** Start of what was counted. Later than the start of the window if the budget ran out: older events are missing. Earlier if the counts by hour answered, which are rounded to whole hours. */
  readonly countedFrom: string
  /** End of what was counted, exclusive. */
  readonly countedTo: string
  /** Events without a value are in no facet, so the counts of one may be fewer than `total`. */
  readonly facets: readonly ({
    /** The parameter that filters by its values. */
    readonly name: "type" | "domain" | "provider" | "classification" | "code" | "reply" | "sending_address" | "sending_source" | "sending_pool"
    /** Whether `values` are all values, with the number of all matching events. */
    readonly isExact: boolean
    /** Whether only the newest events were counted for this facet, possibly fewer than those since `countedFrom`: its counts are lower bounds. */
    readonly isNewestOnly: boolean
    /** Most frequent first. */
    readonly values: readonly ({
      readonly value: string
      readonly count: number
    })[]
    /** Number of further values. */
    readonly more: number
  })[]
  /** Length of the intervals of `buckets`. */
  readonly bucketSeconds: number
  /** Counts over time, newest first. Intervals without events are omitted. */
  readonly buckets: readonly ({
    /** Start of the interval. */
    readonly from: string
    readonly type: "Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback"
    readonly count: number
  })[]
}

/** An event of the log, with an explanation for the timeline. */
export type TimelineEvent = {
  /** Message id. Shared by all events of the message; usable as the `message_id` filter. */
  readonly id: string
  /** Event time, Unix seconds. */
  readonly timestamp: number
  /** What happened. */
  readonly type: "Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback"
  /** Sender domain. */
  readonly domain_name: string
  /** Recipient address. */
  readonly recipient: string
  /** Envelope sender address; empty for the null reverse-path of a bounce. */
  readonly sender?: string
  /** Full From header including display name. */
  readonly from?: string
  /** Email subject. */
  readonly subject?: string
  /** SMTP or internal response code: 250 success, 4xx temporary, 5xx permanent, 400 an internal code (connection dropped, or a Delayed retry). */
  readonly response_code?: number
  /** Response text from the receiving server, or internal error. */
  readonly response_content?: string
  /** Enhanced status code in dotted form; may be empty. */
  readonly response_enhanced_code?: string
  /** Normalized name of the receiving provider. */
  readonly provider_name?: string
  /** Hostname of the receiving mail server. Present once a connection was made. */
  readonly peer_name?: string
  /** Failure category assigned by the sending engine. */
  readonly bounce_classification?: string
  /** Delivery attempts made at the time of the event. */
  readonly num_attempts?: number
  /** Message size in bytes. */
  readonly size?: number
  /** The message's id in the service's own message-id header, for support. */
  readonly service_message_id?: string
  /** Message direction, for example `outbound`. */
  readonly direction?: string
  /** Campaign identifier, when applicable. */
  readonly campaign?: string | null
  /** Protocol the message was received over, for example HTTP. */
  readonly reception_protocol?: string
  /** Protocol used to deliver to the recipient server, for example ESMTP. */
  readonly delivery_protocol?: string
  /** TLS version used for delivery. */
  readonly tls_protocol_version?: string
  /** TLS cipher used for delivery. */
  readonly tls_cipher?: string
  /** The target of a click. */
  readonly url?: string
  /** The kind of machine that opened or clicked; absent if it may have been a person. */
  readonly machine?: string
  /** When the mail server will try again, in Unix seconds, if it has reported that. */
  readonly next_attempt?: number
  /** IP address that the message was sent from. This and the next two are shown to the operator, and to tenants if the operator allows it. */
  readonly sending_address?: string
  /** What the mail server calls the origin: an egress source, a virtual MTA, an instance or transport. */
  readonly sending_source?: string
  /** The group of origins that the source belongs to. */
  readonly sending_pool?: string
  /** What happened, why, and what to do, in plain sentences. Made from type, class, codes and text together; less specific where they contradict each other. */
  readonly explanation: string
  /** Who has to act: the `sender` of the message, the `operator` of the sending platform, the `receiver` (the recipient or the recipient's provider), or `nobody`, because it will be retried or because nothing went wrong. */
  readonly actor: "sender" | "operator" | "receiver" | "nobody"
  /** Time since the previous event; null for the first. Events have a resolution of one second. */
  readonly sincePreviousMs: number | null
  /** Which delivery attempt to this recipient this was, counting from 1; null if the event is not an attempt. */
  readonly attempt: number | null
  /** The response with its variable parts (addresses, ids, numbers) masked as `*`: a value of the filter `reply`. Absent without a response. */
  readonly reply?: string
  /** Opened or clicked by a machine, such as a mail provider's proxy, not by a person. Absent if unknown. */
  readonly isMachine?: boolean
}

/** One message. */
export type Message = {
  readonly id: string
  /** Sender domain. */
  readonly domain: string
  /** Other domains of the tenant that have a message with the same id. */
  readonly alsoIn?: readonly (string)[]
  /** In the order of their first event. */
  readonly recipients: readonly (string)[]
  /** Envelope sender. */
  readonly sender: string | null
  /** Full From header. */
  readonly header_from: string | null
  /** Subject. */
  readonly subject: string | null
  /** Size in bytes. */
  readonly size: number | null
  /** Campaign. */
  readonly campaign: string | null
  /** Oldest first. */
  readonly events: readonly (TimelineEvent)[]
  /** State of the message: `received`, `deferred` (the last attempt failed temporarily), `delivered`, `bounced`, `complained`; `mixed` if it differs between recipients. */
  readonly outcome: "received" | "deferred" | "delivered" | "bounced" | "complained" | "mixed"
  /** Present if there are more events: only the newest 5000 are shown. */
  readonly isCut?: boolean
}

/** Counts over time. */
export type Series = {
  readonly bucket: "hour" | "day"
  readonly group: "type" | "provider" | "classification" | "domain" | "sending_address" | "sending_source" | "sending_pool" | "figure"
  /** Start of the first bucket: the requested start, rounded down to a bucket. */
  readonly from: string
  /** End of the last bucket, exclusive: the requested end, rounded up to a bucket. */
  readonly to: string
  /** All buckets of the window, oldest first. */
  readonly times: readonly (string)[]
  /** Largest total first. Series without events are omitted. */
  readonly series: readonly ({
    /** Value of `group`: a type, a provider… Empty for events without a provider or classification. `(other)`: sending addresses, sources or pools beyond the first 256 of a domain and day. */
    readonly key: string
    /** Sum of the counts. */
    readonly total: number
    /** One for each of `times`. */
    readonly counts: readonly (number)[]
  })[]
  /** Sum of the series beyond `limit`. */
  readonly rest: {
    /** Number of omitted series. */
    readonly keys: number
    /** Sum of the counts. */
    readonly total: number
    /** One for each of `times`. */
    readonly counts: readonly (number)[]
  }
}

/** What a figure counts. */
export type Figure = {
  /** Its key with `group=figure`. */
  readonly id: "received" | "delivered" | "deferred" | "delayed" | "bounced" | "late_bounces" | "complaints" | "opens" | "clicks"
  /** For people. */
  readonly title: string
  /** What it counts, in words. */
  readonly meaning: string
  /** The event types that it counts. Each type belongs to exactly one figure. */
  readonly types: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
  /** The share of this figure is relative to the sum of these figures. Empty if it is only a count. */
  readonly shareOf: readonly ("received" | "delivered" | "deferred" | "delayed" | "bounced" | "late_bounces" | "complaints" | "opens" | "clicks")[]
}

export type Figures = {
  readonly figures: readonly (Figure)[]
}

/** Failures that are more frequent than usual. */
export type Finding = {
  /** The finding in words, with times in UTC. */
  readonly sentence: string
  /** What is more frequent, as in `GET /v1/stats/figures`. */
  readonly figure: "bounced" | "deferred" | "late_bounces" | "complaints"
  /** The event types that the figure counts. */
  readonly types: readonly ("Reception" | "Delivery" | "Opened" | "Click" | "TransientFailure" | "Delayed" | "Bounce" | "OOBBounce" | "Feedback")[]
  /** The sending address whose mail fails, if the other addresses have no such failures. Null: the finding is about the provider, or sending addresses are not shown. */
  readonly address: string | null
  /** The receiving provider; empty for events without one. Null: several providers, none of which stands out. */
  readonly provider: string | null
  /** Number of providers, if there are several. */
  readonly providers?: number
  /** The bounce classification; empty for events without one. Null: whatever it is, in a finding about an address. */
  readonly classification: string | null
  /** The response code of most of the examined events; null if there is no such code. */
  readonly code: number | null
  /** The reply of most of the examined events, with its variable parts masked as `*`; null if there is no such reply. */
  readonly text: string | null
  /** Start of the hour in which it began. */
  readonly since: string
  /** End of the last hour of it; null while it lasts. */
  readonly until: string | null
  /** Events in this time. */
  readonly count: number
  /** Events that were to be expected in this time. */
  readonly usual: number
  /** Whether the provider or the sending address had no mail in the hours that were compared with. `usual` is then what a share of failures that is common at any provider would be, not an earlier count. */
  readonly isNew: boolean
  /** `count` as a part of all mail in this time, relative to what the share of the figure is relative to. */
  readonly share: number
  /** The same of the provider's mail, or of the address's in a finding about one. */
  readonly providerShare: number
  readonly domains: {
    /** Number of sender domains that have such events. */
    readonly count: number
    /** Up to 10 of them, those with the most events first. */
    readonly largest: readonly ({
      /** A domain. */
      readonly value: string
      readonly count: number
    })[]
  }
  /** Up to 10 sending addresses of the examined events, see `replies`, with their number among those, the largest first. In a finding about an address: it alone, with all its events. Empty if they are not known or not shown. */
  readonly addresses: readonly ({
    /** An IP address. */
    readonly value: string
    readonly count: number
  })[]
  /** What receiving servers replied. Empty if the key lacks the scope `logs`. */
  readonly replies: {
    /** Events whose replies were counted: the newest ones. */
    readonly examined: number
    /** Whether these are all events of the finding. */
    readonly isComplete: boolean
    /** Examined events with other replies. */
    readonly unlisted: number
    /** Most frequent first. */
    readonly listed: readonly ({
      /** The response code. */
      readonly code: number | null
      /** The masked reply; empty for events without one. */
      readonly text: string
      readonly count: number
    })[]
  }
  /** Parameters that list these events with `GET /v1/events`, and in the log of the console. */
  readonly query: string
}

/** What has changed. */
export type Insights = {
  /** Start of the window. */
  readonly from: string
  /** End of the window, exclusive: the end of the current hour. */
  readonly to: string
  /** What the window was compared with. */
  readonly comparison: {
    /** `weeks`: the same hours of earlier weeks. `hours`: the average of the hours before the window, because there is no mail of earlier weeks. `none`: there is no earlier mail; only high shares are findings. */
    readonly basis: "weeks" | "hours" | "none"
    /** Number of earlier weeks. */
    readonly weeks: number
    /** Number of hours before the window. */
    readonly hours: number
  }
  /** Worst first. Empty if nothing is unusual. */
  readonly findings: readonly (Finding)[]
  /** Number of further findings, less severe than those listed. */
  readonly omitted: number
  /** False if there were too many providers, classes and addresses to examine all of them. */
  readonly isComplete: boolean
}

/** How long messages took from reception to delivery. */
export type DeliveryTimes = {
  /** Start of the window. */
  readonly from: string
  /** End of the window, exclusive. */
  readonly to: string
  /** The parts of the window, equally long, oldest first. */
  readonly times: readonly (string)[]
  /** Sampled deliveries whose reception was found. */
  readonly count: number
  /** Seconds from reception to delivery: half of them took longer. Null for fewer than 5 deliveries. */
  readonly median: number | null
  /** Seconds: 5 % of them took longer. Null for fewer than 20 deliveries. */
  readonly percentile95: number | null
  /** Up to 50, those with the most sampled deliveries first. */
  readonly providers: readonly ({
    /** The receiving provider; empty for events without one. */
    readonly provider: string
    /** Sampled deliveries whose reception was found. */
    readonly count: number
    /** Seconds from reception to delivery: half of them took longer. Null for fewer than 5 deliveries. */
    readonly median: number | null
    /** Seconds: 5 % of them took longer. Null for fewer than 20 deliveries. */
    readonly percentile95: number | null
    /** One for each of `times`. */
    readonly parts: readonly ({
      /** Sampled deliveries whose reception was found. */
      readonly count: number
      /** Seconds from reception to delivery: half of them took longer. Null for fewer than 5 deliveries. */
      readonly median: number | null
      /** Seconds: 5 % of them took longer. Null for fewer than 20 deliveries. */
      readonly percentile95: number | null
    })[]
  })[]
  /** Deliveries that were sampled: up to 40 of each part of the window, the newest ones. */
  readonly sampled: number
  /** False if there was no time to sample all parts of the window. */
  readonly isComplete: boolean
}

/** Summary of a sender domain. */
export type DomainSummary = {
  readonly id: string
  /** In its ASCII form. */
  readonly name: string
  readonly description: string
  /** Set by the operator. Only an active domain can be verified. */
  readonly active: boolean
  /** False for a domain that the tenant added itself until its records are verified for the first time: only then are its events accepted. */
  readonly proven: boolean
  /** Whether all required records were correct at the last conclusive check. */
  readonly verified: boolean
  /** Whether the required DKIM record was correct at the last check. */
  readonly dkimVerified: boolean
  /** Whether the required SPF record was correct at the last check. */
  readonly spfVerified: boolean
  /** Whether the DMARC record, which is recommended, was correct at the last check. */
  readonly dmarcVerified: boolean
  /** Null before the first check. */
  readonly lastCheckAt: string | null
  /** Time of the next automatic check; null if none is scheduled. */
  readonly nextCheckAt: string | null
  /** `inactive`, `unverified`, `verified`, or `failing`: still verified, but the last check found a problem; the domain loses its verification if the next check finds one too. */
  readonly status: "inactive" | "unverified" | "verified" | "failing"
  /** When it was added. */
  readonly createdAt: string
  /** When it last changed. */
  readonly updatedAt: string
}

export type DomainSummaries = {
  /** By name. */
  readonly domains: readonly (DomainSummary)[]
}

export type PublishedRecord = {
  readonly purpose: "DKIM" | "SPF" | "DMARC" | "RETURN_PATH" | "TRACKING" | "MX"
  readonly type: "TXT" | "CNAME" | "MX"
  /** Full name. */
  readonly name: string
  /** Name relative to the zone, as most DNS panels expect it; `@` for the zone itself. */
  readonly host: string
  /** The registered domain name, whose zone is at the DNS provider. */
  readonly zone: string
  /** Value to publish. */
  readonly value: string
  /** Whether verification fails without it. */
  readonly required: boolean
  /** What the last check found: `pending` before the first, `unknown` if DNS could not be queried. */
  readonly status: "pending" | "valid" | "invalid" | "unknown"
  /** Expected values: `value`, or a variant that is compatible with the existing record. */
  readonly wanted: readonly (string)[]
  /** Values that the last check found at this name. */
  readonly found: readonly (string)[]
  /** What is wrong and how to fix it. Absent if nothing is wrong. */
  readonly error?: string
}

export type DomainError = {
  readonly type: "TXT" | "CNAME" | "MX" | "CONFIG" | "SYSTEM"
  /** What is wrong and how to fix it. */
  readonly error: string
  readonly required: readonly (string)[]
  readonly actual: readonly (string)[]
}

/** An SPF policy, as found by the last check that could read it. */
export type SpfTree = {
  /** Lookups needed for a sender that matches no mechanism. */
  readonly lookups: number
  /** Limit above which receivers reject the policy: 10. */
  readonly lookupsMax: number
  readonly voidLookups: {
    /** For senders with IPv4. */
    readonly ip4: number
    /** For senders with IPv6. */
    readonly ip6: number
  }
  /** Limit above which receivers reject the policy: 2. */
  readonly voidLookupsMax: number
  /** False if a part of the policy could not be evaluated: the numbers may be higher then. */
  readonly isComplete: boolean
  /** The policy of one domain: `{domain, kind, text?, problems?, texts?, reason?, terms}`; each term is `{text, lookup?, behind?, target?, voidFor?, problem?, policy?}`, with the policy of an include or redirect that was followed. */
  readonly policy: Readonly<Record<string, unknown>>
  /** The same tree as lines of text. */
  readonly lines: readonly (string)[]
  /** When DNS was queried for it. */
  readonly checkedAt: string
}

/** Checks in a row that had the same result. */
export type PastChecks = {
  /** `all_right`, `record_wrong`, or `dns_unreachable`: the status is unchanged. */
  readonly outcome: "all_right" | "record_wrong" | "dns_unreachable"
  /** Records that were missing or wrong, including recommended ones. */
  readonly wrong: readonly ("DKIM" | "SPF" | "DMARC" | "RETURN_PATH" | "TRACKING" | "MX")[]
  /** Time of the first of these checks. */
  readonly firstAt: string
  /** Time of the last of these checks. */
  readonly lastAt: string
  /** Number of checks. */
  readonly checks: number
}

/** A sender domain with its records. */
export type DomainDetail = {
  readonly id: string
  /** In its ASCII form. */
  readonly name: string
  readonly description: string
  /** Set by the operator. Only an active domain can be verified. */
  readonly active: boolean
  /** False for a domain that the tenant added itself until its records are verified for the first time: only then are its events accepted. */
  readonly proven: boolean
  /** Whether all required records were correct at the last conclusive check. */
  readonly verified: boolean
  /** Whether the required DKIM record was correct at the last check. */
  readonly dkimVerified: boolean
  /** Whether the required SPF record was correct at the last check. */
  readonly spfVerified: boolean
  /** Whether the DMARC record, which is recommended, was correct at the last check. */
  readonly dmarcVerified: boolean
  /** Null before the first check. */
  readonly lastCheckAt: string | null
  /** Time of the next automatic check; null if none is scheduled. */
  readonly nextCheckAt: string | null
  /** `inactive`, `unverified`, `verified`, or `failing`: still verified, but the last check found a problem; the domain loses its verification if the next check finds one too. */
  readonly status: "inactive" | "unverified" | "verified" | "failing"
  /** When it was added. */
  readonly createdAt: string
  /** When it last changed. */
  readonly updatedAt: string
  /** Sending address of the domain. */
  readonly sendingEmail: string
  /** Records to publish. */
  readonly records: readonly (PublishedRecord)[]
  /** Errors of the last check; empty if it succeeded. */
  readonly errors: readonly (DomainError)[]
  readonly spf?: SpfTree
  /** Results of the latest checks, newest first. Not in lists. */
  readonly history?: readonly (PastChecks)[]
}

export type CheckedRecord = {
  readonly purpose: "DKIM" | "SPF" | "DMARC" | "RETURN_PATH" | "TRACKING" | "MX"
  readonly type: "TXT" | "CNAME" | "MX"
  /** Full name. */
  readonly name: string
  /** Name relative to the zone, as most DNS panels expect it; `@` for the zone itself. */
  readonly host: string
  /** The registered domain name, whose zone is at the DNS provider. */
  readonly zone: string
  /** Value to publish. */
  readonly value: string
  /** Whether verification fails without it. */
  readonly required: boolean
  /** What the last check found: `pending` before the first, `unknown` if DNS could not be queried. */
  readonly status: "pending" | "valid" | "invalid" | "unknown"
  /** Expected values: `value`, or a variant that is compatible with the existing record. */
  readonly wanted: readonly (string)[]
  /** Values that the last check found at this name. */
  readonly found: readonly (string)[]
  /** What is wrong and how to fix it. Absent if nothing is wrong. */
  readonly error?: string
  /** Stable name of the problem. */
  readonly diagnosis?: string
  /** The diagnosis in words. */
  readonly meaning?: string
  /** Problems that do not fail the check but should be fixed. */
  readonly warnings: readonly (string)[]
  /** The warnings that have a diagnosis. The record is correct, but only because receivers evaluate our mechanism before they stop, for example at the eleventh DNS lookup. */
  readonly cautions: readonly ({
    /** Stable name of the problem. */
    readonly diagnosis: string
    /** The diagnosis in words. */
    readonly meaning: string
    /** What is wrong and how to fix it; also one of `warnings`. */
    readonly text: string
  })[]
  /** The servers that were queried for the record, and the kind of their answer. */
  readonly asked: readonly ({
    /** One of the zone's own name servers, or a resolver. */
    readonly server: string
    readonly kind: "authoritative" | "resolver"
    /** `stale`: the resolver still has an older answer in its cache. */
    readonly answer: "records" | "alias" | "alias_loop" | "no_such_name" | "no_such_type" | "unreachable" | "stale"
  })[]
}

/** Result of a check. */
export type DomainCheck = {
  /** Result of this check. */
  readonly isVerified: boolean
  /** `all_right`, `record_wrong`, `dns_unreachable` (the status is unchanged), or `not_checked`: the domain is not active or has no DKIM key, so DNS was not queried. */
  readonly outcome: "all_right" | "record_wrong" | "dns_unreachable" | "not_checked"
  /** Why verification failed; empty if it succeeded. */
  readonly errors: readonly (DomainError)[]
  /** Empty if nothing was checked. */
  readonly records: readonly (CheckedRecord)[]
  readonly spf?: SpfTree
  readonly domain: DomainDetail
}

export type TenantWithUse = {
  readonly id: string
  /** Shown to the tenant as `client_id` in the statistics. */
  readonly clientId: string
  /** Unique. */
  readonly name: string
  /** When it was created. */
  readonly createdAt: string
  /** The limits of the tenant. */
  readonly quotas: {
    /** Sender domains. Null: no quota. */
    readonly domains: number | null
    /** API keys that are neither revoked nor expired. Null: no quota. */
    readonly keys: number | null
    /** Events that are ingested in one UTC day. Null: no quota. */
    readonly eventsPerDay: number | null
  }
  /** While it is suspended: since when. Null otherwise. */
  readonly suspendedAt: string | null
  /** Its events are removed after this many days, if the retention of the installation does not remove them earlier. Null: only by that. */
  readonly retentionDays: number | null
  /** What the tenant uses. */
  readonly use: {
    readonly domains: number
    /** Keys that are neither revoked nor expired. */
    readonly keys: number
    /** Events that were ingested since midnight UTC. After a restart of the server: those stored with a time of today. Null if the tenant has no quota of events. */
    readonly eventsToday: number | null
  }
}

export type Tenants = {
  /** In the requested order. */
  readonly tenants: readonly (TenantWithUse)[]
  /** Number of tenants that match, not the page's length. */
  readonly count: number
}

export type Tenant = {
  readonly id: string
  /** Shown to the tenant as `client_id` in the statistics. */
  readonly clientId: string
  /** Unique. */
  readonly name: string
  /** When it was created. */
  readonly createdAt: string
  /** The limits of the tenant. */
  readonly quotas: {
    /** Sender domains. Null: no quota. */
    readonly domains: number | null
    /** API keys that are neither revoked nor expired. Null: no quota. */
    readonly keys: number | null
    /** Events that are ingested in one UTC day. Null: no quota. */
    readonly eventsPerDay: number | null
  }
  /** While it is suspended: since when. Null otherwise. */
  readonly suspendedAt: string | null
  /** Its events are removed after this many days, if the retention of the installation does not remove them earlier. Null: only by that. */
  readonly retentionDays: number | null
}

export type ApiKey = {
  /** The public part of the key. */
  readonly id: string
  /** A name to recognize it by. Null if it has none. */
  readonly name: string | null
  /** Null for an operator's key. */
  readonly tenant: {
    readonly id: string
    readonly name: string
  } | null
  readonly scopes: readonly ("logs" | "domains" | "domainStats" | "addDomains" | "ingest" | "admin" | "read")[]
  /** Addresses and CIDR blocks that it may be used from. Empty: everywhere. */
  readonly networks: readonly (string)[]
  /** When it was created. */
  readonly createdAt: string
  /** From then on it is refused like a revoked key. Null: never. */
  readonly expiresAt: string | null
  /** Null before the first use. May lag by up to half a minute. */
  readonly lastUsedAt: string | null
  /** Null while it is valid. */
  readonly revokedAt: string | null
}

export type ApiKeys = {
  /** In the requested order, including revoked and expired keys. */
  readonly keys: readonly (ApiKey)[]
  /** Number of keys that match, not the page's length. */
  readonly count: number
}

export type CreatedApiKey = {
  readonly id: string
  /** The key. It is shown only this once. */
  readonly key: string
  readonly scopes: readonly ("logs" | "domains" | "domainStats" | "addDomains" | "ingest" | "admin" | "read")[]
}

export type AdminDomain = {
  readonly id: string
  /** In its ASCII form. */
  readonly name: string
  readonly description: string
  /** Set by the operator. Only an active domain can be verified. */
  readonly active: boolean
  /** False for a domain that the tenant added itself until its records are verified for the first time: only then are its events accepted. */
  readonly proven: boolean
  /** Whether all required records were correct at the last conclusive check. */
  readonly verified: boolean
  /** Whether the required DKIM record was correct at the last check. */
  readonly dkimVerified: boolean
  /** Whether the required SPF record was correct at the last check. */
  readonly spfVerified: boolean
  /** Whether the DMARC record, which is recommended, was correct at the last check. */
  readonly dmarcVerified: boolean
  /** Null before the first check. */
  readonly lastCheckAt: string | null
  /** Time of the next automatic check; null if none is scheduled. */
  readonly nextCheckAt: string | null
  /** `inactive`, `unverified`, `verified`, or `failing`: still verified, but the last check found a problem; the domain loses its verification if the next check finds one too. */
  readonly status: "inactive" | "unverified" | "verified" | "failing"
  /** When it was added. */
  readonly createdAt: string
  /** When it last changed. */
  readonly updatedAt: string
  /** The tenant that owns the domain. */
  readonly tenant: {
    readonly id: string
    readonly name: string
  }
  /** Sending address of the domain. */
  readonly sendingEmail?: string
  /** Records to publish. */
  readonly records?: readonly (PublishedRecord)[]
  /** Errors of the last check; empty if it succeeded. */
  readonly errors?: readonly (DomainError)[]
}

export type AdminDomains = {
  /** In the requested order. */
  readonly domains: readonly (AdminDomain)[]
  /** Number of domains that match, not the page's length. */
  readonly count: number
}

export type AdminDomainDetail = {
  readonly id: string
  /** In its ASCII form. */
  readonly name: string
  readonly description: string
  /** Set by the operator. Only an active domain can be verified. */
  readonly active: boolean
  /** False for a domain that the tenant added itself until its records are verified for the first time: only then are its events accepted. */
  readonly proven: boolean
  /** Whether all required records were correct at the last conclusive check. */
  readonly verified: boolean
  /** Whether the required DKIM record was correct at the last check. */
  readonly dkimVerified: boolean
  /** Whether the required SPF record was correct at the last check. */
  readonly spfVerified: boolean
  /** Whether the DMARC record, which is recommended, was correct at the last check. */
  readonly dmarcVerified: boolean
  /** Null before the first check. */
  readonly lastCheckAt: string | null
  /** Time of the next automatic check; null if none is scheduled. */
  readonly nextCheckAt: string | null
  /** `inactive`, `unverified`, `verified`, or `failing`: still verified, but the last check found a problem; the domain loses its verification if the next check finds one too. */
  readonly status: "inactive" | "unverified" | "verified" | "failing"
  /** When it was added. */
  readonly createdAt: string
  /** When it last changed. */
  readonly updatedAt: string
  /** Sending address of the domain. */
  readonly sendingEmail: string
  /** Records to publish. */
  readonly records: readonly (PublishedRecord)[]
  /** Errors of the last check; empty if it succeeded. */
  readonly errors: readonly (DomainError)[]
  readonly spf?: SpfTree
  /** Results of the latest checks, newest first. Not in lists. */
  readonly history?: readonly (PastChecks)[]
  /** The tenant that owns the domain. */
  readonly tenant: {
    readonly id: string
    readonly name: string
  }
}

/** Result of a check, with all evidence. */
export type AdminDomainCheck = {
  /** Result of this check. */
  readonly isVerified: boolean
  /** `all_right`, `record_wrong`, `dns_unreachable` (the status is unchanged), or `not_checked`: the domain is not active or has no DKIM key, so DNS was not queried. */
  readonly outcome: "all_right" | "record_wrong" | "dns_unreachable" | "not_checked"
  /** Why verification failed; empty if it succeeded. */
  readonly errors: readonly (DomainError)[]
  /** Empty if nothing was checked. */
  readonly records: readonly (CheckedRecord)[]
  readonly spf?: SpfTree
  readonly domain: DomainDetail
  /** The full report: `{domain, outcome, records, spf?}`. Each record has its `warnings` and its `evidence`, which lists the answer of every server that was queried. Absent if nothing was checked. */
  readonly report?: Readonly<Record<string, unknown>>
}

export type DkimKeys = {
  /** The domain. */
  readonly name: string
  /** Without the private keys. */
  readonly keys: readonly ({
    readonly selector: string
    readonly algorithm: "rsa" | "ed25519"
    /** `current` is in use, `next` is waiting to be promoted, `previous` is kept for mail still in transit. */
    readonly state: "next" | "current" | "previous"
    /** When it was created. */
    readonly createdAt: string
    /** The DNS record of the key. */
    readonly dnsRecord?: {
      readonly type: "TXT" | "CNAME" | "MX"
      /** Full name to publish the record at. */
      readonly name: string
      /** Value to publish. */
      readonly value: string
      readonly purpose: "DKIM" | "SPF" | "DMARC" | "RETURN_PATH" | "TRACKING" | "MX"
      /** Whether verification fails without it: true for the key in use. */
      readonly required: boolean
      /** What the last check found. */
      readonly status: "pending" | "valid" | "invalid" | "unknown"
      /** Values that the last check found at this name. */
      readonly actual: readonly (string)[]
    }
  })[]
}

export type NewDkimKey = {
  /** The domain. */
  readonly name: string
  /** Without the private keys. */
  readonly keys: readonly ({
    readonly selector: string
    readonly algorithm: "rsa" | "ed25519"
    /** `current` is in use, `next` is waiting to be promoted, `previous` is kept for mail still in transit. */
    readonly state: "next" | "current" | "previous"
    /** When it was created. */
    readonly createdAt: string
    /** The DNS record of the key. */
    readonly dnsRecord?: {
      readonly type: "TXT" | "CNAME" | "MX"
      /** Full name to publish the record at. */
      readonly name: string
      /** Value to publish. */
      readonly value: string
      readonly purpose: "DKIM" | "SPF" | "DMARC" | "RETURN_PATH" | "TRACKING" | "MX"
      /** Whether verification fails without it: true for the key in use. */
      readonly required: boolean
      /** What the last check found. */
      readonly status: "pending" | "valid" | "invalid" | "unknown"
      /** Values that the last check found at this name. */
      readonly actual: readonly (string)[]
    }
  })[]
  /** The selector of the new key. */
  readonly selector: string
}

export type DkimPrivateKey = {
  /** The domain. */
  readonly name: string
  readonly selector: string
  /** PKCS #8, PEM. */
  readonly privateKey: string
}

/** The state of ingest. */
export type IngestHealth = {
  /** Whether storage can commit. */
  readonly writable: boolean
  /** Events accepted from callers and not yet committed. */
  readonly queued: number
  /** The last hour by minute, oldest first. Counts only what this process has ingested. */
  readonly minutes: readonly ({
    /** Start of the minute. */
    readonly time: string
    /** Events stored. */
    readonly stored: number
    /** Events that were stored before. */
    readonly duplicates: number
    /** Records rejected. */
    readonly rejected: number
  })[]
  /** Timestamp of the newest event in the log, whichever process stored it; null if there is none. */
  readonly lastEventAt: string | null
  /** When this process last stored an event; null before the first. */
  readonly lastStoredAt: string | null
  /** Records in quarantine. */
  readonly quarantined: number
}

/** Storage use. */
export type StorageUse = {
  /** Newest first. */
  readonly days: readonly ({
    /** UTC. */
    readonly day: string
    /** Bytes on disk. */
    readonly bytes: number
    /** Events of the day. */
    readonly events: number
  })[]
  /** Days that are neither read nor written, newest first. They are not among `days`. */
  readonly setAside: readonly ({
    /** UTC. */
    readonly day: string
    /** `damaged`: the content of its file is wrong. `unreadable`: its file cannot be opened or read at the moment; it is checked again automatically. `missing`: its file is gone. `emptied`: it has fewer events than it had. `foreign`: it is of another installation or another day. `newer`: a newer version wrote it. */
    readonly kind: "missing" | "emptied" | "foreign" | "newer" | "damaged" | "unreadable"
    /** When it was first noticed. */
    readonly since: string
    /** What is wrong, and what to do. */
    readonly detail: string
  })[]
  /** All days together. */
  readonly bytes: number
  /** All days together. */
  readonly events: number
  /** The last complete backup that this server has made; null if there was none, or if the engine has backups of its own. */
  readonly lastBackup: {
    /** When it was complete. */
    readonly finishedAt: string
    /** Its size. */
    readonly bytes: number
    /** Days that it does not contain as they should be. */
    readonly problems: number
  } | null
  /** Retention period of events in days. */
  readonly retentionDays: number
}

export type QuarantinedRecord = {
  readonly id: number
  /** When it was last rejected. */
  readonly rejectedAt: string
  /** Number of times the same record was rejected. */
  readonly times: number
  /** The connector that received it. */
  readonly connector: string
  /** Where it came from: `key` and the id of the API key, `smtp` and the client network, `local` (commands on the server), `server` (opens and clicks), or `earlier` (quarantined by a version that did not record sources). */
  readonly source: string
  /** Why it could not be stored. */
  readonly reason: string
  /** Name of the tenant that the ingest key is bound to: to such a key, other tenants' domains are unknown. Null for an operator's key. */
  readonly tenant: string | null
  /** The record as received; bytes that are not valid UTF-8 are replaced. */
  readonly payload: string
  /** Whether the payload was cut. */
  readonly isCut: boolean
}

export type Quarantine = {
  /** Oldest first. */
  readonly records: readonly (QuarantinedRecord)[]
  /** Records in quarantine. */
  readonly count: number
  /** Bytes in quarantine, including 512 for each record. Records without a source are not counted. */
  readonly bytes: number
  /** Maximum size of the quarantine. A client network may use a sixteenth of it, all of them together a quarter, each key a quarter. */
  readonly bytesMax: number
  /** The 20 sources that use the most, largest first. */
  readonly sources: readonly ({
    /** Where it came from: `key` and the id of the API key, `smtp` and the client network, `local` (commands on the server), `server` (opens and clicks), or `earlier` (quarantined by a version that did not record sources). */
    readonly source: string
    /** Its records. */
    readonly records: number
    /** Its bytes. */
    readonly bytes: number
  })[]
  /** Cursor for the next page; null on the last page. */
  readonly next: string | null
}

export type DroppedRecords = {
  /** Number of deleted records. */
  readonly dropped: number
}

/** Result of a replay. */
export type Replay = {
  /** Number of replayed records. */
  readonly replayed: number
  /** Events that were added to the log. */
  readonly stored: number
  /** Events that were stored before. */
  readonly duplicates: number
  /** Records that were rejected again; they have the current reason. */
  readonly rejected: number
}

export type RemovalSummary = {
  readonly id: string
  readonly kind: "tenant" | "domain" | "recipient"
  /** The tenant's id, the domain's name, or a digest of the address: `sha256:` and the SHA-256 of `<id>:<address in lower case>`, in hexadecimal. */
  readonly object: string
  /** `running`: nothing of it is visible any more, but it is still being removed from the disk. `incomplete`: finished, except for the days listed in `problems`. */
  readonly state: "running" | "finished" | "incomplete"
  /** The id of the key, or `local` for a command on the machine of the server. */
  readonly requestedBy: string
  /** When it was requested. */
  readonly requestedAt: string
  /** When nothing was left on the disk; null while it is running. */
  readonly finishedAt: string | null
  /** Events that were erased. */
  readonly events: number
  /** Number of days that they were in. */
  readonly dayCount: number
  /** Quarantined records that were removed. */
  readonly quarantined: number
  /** Opens and clicks that were removed before they reached the log. */
  readonly hits: number
}

export type Removals = {
  /** The last 50, newest first. */
  readonly removals: readonly (RemovalSummary)[]
}

/** A removal; once it is finished, the receipt. */
export type Removal = {
  readonly id: string
  readonly kind: "tenant" | "domain" | "recipient"
  /** The tenant's id, the domain's name, or a digest of the address: `sha256:` and the SHA-256 of `<id>:<address in lower case>`, in hexadecimal. */
  readonly object: string
  /** `running`: nothing of it is visible any more, but it is still being removed from the disk. `incomplete`: finished, except for the days listed in `problems`. */
  readonly state: "running" | "finished" | "incomplete"
  /** The id of the key, or `local` for a command on the machine of the server. */
  readonly requestedBy: string
  /** When it was requested. */
  readonly requestedAt: string
  /** When nothing was left on the disk; null while it is running. */
  readonly finishedAt: string | null
  /** Events that were erased. */
  readonly events: number
  /** Number of days that they were in. */
  readonly dayCount: number
  /** Quarantined records that were removed. */
  readonly quarantined: number
  /** Opens and clicks that were removed before they reached the log. */
  readonly hits: number
  /** Days (UTC) that events were erased from. */
  readonly days: readonly (string)[]
  /** Damaged files, kept by a repair, that contained removed data. Rows cannot be removed from such a file, so it was deleted as a whole. */
  readonly deletedFiles: readonly (string)[]
  /** Days that could not be read. Repair them, then repeat the removal of a recipient. */
  readonly problems: readonly ({
    readonly day: string
    readonly problem: string
  })[]
  /** What remains in backups. */
  readonly backups: string
}

export type ReturnPath = {
  /** The return path (envelope sender). */
  readonly address: string
  /** The ENVID parameter of MAIL FROM (RFC 3461). */
  readonly envelopeId: string
  /** A header line for the message. */
  readonly header: string
}

export type ProvenReference = {
  readonly domain: string
  readonly messageId: string
  /** Null if it is valid for all recipients of the message. */
  readonly recipient: string | null
}

export type ReferenceKey = {
  /** Hexadecimal digits. */
  readonly key: string
}

export type TrackingSecret = {
  /** 32 bytes, base64url. */
  readonly secret: string
}

export type Secrets = {
  /** Who keeps the newest secret: the data folder in `master.key`, the operator (`ENVELOG_SECRET_FILE`, `ENVELOG_SECRET`), or the PostgreSQL database that several servers share. */
  readonly keptBy: "folder" | "operator" | "store"
  /** Newest first. */
  readonly secrets: readonly ({
    /** Derived from the secret; it reveals nothing of it. */
    readonly id: string
    /** The newest encrypts and signs; the earlier ones are accepted until they are forgotten. */
    readonly isNewest: boolean
    /** When it became the newest. */
    readonly createdAt: string
    /** When all private keys were encrypted with it. Null: not yet, or it was replaced before. */
    readonly resealedAt: string | null
  })[]
}

/** The state of retention. */
export type RetentionStatus = {
  /** `waiting`: the clock jumped and may be wrong, so nothing is removed early. `catching_up`: more is due than one run removes. */
  readonly phase: "on_time" | "waiting" | "catching_up"
  /** Why less is removed than is due, and what to do; null if that is not so. */
  readonly explanation: string | null
  /** The server's clock. */
  readonly clock: string
  /** The time by which data expires. */
  readonly expectedTime: string
  /** How far the clock is ahead of the expected time; negative if behind; 0 unless it is doubted. */
  readonly clockOffsetSeconds: number
  /** Running time after which a clock that is doubted will be believed. */
  readonly believedInSeconds: number
  /** The last run without errors. */
  readonly lastRunAt: string | null
  /** Days that ended before this were removed. */
  readonly removedBefore: string | null
  /** Retention period of events in days. */
  readonly retentionDays: number
}

/** What a run of retention removed. */
export type RetentionRun = {
  readonly removedDays: readonly (string)[]
  /** Rejected records. */
  readonly removedRejected: number
  /** Entries of the audit log. */
  readonly removedAuditEntries: number
  readonly retention: RetentionStatus
}

export type AuditEntry = {
  /** Increasing; never reused. */
  readonly id: number
  /** When the response was sent; in summed entries, to the first request. */
  readonly time: string
  /** The same as `time`, except in summed entries: when the response to the last request was sent. */
  readonly lastTime: string
  /** Number of requests. Above 1 in summed entries: those of kind `session`, `reading` and `denied`, and signed return paths, are summed by hour, caller, network, action and outcome; those of kind `reading` also by object. */
  readonly count: number
  /** `administration`: actions of callers with the scope `admin`, sign-ins included. `session`: sign-ins and sign-outs of other keys. `reading`: an operator has read events or messages of tenants; the object says of which. `denied`: failed sign-ins, and requests to the administration without a valid key or scope. */
  readonly kind: "administration" | "session" | "reading" | "denied"
  readonly actor: {
    /** The kind of key; `local`: a command on the machine of the server; `unknown`: no valid key; `others`: callers beyond the 1,000 of a kind that are distinguished in an hour. */
    readonly type: "operator" | "tenant" | "local" | "unknown" | "others"
    /** The id of the key, or the name of the local user. */
    readonly id: string | null
    /** The name of the key, if it has one. */
    readonly name: string | null
    /** The address of the client; in summed entries its network. Null for local callers. */
    readonly address: string | null
  }
  /** The operationId of the endpoint. */
  readonly action: string
  /** The object of the action, such as the id of a key or the name of a domain. */
  readonly object: string | null
  /** `refused`: status 4xx. `failed`: status 5xx, or the job failed. */
  readonly outcome: "success" | "refused" | "failed"
  /** The HTTP status. */
  readonly status: number
  /** The request id, as in the log of the server; in summed entries that of the first request. */
  readonly requestId: string
}

export type AuditPage = {
  /** Newest first. */
  readonly entries: readonly (AuditEntry)[]
  /** Cursor for the next page; null on the last page. With filters a page may be short, or empty, and still have one. */
  readonly next: string | null
}

/** Sent once everything it counts is durable. */
export type IngestResult = {
  /** Events that were added to the log. */
  readonly stored: number
  /** Events that were stored before. Two events are different if any field of the interface differs. */
  readonly duplicates: number
  /** Records that cannot be stored: malformed, of an unknown domain, older than the retention period, more than a day in the future, or beyond the tenant's quota of events. They are quarantined; the rest of the request is stored. */
  readonly rejected: readonly ({
    /** Index of the record in the request, counting from 0. */
    readonly index: number
    /** Why it cannot be stored. */
    readonly error: string
  })[]
  /** Records that were neither stored nor rejected: not about the delivery of a message, or bounce messages and other mail of unknown domains that the source asks to skip. Absent if there are none. */
  readonly skipped?: number
}

export type Health = {
  /** `ok` for liveness, `ready` for readiness; any problem is an error response. */
  readonly status: "ok" | "ready"
  /** The version of the server. */
  readonly version: string
}
