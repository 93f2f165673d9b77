/** The table of all options; the Config type, the parser, the manual and the help are made from it. */
import { parseBounceRules } from '../classification/bounce-rule.ts'
import { parseProviders } from '../classification/provider.ts'
import { httpUrls, nameOf, password, passwordFile, postgresUrl, postgresUrlFile, userName } from './database-types.ts'
import {
  brandName,
  certificateFile,
  dnsLabel,
  dnsServers,
  duration,
  folder,
  hostAndPort,
  hostName,
  hostNames,
  jsonFile,
  listenAddress,
  networks,
  oneOf,
  requestRate,
  secrets,
  secretsFile,
  someOf,
  type ValueType,
  wholeNumber,
} from './value-types.ts'

export const ENV_PREFIX = 'ENVELOG_'

export interface Option {
  readonly env: `${typeof ENV_PREFIX}${string}`
  readonly type: ValueType<unknown>
  /** As written in the environment; absent if the option may stay unset. */
  readonly default?: string
  /** One sentence for the manual. */
  readonly sentence: string
  /** The only storage engine that has a use for it. */
  readonly engine?: 'sqlite' | 'clickhouse'
}

const DAY_MS = 86_400_000

export const OPTIONS = {
  host: {
    env: 'ENVELOG_HOST',
    type: listenAddress,
    default: '127.0.0.1',
    sentence: 'Address to listen on; 0.0.0.0 or :: make the service reachable from other machines.',
  },
  port: {
    env: 'ENVELOG_PORT',
    type: wholeNumber({ min: 0, max: 65_535, note: '0 picks a free port' }),
    default: '8025',
    sentence: 'Port to listen on.',
  },
  trustedProxies: {
    env: 'ENVELOG_TRUSTED_PROXIES',
    type: networks,
    sentence:
      "Proxies in front of the service whose X-Forwarded-For and X-Forwarded-Proto headers are trusted; when unset, a proxy's clients share one address in limits, logs and allowed networks.",
  },
  envFile: {
    env: 'ENVELOG_ENV_FILE',
    type: folder,
    default: '.env',
    sentence:
      'File with further options, which the environment overrides; given in the environment only. If it is set, the file has to exist.',
  },
  dataDir: {
    env: 'ENVELOG_DATA_DIR',
    type: folder,
    default: './data',
    sentence:
      "Folder for all data: events, tenants, keys, domains, and the secrets unless they are kept elsewhere; with clickhouse, only for this server's lock, its control socket, and the opens and clicks that it has not stored yet.",
  },
  secretFile: {
    env: 'ENVELOG_SECRET_FILE',
    type: secretsFile,
    sentence:
      'File outside the data folder with the data secret, which encrypts private keys and signs references and links, the same for all servers; when unset, it is master.key in the data folder and in backups, or with clickhouse a row in PostgreSQL.',
  },
  secret: {
    env: 'ENVELOG_SECRET',
    type: secrets,
    sentence:
      'The data secret as a value instead of a file; prefer the file, because other programs may see the environment.',
  },
  retentionMs: {
    env: 'ENVELOG_RETENTION',
    type: duration({ atLeastMs: DAY_MS, atMostMs: 36_500 * DAY_MS }),
    default: '90d',
    sentence:
      'How long to keep events, by event time, and rejected records, by rejection time; counts are never deleted.',
  },
  auditRetentionMs: {
    env: 'ENVELOG_AUDIT_RETENTION',
    type: duration({ atLeastMs: DAY_MS, atMostMs: 36_500 * DAY_MS }),
    default: '400d',
    sentence: 'How long to keep entries of the audit log: what was done in the administration, and failed sign-ins.',
  },
  storage: {
    env: 'ENVELOG_STORAGE',
    type: oneOf(['sqlite', 'clickhouse']),
    default: 'sqlite',
    sentence:
      'Storage engine: sqlite needs only the data folder; clickhouse keeps events in ClickHouse and all other data in PostgreSQL, for any number of servers.',
  },
  clickhouseUrls: {
    env: 'ENVELOG_CLICKHOUSE_URL',
    engine: 'clickhouse',
    type: httpUrls,
    sentence: 'HTTP addresses of ClickHouse servers of the cluster; if one does not answer, another one is used.',
  },
  clickhouseUser: {
    env: 'ENVELOG_CLICKHOUSE_USER',
    engine: 'clickhouse',
    type: userName,
    default: 'default',
    sentence: 'User of ClickHouse.',
  },
  clickhousePasswordFile: {
    env: 'ENVELOG_CLICKHOUSE_PASSWORD_FILE',
    engine: 'clickhouse',
    type: passwordFile,
    sentence: 'File with the password of that user; without one, no password is sent.',
  },
  clickhousePassword: {
    env: 'ENVELOG_CLICKHOUSE_PASSWORD',
    engine: 'clickhouse',
    type: password,
    sentence:
      'The password as a value instead of a file; prefer the file, because other programs may see the environment.',
  },
  clickhouseDatabase: {
    env: 'ENVELOG_CLICKHOUSE_DATABASE',
    engine: 'clickhouse',
    type: nameOf('database'),
    default: 'envelog',
    sentence: 'ClickHouse database for events and counts.',
  },
  clickhouseCluster: {
    env: 'ENVELOG_CLICKHOUSE_CLUSTER',
    engine: 'clickhouse',
    type: nameOf('cluster'),
    sentence:
      "Name of the cluster in ClickHouse's own configuration, with its shards and replicas; when unset, a single ClickHouse server without replication is used.",
  },
  postgresUrlFile: {
    env: 'ENVELOG_POSTGRES_URL_FILE',
    engine: 'clickhouse',
    type: postgresUrlFile,
    sentence: 'File with the address of the PostgreSQL database for all data except events and their counts.',
  },
  postgresUrl: {
    env: 'ENVELOG_POSTGRES_URL',
    engine: 'clickhouse',
    type: postgresUrl,
    sentence:
      'That address as a value instead of a file; prefer the file, because other programs may see the environment.',
  },
  dnsServers: {
    env: 'ENVELOG_DNS_SERVERS',
    type: dnsServers,
    sentence: "DNS servers for domain verification; the system's when unset.",
  },
  showSendingAddresses: {
    env: 'ENVELOG_SHOW_SENDING_ADDRESSES',
    type: oneOf(['operator', 'tenants']),
    default: 'operator',
    sentence:
      'Who sees the IP address, source and pool that a message was sent from: only the operator, or tenants as well.',
  },
  addDomains: {
    env: 'ENVELOG_ADD_DOMAINS',
    type: oneOf(['operator', 'tenants']),
    default: 'operator',
    sentence:
      'Who adds domains: only the operator, or tenants as well, with keys that have the scope addDomains; a domain that a tenant added gets events only after its DNS records have been verified.',
  },
  brand: {
    env: 'ENVELOG_BRAND',
    type: brandName,
    sentence: 'Brand in the name of one event field: acme turns service_message_id into acme_message_id.',
  },
  logLevel: {
    env: 'ENVELOG_LOG_LEVEL',
    type: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    sentence: 'Minimum severity of lines in the log on stderr.',
  },
  logsHost: {
    env: 'ENVELOG_LOGS_HOST',
    type: hostName,
    sentence: 'Serve the log endpoints only under this host name; under any when unset.',
  },
  statsHost: {
    env: 'ENVELOG_STATS_HOST',
    type: hostName,
    sentence: 'Serve the statistics endpoint only under this host name; under any when unset.',
  },
  platformHost: {
    env: 'ENVELOG_PLATFORM_HOST',
    type: hostName,
    sentence: 'Serve the domain endpoints only under this host name; under any when unset.',
  },
  spfInclude: {
    env: 'ENVELOG_SPF_INCLUDE',
    type: hostName,
    default: 'spf.example.net',
    sentence: 'Host name whose SPF record lists your sending servers; tenants include it in theirs, so set your own.',
  },
  returnPathHost: {
    env: 'ENVELOG_RETURN_PATH_HOST',
    type: hostName,
    sentence: 'Your host that receives bounces; if set, tenants are asked for a CNAME record to it.',
  },
  returnPathLabel: {
    env: 'ENVELOG_RETURN_PATH_LABEL',
    type: dnsLabel,
    default: 'bounces',
    sentence: "Label below the tenant's domain for the CNAME record to the return-path host.",
  },
  trackingHost: {
    env: 'ENVELOG_TRACKING_HOST',
    type: hostName,
    sentence: 'Your host that receives opens and clicks; if set, tenants are asked for a CNAME record to it.',
  },
  trackingLabel: {
    env: 'ENVELOG_TRACKING_LABEL',
    type: dnsLabel,
    default: 'links',
    sentence: "Label below the tenant's domain for the CNAME record to the tracking host.",
  },
  trackMachines: {
    env: 'ENVELOG_TRACK_MACHINES',
    type: oneOf(['mark', 'drop']),
    default: 'mark',
    sentence: 'Opens and clicks by machines: mark them in the log, or drop them.',
  },
  mxHost: {
    env: 'ENVELOG_MX_HOST',
    type: hostName,
    sentence: "Your host that receives mail for tenants' domains; if set, tenants are asked for an MX record to it.",
  },
  requireRecords: {
    env: 'ENVELOG_REQUIRE_RECORDS',
    type: someOf(['DMARC', 'RETURN_PATH', 'TRACKING', 'MX']),
    sentence:
      'Records that a domain needs to be verified, in addition to DKIM and SPF; the others are only checked and reported.',
  },
  smtpListen: {
    env: 'ENVELOG_SMTP_LISTEN',
    type: hostAndPort,
    sentence: 'Address and port for receiving bounce messages and feedback reports by SMTP; off when unset.',
  },
  smtpDomains: {
    env: 'ENVELOG_SMTP_DOMAINS',
    type: hostNames,
    sentence:
      'Domains to accept mail for, in addition to the return-path host and the return-path label below every sender domain.',
  },
  smtpCertificate: {
    env: 'ENVELOG_SMTP_CERTIFICATE',
    type: certificateFile,
    sentence: 'Certificate and private key for STARTTLS, which is not offered when unset.',
  },
  reportProof: {
    env: 'ENVELOG_REPORT_PROOF',
    type: oneOf(['signed', 'issued']),
    default: 'signed',
    sentence:
      'Proof that ties a bounce or complaint to a message: a signed reference, or (issued) also the id and recipient of a logged message, which recipients can see.',
  },
  quarantineMib: {
    env: 'ENVELOG_QUARANTINE_MIB',
    type: wholeNumber({ min: 16, max: 1_048_576 }),
    default: '1024',
    sentence:
      'Maximum size of the quarantine in MiB: each API key may use a quarter of it, the SMTP listener a quarter in total, and each of its client networks a sixteenth.',
  },
  queryBudgetMs: {
    env: 'ENVELOG_QUERY_BUDGET',
    type: duration({ atLeastMs: 10, atMostMs: 60_000 }),
    default: '1s',
    sentence:
      'Maximum search time of one log request, which then returns the events found so far and a token to continue.',
  },
  readers: {
    env: 'ENVELOG_READERS',
    engine: 'sqlite',
    type: wholeNumber({ min: 1, max: 64 }),
    sentence:
      'Maximum number of threads that read the log; when unset, one less than there are processors, but at least one.',
  },
  readRate: {
    env: 'ENVELOG_READ_RATE',
    type: requestRate,
    default: '60000',
    sentence:
      'Requests per minute that each key may make to the log, domains and statistics; further ones are refused with 429.',
  },
  ingestRate: {
    env: 'ENVELOG_INGEST_RATE',
    type: requestRate,
    default: 'off',
    sentence:
      'Requests per minute that each key may make to ingest, however many events each has; further ones are refused with 429.',
  },
  bounceRules: {
    env: 'ENVELOG_BOUNCE_RULES',
    type: jsonFile(
      'rules, such as {"rules": [{"class": "QuotaIssues", "text": "mailbox is stuffed"}]}',
      parseBounceRules,
    ),
    sentence: 'Your own rules for classifying delivery failures, applied before the built-in ones.',
  },
  providers: {
    env: 'ENVELOG_PROVIDERS',
    type: jsonFile('providers, such as {"providers": [{"name": "Acme", "hosts": ["mx.acme.com"]}]}', parseProviders),
    sentence: 'Your own names for receiving providers, by mail host, applied before the built-in ones.',
  },
} as const satisfies Readonly<Record<string, Option>>

type ValueOf<O extends Option> = ReturnType<O['type']['parse']> | (O extends { default: string } ? never : undefined)

/** The options of one installation, read and checked. */
export type Config = { readonly [K in keyof typeof OPTIONS]: ValueOf<(typeof OPTIONS)[K]> }

export const OPTION_LIST: readonly Option[] = Object.values(OPTIONS)
