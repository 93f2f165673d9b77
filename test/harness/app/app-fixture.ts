/**
 * The whole application on a temporary folder: two tenants with domains and keys, real storage, simulated DNS and time.
 *
 *     await using fixture = await openAppFixture()
 *     await fixture.ingest([fixture.event({ type: 'Bounce' })])
 *     const answer = await fixture.get('/webhooks/acme.test')
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { createTokens, type Tokens } from '../../../integrations/haraka/lib/tracking/token.mjs'
import type { AuditTrail } from '../../../src/audit/audit-trail.ts'
import { openRemovals } from '../../../src/background/open-removals.ts'
import { openRetention } from '../../../src/background/open-retention.ts'
import { createKnowledge } from '../../../src/classification/knowledge.ts'
import { createConnectors } from '../../../src/connectors/registry.ts'
import { readReport } from '../../../src/connectors/report/read-report.ts'
import type { DkimKey, Domain } from '../../../src/domains/domain.ts'
import { createDkimKey } from '../../../src/domains/records/dkim-key.ts'
import { requiredRecords } from '../../../src/domains/records/required-records.ts'
import { VerificationRunner } from '../../../src/domains/verification/verification-runner.ts'
import type { EmailEvent, EventExtension } from '../../../src/events/event.ts'
import { createCursors } from '../../../src/events/log/cursor.ts'
import { buildApp } from '../../../src/http/app.ts'
import type { AppDeps } from '../../../src/http/app-deps.ts'
import { openAudit } from '../../../src/http/observation/audit.ts'
import { createMetrics } from '../../../src/http/observation/metrics.ts'
import { reportCheck } from '../../../src/http/observation/report-check.ts'
import { AccessSecret } from '../../../src/lib/sealing/access-secret.ts'
import { DataSecret } from '../../../src/lib/sealing/data-secret.ts'
import { createSealer } from '../../../src/lib/sealing/sealer.ts'
import type { SlotLimits } from '../../../src/lib/turns/slots.ts'
import { openEventQuotas } from '../../../src/open-event-quotas.ts'
import { createReferences, type References } from '../../../src/reports/reference.ts'
import { createReportIntake } from '../../../src/reports/report-intake.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { createKey } from '../../../src/tenants/create-key.ts'
import { createTenant } from '../../../src/tenants/create-tenant.ts'
import { KeyUses } from '../../../src/tenants/key-uses.ts'
import type { KeyChange } from '../../../src/tenants/limits/key-limits.ts'
import { createSessions } from '../../../src/tenants/session.ts'
import type { Tenant } from '../../../src/tenants/tenant.ts'
import type { Hit } from '../../../src/tracking/hit.ts'
import { createServerTokens } from '../../../src/tracking/server-tokens.ts'
import { openTemporaryFolder } from '../temporary-folder.ts'
import { openFixtureStorage, queryBudgetMs } from './fixture-engine.ts'
import { sampleDomain } from './sample-domain.ts'
import { createToldDns, type ToldDns, type TxtAnswer, type TxtLookup } from './told-dns.ts'

/** The start time of fixtures: 2026-01-15T12:00:00Z. */
export const FIXTURE_START_MS = Date.UTC(2026, 0, 15, 12)
const DAY_MS = 86_400_000
const SPF_INCLUDE = 'spf.operator.test'
/** The secret of the data in fixtures. */
export const FIXTURE_SECRET = Buffer.alloc(32, 7)

export interface TenantFixture {
  readonly tenant: Tenant
  /** Has every tenant scope. */
  readonly key: string
  /** Active; the first one is the tenant's name under `.test`. */
  readonly domains: readonly [Domain, Domain]
}

