import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listBrokenLines } from './read-environment.ts'

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
