/** Reads the variables from the environment and from a file, `.env` in the current folder by default; the environment takes precedence. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError, type Environment } from './load-config.ts'
import { ENV_PREFIX, OPTIONS } from './options.ts'

export function readEnvironment(): Environment {
  const { file, isGiven } = envFile()
  const text = readEnvFile(file, isGiven)
  const problems = listBrokenLines(text, file)
  if (problems.length > 0) throw new ConfigError(problems)
  const fromFile = Object.entries(parseEnv(text)).filter(([name]) => name.startsWith(ENV_PREFIX))
  const own = Object.entries(process.env).filter(([name]) => isSet(name))
  return Object.fromEntries([...fromFile, ...own])
}

/** Where the value of a variable that is set comes from. */
export function originOf(name: string): string {
  return isSet(name) ? 'environment' : envFile().file
}

/** Empty counts as unset: it does not hide a value of the file. */
function isSet(name: string): boolean {
  return Boolean(process.env[name]?.trim())
}

function envFile(): { readonly file: string; readonly isGiven: boolean } {
  const { env, default: usual } = OPTIONS.envFile
  const given = process.env[env]?.trim() || undefined
  return { file: given ?? usual, isGiven: given !== undefined }
}

/** Lines with one of our variables but no value, which parseEnv ignores. Other programs' lines are not our concern. */
export function listBrokenLines(text: string, file: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const [, name, rest = ''] = /^\s*(?:export\s+)?(\w+)(.*)/.exec(line) ?? []
    if (!name?.startsWith(ENV_PREFIX) || /^\s*=/.test(rest)) return []
    return [`${file}, line ${index + 1}: ${name} is not followed by "=". Write ${name}=VALUE.`]
  })
}

/** Unless it is given, the file may be missing, and a folder of that name is ignored. */
function readEnvFile(file: string, isGiven: boolean): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (!isGiven && (code === 'ENOENT' || code === 'EISDIR')) return ''
    throw new ConfigError([`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`])
  }
}
