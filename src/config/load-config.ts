/** Turns environment variables into a checked Config, or reports all problems at once. */
import { findNearestName } from './nearest-name.ts'
import { type Config, ENV_PREFIX, OPTION_LIST, OPTIONS, type Option } from './options.ts'
import { showValue } from './value-types.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The program refuses to run; `problems` has an entry per wrong variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      `The configuration has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    )
    this.problems = problems
  }
}

/** An empty variable counts as unset, because compose files and unit files leave variables out that way. */
export function loadConfig(env: Environment): Config {
  const problems = listUnknownVariables(env)
  const values: Record<string, unknown> = {}
  for (const [key, option] of Object.entries<Option>(OPTIONS)) {
    const text = env[option.env]?.trim() || option.default
    try {
      values[key] = text === undefined ? undefined : option.type.parse(text)
    } catch (error) {
      problems.push(describeProblem(option, text ?? '', error))
    }
  }
  problems.push(...listDoubles(values), ...listEngineProblems(env, values['storage']))
  if (problems.length > 0) throw new ConfigError(problems)
  // The table has a type for each key, which the loop loses.
  return values as Config
}

/** What is given as a value or in a file. */
const DOUBLES = [
  ['secret', 'secretFile'],
  ['postgresUrl', 'postgresUrlFile'],
  ['clickhousePassword', 'clickhousePasswordFile'],
] as const satisfies readonly (keyof Config)[][]

function listDoubles(values: Readonly<Record<string, unknown>>): readonly string[] {
  return DOUBLES.filter((keys) => keys.every((key) => values[key] !== undefined)).map(
    ([value, file]) => `${OPTIONS[value].env} and ${OPTIONS[file].env} are both set. Choose one.`,
  )
}

/** Options that are missing for the selected engine, and options that only the other one has: one of the two is a mistake. */
function listEngineProblems(env: Environment, storage: unknown): readonly string[] {
  if (storage !== 'sqlite' && storage !== 'clickhouse') return []
  const isSet = (option: Option) => ![undefined, '', option.default].includes(env[option.env]?.trim())
  const foreign = OPTION_LIST.filter(
    (option) => option.engine !== undefined && option.engine !== storage && isSet(option),
  )
  const needed = [[OPTIONS.clickhouseUrls], [OPTIONS.postgresUrl, OPTIONS.postgresUrlFile]]
  const missing = storage === 'clickhouse' ? needed.filter((options) => !options.some(isSet)) : []
  const selected = `${OPTIONS.storage.env} is ${storage}`
  return [
    ...missing.map((options) => `${selected}, but ${options.map(({ env: name }) => name).join(' or ')} is not set.`),
    ...foreign.map(({ env: name, engine }) => `${name} is only for ${engine}, and ${selected}. Remove one of the two.`),
  ]
}

/** Settings that are valid but probably unintended. */
export function listConfigWarnings(config: Config): readonly string[] {
  const placeholder =
    config.spfInclude === OPTIONS.spfInclude.default
      ? [
          `${OPTIONS.spfInclude.env} is not set: tenants are asked to include the placeholder ${config.spfInclude} in their SPF records. Set it to the host name of your own SPF record before you add domains.`,
        ]
      : []
  return [...placeholder, ...listRecordWarnings(config), ...listSmtpWarnings(config)]
}

function listSmtpWarnings(config: Config): readonly string[] {
  if (config.smtpListen !== undefined) return []
  return (['smtpDomains', 'smtpCertificate'] as const).flatMap((key) =>
    config[key] === undefined
      ? []
      : [`${OPTIONS[key].env} is set, but ${OPTIONS.smtpListen.env} is not, so no mail is received.`],
  )
}

/** Required records that tenants cannot publish. */
function listRecordWarnings(config: Config): readonly string[] {
  const hosts = { RETURN_PATH: 'returnPathHost', TRACKING: 'trackingHost', MX: 'mxHost' } as const
  const missing = (config.requireRecords ?? []).flatMap((purpose) => {
    if (purpose === 'DMARC' || config[hosts[purpose]] !== undefined) return []
    return [
      `${OPTIONS.requireRecords.env} names ${purpose}, but ${OPTIONS[hosts[purpose]].env} is not set, so tenants are not asked for it.`,
    ]
  })
  const isSameName = config.returnPathLabel === config.trackingLabel
  const areBoth = config.returnPathHost !== undefined && config.trackingHost !== undefined
  if (!isSameName || !areBoth || config.returnPathHost === config.trackingHost) return missing
  return [
    ...missing,
    `${OPTIONS.returnPathLabel.env} and ${OPTIONS.trackingLabel.env} are the same: tenants are asked for two CNAME records at one name, which DNS does not allow.`,
  ]
}

/** The name that the brandable field has on the wire. */
export function serviceMessageIdField(config: Config): string {
  return `${config.brand ?? 'service'}_message_id`
}

function listUnknownVariables(env: Environment): string[] {
  const known: string[] = OPTION_LIST.map((option) => option.env)
  const unknown = Object.keys(env).filter((name) => name.startsWith(ENV_PREFIX) && !known.includes(name))
  return unknown.toSorted().map((name) => {
    const nearest = findNearestName(name, known)
    return nearest === undefined
      ? `${name} is not an option. Allowed: ${known.join(', ')}.`
      : `${name} is not an option. Did you mean ${nearest}?`
  })
}

function describeProblem(option: Option, text: string, error: unknown): string {
  const problem = error instanceof Error ? error.message : String(error)
  const shown = showValue(option.type, text)
  return `${option.env}: ${shown === undefined ? 'the value' : `"${shown}"`} ${problem}. Allowed: ${option.type.allowed}.`
}
