import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'

const sample = JSON.parse(readFileSync(join(import.meta.dirname, 'testdata/01-delivery.in.json'), 'utf8')) as object

describe('POST /ingest/kumomta', () => {
  let fixture: AppFixture
  before(async () => {
    fixture = await openAppFixture()
  })
  after(() => fixture[Symbol.asyncDispose]())

  const record = (fields: object = {}) => ({ ...sample, timestamp: Math.floor(fixture.nowMs / 1000) - 60, ...fields })
  const post = async (payload: string | Buffer, headers: Record<string, string> = {}) => {
    const answer = await fixture.post('/ingest/kumomta', fixture.operatorKey, { payload, headers })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<{ stored: number; duplicates: number; rejected: { index: number; error: string }[] }>()
  }

  test('accepts an object, an array, lines and zstd, and stores each record once', async () => {
    const stored = { stored: 1, duplicates: 0, rejected: [] }
    const known = { stored: 0, duplicates: 1, rejected: [] }
    const text = JSON.stringify(record())
    assert.deepEqual(await post(text), stored)
    assert.deepEqual(await post(`[${text}]`), known)
    const withRejection = await post(`${text}\n${JSON.stringify(record({ type: 'Rejection' }))}\n`)
    assert.deepEqual(withRejection, { ...known, skipped: 1 })
    assert.deepEqual(await post(zstdCompressSync(text), { 'content-encoding': 'zstd' }), known)
    const { body } = await fixture.get('/webhooks/acme.test')
    assert.match(body, /"peer_name":"gmail-smtp-in\.l\.google\.com".*"count":1/)
  })

  test('stores one event per recipient of a record', async () => {
    const recipient = ['a@example.org', 'b@example.org', 'c@example.org']
    assert.equal((await post(JSON.stringify(record({ recipient })))).stored, 3)
  })

  test('a complaint without a signed reference counts only for a recipient of its message', async () => {
    const message = { id: 'complained', recipient: 'anna@example.org' }
    assert.equal((await post(JSON.stringify(record(message)))).stored, 1)
    const complaint = (recipient: string, id: string) =>
      record({
        id: `report-${id}-${recipient}`,
        type: 'Feedback',
        feedback_report: {
          feedback_type: 'abuse',
          supplemental_trace: { x_envelog_id: id, recipient },
          reported_domain: ['acme.test'],
        },
      })
    const errorOf = async (...complained: [string, string]) =>
      (await post(JSON.stringify(complaint(...complained)))).rejected[0]?.error
    assert.equal(await errorOf('anna@example.org', 'complained'), undefined)
    assert.notEqual(await errorOf('never@example.org', 'complained'), undefined)
    assert.notEqual(await errorOf('anna@example.org', 'unknown'), undefined)
  })

  test('attributes mail by its From, or by its envelope if From is unknown or not logged', async () => {
    const of = async (headers: object, sender: string) => {
      const id = JSON.stringify([headers, sender])
      const { rejected } = await post(JSON.stringify(record({ id, headers, sender })))
      if (rejected.length > 0) return rejected[0]?.error
      const listed = await Promise.all(
        ['acme.test', 'mail.acme.test'].map(async (domain) => {
          const path = `/webhooks/${domain}?message_id=${encodeURIComponent(id)}`
          return (await fixture.get(path)).json<{ count: number }>().count === 1 ? domain : undefined
        }),
      )
      return listed.filter((domain) => domain !== undefined).join()
    }
    assert.equal(await of({ From: 'a@mail.acme.test' }, 'b@acme.test'), 'mail.acme.test')
    assert.equal(await of({}, 'b@eu.bounces.mail.acme.test'), 'mail.acme.test')
    assert.equal(await of({ From: 'a@x.test' }, 'b@acme.test'), 'acme.test')
    assert.equal(await of({ From: 'a@x.test' }, 'b@y.test'), 'domain_name: "x.test" is not a known domain')
    assert.equal(await of({ From: 'a@acme.test' }, ''), 'acme.test')
    assert.equal(await of({ From: 'mailer-daemon@x.test' }, ''), '')
  })

  test('lists rejected records without failing the others', async () => {
    const batch = [record({ id: 'r1' }), { type: 'Unheard' }, record({ id: 'r2', recipient: 'Postmaster' })]
    assert.deepEqual(await post(JSON.stringify(batch)), {
      stored: 1,
      duplicates: 0,
      rejected: [
        { index: 1, error: 'type: "Unheard" is not a known record type' },
        { index: 2, error: 'recipient: must be an email address' },
      ],
    })
  })
})