export interface AppFixture extends AsyncDisposable {
  readonly app: FastifyInstance
  readonly storage: Storage
  readonly dataDir: string
  readonly acme: TenantFixture
  readonly rival: TenantFixture
  /** Signs the addresses of pixels and links. */
  readonly trackingTokens: Tokens
  /** Opens and clicks so far, unless the options bring a log of their own. */
  readonly hits: readonly Hit[]
  /** An operator's key with both scopes. */
  readonly operatorKey: string
  /** TXT answers by name; names that are not in it do not exist. */
  readonly dns: Map<string, TxtAnswer>
  /** Counts the queries. */
  readonly toldDns: ToldDns
  readonly verifications: VerificationRunner
  /** Signs the references that tie reports to messages. */
  readonly references: References
  readonly audit: AuditTrail
  readonly nowMs: number
  /** Lets time pass. */
  advance(byMs: number): void
  /** Sets the clock, without any time passing. */
  setClock(byMs: number): void
  /** Everything logged so far, as text and line by line. */
  readonly logText: string
  readonly logLines: readonly Record<string, unknown>[]
  /** With acme's key, unless another or none (null) is given. */
  get(url: string, key?: string | null, options?: InjectOptions): Promise<LightMyRequestResponse>
  post(url: string, key?: string | null, options?: InjectOptions): Promise<LightMyRequestResponse>
  /** A native event of acme's first domain, a minute old; each call creates another message. */
  event(fields?: Partial<EmailEvent & EventExtension>): EmailEvent
  /** Over HTTP; throws unless everything was stored. */
  ingest(events: readonly EmailEvent[]): Promise<void>
  createKey(
    owner: Tenant | 'operator',
    scopes?: readonly string[],
    limits?: KeyChange,
  ): Promise<{ readonly id: string; readonly key: string }>
}

export interface AppFixtureOptions extends Partial<Omit<AppDeps, 'storage' | 'clock' | 'cursors' | 'verifications'>> {
  /** Replaces the lookup in `dns`, for example by a slow or failing one. */
  readonly lookup?: TxtLookup
  readonly verificationLimits?: SlotLimits
  /** The operator's secrets, newest first, read again for each rotation. Default: the data folder keeps FIXTURE_SECRET. */
  readonly givenSecrets?: readonly Buffer[]
  /** Puts something between the app and its storage, such as a store that fails. */
  readonly wrapStorage?: (storage: Storage) => Storage
}

