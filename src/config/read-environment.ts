/** Reads the variables from the environment and from a `.env` file in the current folder; the environment takes precedence. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError, type Environment } from './load-config.ts'
import { ENV_PREFIX } from './options.ts'

export function readEnvironment(): Environment {
  const text = readEnvFile()
  const problems = listBrokenLines(text)
  if (problems.length > 0) throw new ConfigError(problems)
  const fromFile = Object.entries(parseEnv(text)).filter(([name]) => name.startsWith(ENV_PREFIX))
  return { ...Object.fromEntries(fromFile), ...process.env }
}

/** Where the value of a variable that is set comes from. */
export function originOf(name: string): 'environment' | '.env' {
  return process.env[name] === undefined ? '.env' : 'environment'
}

/** Lines with one of our variables but no value, which parseEnv ignores. Other programs' lines are not our concern. */
export function listBrokenLines(text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) => {
    const [, name, rest = ''] = /^\s*(?:export\s+)?(\w+)(.*)/.exec(line) ?? []
    if (!name?.startsWith(ENV_PREFIX) || /^\s*=/.test(rest)) return []
    return [`.env, line ${index + 1}: ${name} is not followed by "=". Write ${name}=VALUE.`]
  })
}

/** A folder named .env is ignored. */
function readEnvFile(): string {
  try {
    return readFileSync('.env', 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'EISDIR') return ''
    throw new ConfigError([`.env cannot be read: ${error instanceof Error ? error.message : String(error)}`])
  }
}
