/** Every option of the program, once: the Config type, the parser, the manual and the help are all made from this table. */
import { parseBounceRules } from '../classification/bounce-rule.ts'
import { parseProviders } from '../classification/provider.ts'
import {
  brandName,
  certificateFile,
  dnsLabel,
  dnsServers,
  duration,
  folder,
  hostName,
  hostNames,
  jsonFile,
  listenAddress,
  listenPlace,
  oneOf,
  someOf,
  type ValueType,
  wholeNumber,
} from './value-types.ts'

export const ENV_PREFIX = 'ENVELOG_'

export interface Option<T> {
  readonly env: `${typeof ENV_PREFIX}${string}`
  readonly type: ValueType<T>
  /** As it would be written in the environment; absent when the option may stay unset. */
  readonly default?: string
  /** A secret's value is never printed, in error messages neither. */
  readonly secret?: boolean
  /** One sentence for the manual. */
  readonly sentence: string
}

/** An option that may stay unset. */
function optional<T>(option: Omit<Option<T>, 'default'>): Option<T | undefined> {
  return option
}

function withDefault<T>(option: Option<T> & { readonly default: string }): Option<T> {
  return option
}

const DAY_MS = 86_400_000

export const OPTIONS = {
  host: withDefault({
    env: 'ENVELOG_HOST',
    type: listenAddress,
    default: '127.0.0.1',
    sentence: 'Address to listen on; 0.0.0.0 or :: make the service reachable from other machines.',
  }),
  port: withDefault({
    env: 'ENVELOG_PORT',
    type: wholeNumber({ min: 0, max: 65_535, note: '0 picks a free port' }),
    default: '8025',
    sentence: 'Port to listen on.',
  }),
  dataDir: withDefault({
    env: 'ENVELOG_DATA_DIR',
    type: folder,
    default: './data',
    sentence:
      'Folder of everything that is kept: events, tenants, keys, domains, and the secret that seals private keys.',
  }),
  retentionMs: withDefault({
    env: 'ENVELOG_RETENTION',
    type: duration({ atLeastMs: DAY_MS, atMostMs: 36_500 * DAY_MS }),
    default: '90d',
    sentence:
      'How long events are kept, by their own time, and rejected records, by the time of their rejection; counts stay.',
  }),
  storage: withDefault({
    env: 'ENVELOG_STORAGE',
    type: oneOf(['sqlite'], ['clickhouse']),
    default: 'sqlite',
    sentence: 'Where events are kept: sqlite needs nothing but the data folder.',
  }),
  dnsServers: optional({
    env: 'ENVELOG_DNS_SERVERS',
    type: dnsServers,
    sentence: "DNS servers that domain verification asks; the system's own when unset.",
  }),
  brand: optional({
    env: 'ENVELOG_BRAND',
    type: brandName,
    sentence: 'Your brand in the name of one event field: acme turns service_message_id into acme_message_id.',
  }),
  logLevel: withDefault({
    env: 'ENVELOG_LOG_LEVEL',
    type: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    default: 'info',
    sentence: 'The least severe kind of line that the log on stderr shows.',
  }),
  logsHost: optional({
    env: 'ENVELOG_LOGS_HOST',
    type: hostName,
    sentence: 'Answer the log endpoints only to requests for this host name; any host when unset.',
  }),
  statsHost: optional({
    env: 'ENVELOG_STATS_HOST',
    type: hostName,
    sentence: 'Answer the statistics endpoint only to requests for this host name; any host when unset.',
  }),
  platformHost: optional({
    env: 'ENVELOG_PLATFORM_HOST',
    type: hostName,
    sentence: 'Answer the domain endpoints only to requests for this host name; any host when unset.',
  }),
  spfInclude: withDefault({
    env: 'ENVELOG_SPF_INCLUDE',
    type: hostName,
    default: 'spf.example.net',
    sentence: 'Host name whose SPF record lists your sending servers; tenants include it in theirs, so set your own.',
  }),
  returnPathHost: optional({
    env: 'ENVELOG_RETURN_PATH_HOST',
    type: hostName,
    sentence: 'Host of yours that takes bounces; tenants are asked for a CNAME to it, and are not when it is unset.',
  }),
  returnPathLabel: withDefault({
    env: 'ENVELOG_RETURN_PATH_LABEL',
    type: dnsLabel,
    default: 'bounces',
    sentence: 'Where below their domain tenants put the CNAME to the return-path host.',
  }),
  trackingHost: optional({
    env: 'ENVELOG_TRACKING_HOST',
    type: hostName,
    sentence:
      'Host of yours that counts opens and clicks; tenants are asked for a CNAME to it, and are not when it is unset.',
  }),
  trackingLabel: withDefault({
    env: 'ENVELOG_TRACKING_LABEL',
    type: dnsLabel,
    default: 'links',
    sentence: 'Where below their domain tenants put the CNAME to the tracking host.',
  }),
  trackMachines: withDefault({
    env: 'ENVELOG_TRACK_MACHINES',
    type: oneOf(['mark', 'drop']),
    default: 'mark',
    sentence: 'What becomes of opens and clicks by machines: kept with a mark, or left out of the log.',
  }),
  mxHost: optional({
    env: 'ENVELOG_MX_HOST',
    type: hostName,
    sentence:
      'Host of yours that takes mail to the domains of tenants; they are not asked for an MX record when it is unset.',
  }),
  requireRecords: optional({
    env: 'ENVELOG_REQUIRE_RECORDS',
    type: someOf(['DMARC', 'RETURN_PATH', 'TRACKING', 'MX']),
    sentence:
      'Records without which a domain is not verified, beside DKIM and SPF; the others are checked and reported.',
  }),
  smtpListen: optional({
    env: 'ENVELOG_SMTP_LISTEN',
    type: listenPlace,
    sentence: 'Where to take bounces and complaints that come back as mail (SMTP); nothing listens when it is unset.',
  }),
  smtpDomains: optional({
    env: 'ENVELOG_SMTP_DOMAINS',
    type: hostNames,
    sentence:
      'Domains whose mail is taken there, beside the return-path host and the return-path label below every sender domain.',
  }),
  smtpCertificate: optional({
    env: 'ENVELOG_SMTP_CERTIFICATE',
    type: certificateFile,
    sentence: 'Certificate with its private key; STARTTLS is offered where it is set.',
  }),
  reportProof: withDefault({
    env: 'ENVELOG_REPORT_PROOF',
    type: oneOf(['issued', 'signed']),
    default: 'issued',
    sentence:
      'What ties a bounce or complaint to a message: also the id of a message in the log with its recipient, or only what was signed.',
  }),
  queryBudgetMs: withDefault({
    env: 'ENVELOG_QUERY_BUDGET',
    type: duration({ atLeastMs: 10, atMostMs: 60_000 }),
    default: '1s',
    sentence: 'How long one log request may search before it answers with what it found and a token to go on.',
  }),
  bounceRules: optional({
    env: 'ENVELOG_BOUNCE_RULES',
    type: jsonFile(
      'rules, such as {"rules": [{"class": "QuotaIssues", "text": "mailbox is stuffed"}]}',
      parseBounceRules,
    ),
    sentence: 'Your own rules that tell why a delivery failed, put before those that come with Envelog.',
  }),
  providers: optional({
    env: 'ENVELOG_PROVIDERS',
    type: jsonFile('providers, such as {"providers": [{"name": "Acme", "hosts": ["mx.acme.com"]}]}', parseProviders),
    sentence: 'Your own names of receiving providers by their mail hosts, put before those that come with Envelog.',
  }),
} as const

export type OptionKey = keyof typeof OPTIONS

type ValueOf<O> = O extends Option<infer T> ? T : never

/** The options of one installation, read and checked. */
export type Config = { readonly [K in OptionKey]: ValueOf<(typeof OPTIONS)[K]> }

/** The same table as a list, for whoever describes or reads all of it. */
export const OPTION_LIST = Object.entries(OPTIONS) as readonly (readonly [OptionKey, Option<unknown>])[]
