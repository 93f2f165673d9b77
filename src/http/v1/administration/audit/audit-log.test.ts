import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../../../test/harness/app/app-fixture.ts'
import type { NewAuditEntry } from '../../../../audit/audit-entry.ts'
import type { AuditPage } from './audit-log.wire.ts'

const NOON_MS = Date.UTC(2026, 0, 10, 12)
const COUNT = 450

let fixture: AppFixture

function entry(index: number): NewAuditEntry {
  return {
    kind: index % 10 === 0 ? 'denied' : 'administration',
    timeMs: NOON_MS + index * 1000,
    lastTimeMs: NOON_MS + index * 1000,
    count: 1,
    actor: { type: 'operator', id: `key${index % 3}`, name: '=1+1', address: '192.0.2.1' },
    action: index % 2 === 0 ? 'createKey' : 'addDomain',
    object: `o${index}`,
    outcome: 'success',
    status: 201,
    requestId: `r${index}`,
  }
}

before(async () => {
  fixture = await openAppFixture()
  await fixture.storage.control.audit.add(Array.from({ length: COUNT }, (_, index) => entry(index)))
})
after(() => fixture[Symbol.asyncDispose]())

const get = (query: string) => fixture.get(`/v1/admin/audit${query}`, fixture.operatorKey)
const page = async (query: string) => (await get(query)).json<AuditPage>()
const objects = ({ entries }: AuditPage) => entries.map(({ object }) => object)

describe('the list', () => {
  test('has everything about an entry', async () => {
    const { entries } = await page('?limit=1')
    const last = COUNT - 1
    assert.deepEqual(entries, [
      {
        id: COUNT,
        time: '2026-01-10T12:07:29.000Z',
        lastTime: '2026-01-10T12:07:29.000Z',
        count: 1,
        kind: 'administration',
        actor: { type: 'operator', id: `key${last % 3}`, name: '=1+1', address: '192.0.2.1' },
        action: 'addDomain',
        object: `o${last}`,
        outcome: 'success',
        status: 201,
        requestId: `r${last}`,
      },
    ])
  })

  test('pages follow each other while new entries arrive', async () => {
    const seen: (string | null)[] = []
    for (let cursor = ''; ; ) {
      const found = await page(`?limit=100${cursor}`)
      seen.push(...objects(found))
      if (found.next === null) break
      cursor = `&cursor=${found.next}`
      // Recorded meanwhile.
      await fixture.post('/v1/admin/tenants', fixture.operatorKey, { payload: '{}' })
    }
    const expected = Array.from({ length: COUNT }, (_, index) => `o${COUNT - 1 - index}`)
    assert.deepEqual(seen, expected)
  })

  test('filters are combined', async () => {
    assert.deepEqual(objects(await page('?kind=denied&limit=2')), ['o440', 'o430'])
    assert.deepEqual(objects(await page('?actor=key1&action=createKey&limit=2')), ['o448', 'o442'])
    const window = 'from=2026-01-10T12:00:03Z&to=2026-01-10T12:00:05Z'
    assert.deepEqual(objects(await page(`?${window}`)), ['o4', 'o3'])
    assert.deepEqual(objects(await page('?outcome=failed')), [])
  })

  test('invalid parameters are refused', async () => {
    for (const query of ['?kind=x', '?cursor=x', '?from=yesterday', '?format=xml', '?outcome=ok'])
      assert.equal((await get(query)).statusCode, 400, query)
  })

  test('sums are current in the response', async () => {
    await fixture.get('/v1/admin/keys', 'rubbish')
    const { entries } = await page('?kind=denied&limit=1')
    assert.equal(entries[0]?.action, 'listKeys')
  })
})

describe('the file', () => {
  test('NDJSON has every matching entry as the list shows it', async () => {
    const answer = await get('?format=ndjson&actor=key2')
    assert.match(String(answer.headers['content-type']), /^application\/x-ndjson/)
    assert.match(String(answer.headers['content-disposition']), /^attachment; filename="audit-2026-01-15.ndjson"$/)
    const lines = answer.body.trimEnd().split('\n')
    assert.equal(lines.length, COUNT / 3)
    const { entries } = await page('?actor=key2&limit=1000')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as unknown),
      entries,
    )
  })

  test('CSV has a head, and no cell that a spreadsheet executes', async () => {
    const lines = (await get('?format=csv&from=2026-01-10&to=2026-01-11')).body.trimEnd().split('\r\n')
    assert.equal(lines.length, COUNT + 1)
    assert.match(lines[0] ?? '', /^id,time,lastTime,count,kind,actorType,actor,actorName,address,action,object/)
    assert.match(
      lines[1] ?? '',
      /^450,2026-01-10T12:07:29.000Z,2026-01-10T12:07:29.000Z,1,administration,operator,key2,'=1\+1,192.0.2.1,addDomain,o449,success,201,r449$/,
    )
  })

  test('four exports can run at a time', async () => {
    await using fresh = await openAppFixture()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        fresh.app.inject({
          url: '/v1/admin/audit?format=csv',
          headers: { authorization: fresh.operatorKey },
          payloadAsStream: true,
        }),
      ),
    )
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
      [200, 200, 200, 200, 503, 503],
    )
    for (const answer of answers) answer.stream().destroy()
  })
})
