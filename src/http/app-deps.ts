/** Dependencies of the HTTP layer: stores, verification, clock, logger. It neither opens nor closes them. */
import type { Logger } from 'pino'
import type { Tokens } from '../../integrations/haraka/lib/tracking/token.mjs'
import type { AuditTrail } from '../audit/audit-trail.ts'
import type { Connectors } from '../connectors/registry.ts'
import type { RequiredRecordsOptions } from '../domains/records/required-records.ts'
import type { VerificationRunner } from '../domains/verification/verification-runner.ts'
import type { EventQuotas } from '../events/ingest/event-quotas.ts'
import type { Cursors } from '../events/log/cursor.ts'
import type { Removals } from '../events/removal/removals.ts'
import type { Retention } from '../events/retention/retention.ts'
import type { Clock } from '../lib/clock.ts'
import type { Networks } from '../lib/net/networks.ts'
import type { Access } from '../lib/sealing/access-secret.ts'
import type { DataSecret } from '../lib/sealing/data-secret.ts'
import type { GenerationSealer } from '../lib/sealing/keyring.ts'
import type { Sealer } from '../lib/sealing/sealer.ts'
import type { Signer } from '../lib/sealing/signer.ts'
import type { References } from '../reports/reference.ts'
import type { ReportIntake } from '../reports/report-intake.ts'
import type { Storage } from '../storage/storage.ts'
import type { KeyUses } from '../tenants/key-uses.ts'
import type { Sessions } from '../tenants/session.ts'
import type { HitLog } from '../tracking/hit.ts'
import type { RequestRates } from './access/rate-limits.ts'
import type { ConsoleFiles } from './console/console-files.ts'
import type { Metrics } from './observation/metrics.ts'
import type { ServerLimits } from './server/server-limits.ts'

/** Host names that a surface is restricted to; port and letter case of the Host header do not matter. */
export interface SurfaceHosts {
  readonly logs?: string | undefined
  readonly stats?: string | undefined
  readonly platform?: string | undefined
}

/** For tracking pixels and links. */
export interface TrackingDeps {
  readonly tokens: Pick<Tokens, 'open'>
  readonly hits: HitLog
}

/** What an opened service provides, in a server and in a command alike. */
export interface ServiceDeps {
  readonly storage: Storage
  readonly cursors: Cursors
  readonly sessions: Sessions
  /** Sealers under the data secret, one for each purpose. */
  readonly sealerFor: (purpose: string) => Sealer
  /** Seals private DKIM keys. */
  readonly dkimSealer: GenerationSealer
  /** Which DNS records tenants are asked to publish. */
  readonly recordOptions: RequiredRecordsOptions
  readonly connectors: Connectors
  /** How many events each tenant may still send today. */
  readonly eventQuotas: EventQuotas
  /** The intake of all reports, over HTTP or SMTP. */
  readonly reports: ReportIntake
  /** Signs the references that tie bounce messages and feedback reports to messages. */
  readonly references: References
  /** The default label of return paths below a sender domain. */
  readonly returnPathLabel: string
  /** Signs the URLs of pixels and links. */
  readonly trackingSigner: Signer
  /** The data secret, its generations and their rotation. */
  readonly dataSecret: DataSecret
  /** The access secret, for sessions. */
  readonly accessSecret: Access
  readonly clock: Clock
  /** Events older than this are refused by ingest. */
  readonly retentionMs: number
  /** Removes what is older, and knows the time while the clock may be wrong. */
  readonly retention: Retention
  /** The wire name of `service_message_id`, with the operator's brand. */
  readonly serviceMessageIdField: string
  /** Whether tenants see where their messages were sent from. Default: only the operator does. */
  readonly tenantsSeeSending?: boolean
  /** Whether tenants may add domains, with keys that have the scope for it. Default: only the operator may. */
  readonly tenantsAddDomains?: boolean
  readonly hosts?: SurfaceHosts
  /** Time budget of one log search; after that the events found so far are returned. */
  readonly queryBudgetMs: number
  /** Rate limits per key. Default: none. */
  readonly rates?: RequestRates
  /** Proxies whose X-Forwarded headers are trusted. Default: none. */
  readonly trustedProxies?: Networks | undefined
}

/** The dependencies of the routes that commands use. */
export interface AdministrationDeps extends ServiceDeps {
  readonly keyUses: KeyUses
  /** Records what is done in the administration. */
  readonly audit: AuditTrail
  readonly verifications: Pick<VerificationRunner, 'verify'>
  readonly removals: Pick<Removals, 'removeTenant' | 'removeDomain' | 'eraseRecipient'>
  readonly metrics: Metrics
  readonly logger: Logger
  /** Grace period for requests in flight when closing. Default: 15 seconds. */
  readonly closeGraceMs?: number
  /** Default: SERVER_LIMITS. */
  readonly serverLimits?: Partial<ServerLimits>
  /** Identifies requests from within this process as local. Never set for an app that listens. */
  readonly localToken?: string
}

export interface AppDeps extends AdministrationDeps {
  readonly tracking: TrackingDeps
  /** The built console. Without it, `/` explains how to build it. */
  readonly console?: ConsoleFiles | undefined
}
