/** Every folder here is a configuration that must be refused: `env` is set, and `expected-error` is what stderr says. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { parseEnv } from 'node:util'
import { SERVER_MODULE } from '../harness/programs/program-files.ts'
import { cleanEnvironment } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const names = globSync('[0-9]*', { cwd: import.meta.dirname }).toSorted()

describe('the server refuses to start with', { concurrency: 2 }, () => {
  for (const name of names) {
    test(name, async () => {
      using folder = openTemporaryFolder()
      const read = (file: string) => readFileSync(join(import.meta.dirname, name, file), 'utf8')
      const defaults = { ENVELOG_PORT: '0', ENVELOG_DATA_DIR: join(folder.path, 'data') }
      const env = { ...cleanEnvironment(), ...defaults, ...parseEnv(read('env')) }
      const child = spawn(process.execPath, [SERVER_MODULE], {
        cwd: folder.path,
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
        timeout: 60_000,
      })
      const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')])
      for (const line of read('expected-error').trim().split('\n'))
        assert.ok(stderr.includes(line), `${line}\nis not in\n${stderr}`)
      assert.ok(exitCode === 1 || exitCode === 2, `exit code ${exitCode}`)
    })
  }
})
