import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../test/harness/temporary-folder.ts'
import { listBrokenLines, originOf, readEnvironment } from './read-environment.ts'

test('a line of .env with an option but no value is reported with its number', () => {
  const text = ['# ENVELOG_PORT 1', 'ENVELOG_PORT 12', 'ENVELOG_BRAND: acme', 'export ENVELOG_HOST', ''].join('\r\n')
  assert.deepEqual(listBrokenLines(text, '.env'), [
    '.env, line 2: ENVELOG_PORT is not followed by "=". Write ENVELOG_PORT=VALUE.',
    '.env, line 3: ENVELOG_BRAND is not followed by "=". Write ENVELOG_BRAND=VALUE.',
    '.env, line 4: ENVELOG_HOST is not followed by "=". Write ENVELOG_HOST=VALUE.',
  ])
})

test('lines that set an option, and lines of other programs, are not reported', () => {
  const text = 'ENVELOG_PORT=12\nexport ENVELOG_BRAND = "acme"\n  ENVELOG_HOST=\nOTHER thing\n\n# ENVELOG_X y\n'
  assert.deepEqual(listBrokenLines(text, '.env'), [])
})

test('the environment takes precedence over the file, but an empty variable is none', (t) => {
  using folder = openTemporaryFolder()
  const file = join(folder.path, 'envelog.env')
  writeFileSync(file, 'ENVELOG_PORT=1\nENVELOG_HOST=file\nENVELOG_BRAND=file\n')
  const names = ['ENVELOG_ENV_FILE', 'ENVELOG_PORT', 'ENVELOG_HOST', 'ENVELOG_BRAND'] as const
  t.after(() => names.forEach((name) => void delete process.env[name]))
  Object.assign(process.env, { ENVELOG_ENV_FILE: file, ENVELOG_PORT: '2', ENVELOG_HOST: '', ENVELOG_BRAND: ' ' })
  const { ENVELOG_PORT, ENVELOG_HOST, ENVELOG_BRAND } = readEnvironment()
  assert.deepEqual([ENVELOG_PORT, ENVELOG_HOST, ENVELOG_BRAND], ['2', 'file', 'file'])
  assert.deepEqual([originOf('ENVELOG_PORT'), originOf('ENVELOG_HOST')], ['environment', file])
})
