import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { createKnowledge } from '../../classification/knowledge.ts'
import { recordConnectorContract } from '../shared/record-connector.contract.ts'
import { createHaraka } from './haraka.ts'

const FOLDER = join(import.meta.dirname, 'testdata')

/** The plugin sends nothing that is not an event. */
const recipientsOf = (record: unknown) => (record as { recipients: readonly unknown[] }).recipients.length

describe("Haraka's plugin", () => recordConnectorContract(createHaraka(createKnowledge()), FOLDER, { recipientsOf }))

describe('POST /ingest/haraka', () => {
  let fixture: AppFixture
  before(async () => {
    fixture = await openAppFixture()
  })
  after(() => fixture[Symbol.asyncDispose]())

  test('stores one event per recipient, even if a record is sent again', async () => {
    const text = readFileSync(join(FOLDER, '02-reception-several-recipients.in.json'), 'utf8')
    const sample = JSON.parse(text) as object
    const payload = `${JSON.stringify({ ...sample, time: Math.floor(fixture.nowMs / 1000) - 60 })}\n`
    const post = async () => (await fixture.post('/ingest/haraka', fixture.operatorKey, { payload })).json<object>()
    assert.deepEqual(await post(), { stored: 3, duplicates: 0, rejected: [] })
    assert.deepEqual(await post(), { stored: 0, duplicates: 3, rejected: [] })
  })
})
