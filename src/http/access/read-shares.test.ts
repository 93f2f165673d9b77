/** Every read that a tenant causes uses that tenant's share of the reading threads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import type { Storage } from '../../storage/storage.ts'

const READS = [
  '/webhooks/acme.test',
  '/webhooks/acme.test?subject=x',
  '/webhooks/acme.test?message_id=m1',
  '/logs/acme.test',
  '/v1/events',
  '/v1/events?q=x&limit=1000',
  '/v1/events?format=csv',
  '/v1/events?format=ndjson',
  '/v1/messages/m1',
  '/v1/stats/series?group=type',
  '/domain/stats',
]

interface NotedRead {
  readonly tenantId: string | undefined
}

/** Notes in whose name the log is read. */
function watch(storage: Storage, noted: NotedRead[]): Storage {
  const { log } = storage
  const note = ({ tenantId }: { readonly tenantId?: string }) => void noted.push({ tenantId })
  return {
    ...storage,
    log: {
      ...log,
      list(query) {
        note(query)
        return log.list(query)
      },
      listMessage(query) {
        note(query)
        return log.listMessage(query)
      },
      series(query) {
        note(query)
        return log.series(query)
      },
      counts(numbers, tenantId) {
        noted.push({ tenantId })
        return log.counts(numbers, tenantId)
      },
    },
  }
}

test('a read over HTTP is in the name of the tenant whose key was sent', async () => {
  const noted: NotedRead[] = []
  await using fixture = await openAppFixture({ wrapStorage: (storage) => watch(storage, noted) })
  await fixture.ingest([fixture.event({ id: 'm1' })])
  for (const path of READS) {
    noted.length = 0
    const { statusCode } = await fixture.get(path)
    assert.equal(statusCode, 200, path)
    assert.deepEqual(new Set(noted.map(({ tenantId }) => tenantId)), new Set([fixture.acme.tenant.id]), path)
  }
})

test('a tenant with too many reads is refused with 429 until some have ended; others are served', async () => {
  await using fixture = await openAppFixture()
  await fixture.ingest([fixture.event({ id: 'm1' })])
  // Text searches, which are not answered from memory. The thread that reads them is not even running yet.
  const search = (key?: string) => fixture.get('/v1/events?subject=nothing+like+it', key)
  const flood = Promise.all(Array.from({ length: 60 }, () => search()))
  const others = await Promise.all([
    fixture.get('/v1/events?q=nothing', fixture.rival.key),
    fixture.get('/healthz', null),
  ])
  assert.deepEqual(
    others.map(({ statusCode }) => statusCode),
    [200, 200],
  )
  const answers = await flood
  const refused = answers.filter(({ statusCode }) => statusCode === 429)
  assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length + refused.length, 60)
  assert.ok(refused.length > 0)
  for (const { headers, body } of refused) {
    assert.equal(headers['retry-after'], '1')
    assert.deepEqual(JSON.parse(body), {
      error: 429,
      message: '32 reads of this tenant are running or waiting; wait for one to end.',
    })
  }
  assert.equal((await search()).statusCode, 200)
})
