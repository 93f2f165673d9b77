/** The quick part of the fault laboratory: a few rounds of every kind. `npm run test:faults` runs the long one. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'
import { KINDS } from './kinds.ts'
import type { Site } from './lab/engine.ts'
import { runKind } from './lab/run-kind.ts'
import { sqliteEngine } from './lab/sqlite-engine.ts'

/** The same faults every time; the long run draws others. */
const seed = 1
const engine = sqliteEngine

describe(`faults of the engine ${engine.name}, seed ${seed}`, { concurrency: false }, () => {
  const folder = openTemporaryFolder()
  let template: Site

  before(async () => {
    const installed = join(folder.path, 'template')
    mkdirSync(installed)
    template = await engine.install(installed)
  })

  after(() => folder[Symbol.dispose]())

  for (const kind of KINDS.filter(({ name }) => !engine.withoutKinds.has(name))) {
    test(`${kind.name}: ${kind.promise}`, async (t) => {
      const rounds = kind.rounds.quick
      const result = await runKind(kind, { engine, template, folder: folder.path, seed, rounds })
      for (const [figure, count] of result.figures) t.diagnostic(`${figure}: ${count}`)
      for (const { error } of result.failures) throw error
      assert.equal(result.rounds, rounds)
    })
  }
})
