import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generateHarakaTracking } from '../scripts/write-haraka-tracking.ts'

test("the plugin for Haraka has today's code (node scripts/write-haraka-tracking.ts)", () => {
  for (const [path, text] of Object.entries(generateHarakaTracking())) {
    assert.equal(readFileSync(join(import.meta.dirname, '..', path), 'utf8'), text, path)
  }
})
