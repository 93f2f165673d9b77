/** Where the variables come from: the process, and a `.env` file in the current folder for those the process does not set. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigError, type Environment } from './load-config.ts'
import { ENV_PREFIX } from './options.ts'

/** The server and the command line both read it, so that they agree on one configuration. */
export function readEnvironment(): Environment {
  const fromFile = Object.entries(parseEnv(readEnvFile())).filter(([name]) => name.startsWith(ENV_PREFIX))
  return { ...Object.fromEntries(fromFile), ...process.env }
}

/** A folder of that name is somebody else's. */
function readEnvFile(): string {
  try {
    return readFileSync('.env', 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'EISDIR') return ''
    throw new ConfigError([`.env cannot be read: ${error instanceof Error ? error.message : String(error)}`])
  }
}