export async function openAppFixture(options: AppFixtureOptions = {}): Promise<AppFixture> {
  const { wrapStorage = (storage) => storage, givenSecrets, lookup, verificationLimits: limits, ...deps } = options
  const { serviceMessageIdField = 'service_message_id' } = deps
  const folder = openTemporaryFolder()
  const dataDir = folder.path
  let nowMs = FIXTURE_START_MS
  let uptimeMs = 0
  const clock = () => nowMs
  const storage = await openFixtureStorage({ dataDir, clock, serviceMessageIdField })
  const log: string[] = []
  const logger = pino({ level: 'debug', base: null }, { write: (line: string) => void log.push(line) })
  const dns = new Map<string, TxtAnswer>([[SPF_INCLUDE, { kind: 'records', values: ['v=spf1 ip4:192.0.2.0/24 -all'] }]])
  const toldDns = createToldDns(lookup ?? ((name) => dns.get(name)))
  const wrapped = wrapStorage(storage)
  const periods = { retentionMs: 90 * DAY_MS, auditRetentionMs: 400 * DAY_MS }
  const retention = await openRetention(storage, periods, clock, () => uptimeMs)
  const metrics = createMetrics(wrapped, clock, { retention })
  const verifications = new VerificationRunner({
    domains: wrapped.control.domains,
    dns: toldDns,
    clock,
    onChecked: (checked) => reportCheck(checked, metrics, logger),
    ...(limits && { limits }),
  })
  if (!givenSecrets) writeFileSync(join(dataDir, 'master.key'), FIXTURE_SECRET, { mode: 0o600 })
  const dataSecret = await DataSecret.open({
    store: storage.control.secrets,
    dataDir,
    clock,
    given: () => givenSecrets ?? [],
    findData: async () => ({ exists: false, opens: () => true }),
  })
  const accessSecret = new AccessSecret(dataDir)
  const { keyring } = dataSecret
  const sealerFor = (purpose: string) => keyring.sealerFor(purpose)
  const references = createReferences(keyring.signerFor('report reference'))
  const trackingSigner = keyring.signerFor('tracking token')
  const trackingTokens = createTokens(trackingSigner.key)
  const audit = openAudit({ storage: wrapped, clock, metrics, logger })
  const hits: Hit[] = []
  const removals = openRemovals({ storage: wrapped, clock, audit, logger, eraseHits: async () => 0 })
  const app = await buildApp({
    storage: wrapped,
    keyUses: new KeyUses(storage.control.keys),
    audit,
    cursors: createCursors(sealerFor('cursor'), clock, 'next_token'),
    sessions: createSessions({
      sealer: accessSecret.sealerFor('session'),
      accessId: () => accessSecret.id,
      store: wrapped.control.sessions,
      clock,
    }),
    dataSecret,
    accessSecret,
    sealerFor,
    dkimSealer: sealerFor('dkim private key'),
    recordOptions: { spfInclude: SPF_INCLUDE },
    connectors: createConnectors(),
    eventQuotas: openEventQuotas(wrapped, clock),
    reports: createReportIntake({
      ...wrapped.control,
      log: wrapped.log,
      clock,
      references,
      readReport,
      knowledge: createKnowledge(),
      retentionMs: 90 * DAY_MS,
      serviceMessageIdField,
      allowsUnsigned: true,
    }),
    references,
    returnPathLabel: 'bounces',
    verifications,
    removals,
    metrics,
    trackingSigner,
    tracking: { tokens: createServerTokens(trackingSigner), hits: { record: async (hit) => void hits.push(hit) } },
    clock,
    logger,
    retentionMs: 90 * DAY_MS,
    retention,
    queryBudgetMs: queryBudgetMs(),
    serviceMessageIdField,
    ...deps,
  })
  const keyDeps = { keys: storage.control.keys, clock }
  const { key: operatorKey } = await createKey(keyDeps, 'operator', ['ingest', 'admin'])
  const acme = await createTenantFixture(storage, clock, 'acme')
  const rival = await createTenantFixture(storage, clock, 'rival')
  let messages = 0

  async function send(method: 'GET' | 'POST', url: string, key: string | null, extra: InjectOptions) {
    const authorization = key === null ? {} : { authorization: key }
    return app.inject({ method, url, ...extra, headers: { ...authorization, ...extra.headers } })
  }

  const fixture: AppFixture = {
    app,
    storage,
    dataDir,
    acme,
    rival,
    trackingTokens,
    hits,
    operatorKey,
    dns,
    toldDns,
    verifications,
    references,
    audit,
    get nowMs() {
      return nowMs
    },
    advance(byMs) {
      nowMs += byMs
      uptimeMs += byMs
    },
    setClock(byMs) {
      nowMs += byMs
    },
    get logText() {
      return log.join('')
    },
    get logLines() {
      return log.map((line) => JSON.parse(line) as Record<string, unknown>)
    },
    get: (url, key = acme.key, extra = {}) => send('GET', url, key, extra),
    post: (url, key = acme.key, extra = {}) => send('POST', url, key, extra),
    event(fields = {}) {
      messages += 1
      return {
        id: `00000000-0000-4000-8000-${String(messages).padStart(12, '0')}`,
        timestamp: Math.floor(nowMs / 1000) - 60,
        type: 'Delivery',
        domain_name: acme.domains[0].name,
        recipient: `person${messages}@example.net`,
        sender: `bounces@${acme.domains[0].name}`,
        from: `Acme <hello@${acme.domains[0].name}>`,
        subject: `Letter ${messages}`,
        response_code: 250,
        ...fields,
      }
    },
    async ingest(events) {
      const answer = await send('POST', '/ingest/events', operatorKey, { payload: JSON.stringify(events) })
      const result = answer.json<{ stored: number }>()
      if (answer.statusCode !== 200 || result.stored !== events.length) {
        throw new Error(`ingest answered ${answer.statusCode} ${answer.body}`)
      }
    },
    async createKey(owner, scopes, limits) {
      return createKey(keyDeps, owner === 'operator' ? 'operator' : { tenantName: owner.name }, scopes, limits)
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      await verifications.close()
      await removals.stop()
      await storage.close()
      folder[Symbol.dispose]()
    },
  }
  return fixture
}

async function createTenantFixture(storage: Storage, clock: () => number, name: string): Promise<TenantFixture> {
  const tenant = await createTenant({ keys: storage.control.keys, clock }, name)
  const { key } = await createKey({ keys: storage.control.keys, clock }, { tenantName: name })
  const domains = [
    await createDomain(storage, clock, tenant, `${name}.test`),
    await createDomain(storage, clock, tenant, `mail.${name}.test`),
  ] as const
  return { tenant, key, domains }
}

/** One key for all domains of a test run: generating one is slow, and no test signs with it. */
let sharedDkimKey: Promise<DkimKey> | undefined

async function createDomain(storage: Storage, clock: () => number, tenant: Tenant, name: string): Promise<Domain> {
  sharedDkimKey ??= createDkimKey(createSealer(FIXTURE_SECRET, 'dkim private key'), {
    state: 'current',
    nowMs: FIXTURE_START_MS,
  })
  const dkimKey = await sharedDkimKey
  return storage.control.domains.create(
    sampleDomain(tenant.id, name, {
      description: `Sender domain ${name}`,
      dnsRecords: requiredRecords(name, dkimKey, { spfInclude: SPF_INCLUDE }),
      dkimKeys: [dkimKey],
      createdAtMs: clock(),
      updatedAtMs: clock(),
    }),
  )
}
