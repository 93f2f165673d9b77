import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'
import { EVENT_TYPES } from '../../events/event.ts'

interface RecentLog {
  events: { id: string; type: string; timestamp: number }[]
  count: number
  filtered_type: string
}

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture()
})
after(() => fixture[Symbol.asyncDispose]())

describe('200', () => {
  test('an event has only the nine fields of this path; absent values are left out', async () => {
    const {
      sender: _sender,
      subject: _subject,
      ...sparse
    } = fixture.event({ domain_name: 'mail.acme.test', timestamp: 1768478000 })
    const full = fixture.event({ domain_name: 'mail.acme.test', provider_name: 'Example', size: 5, campaign: null })
    await fixture.ingest([sparse, full])
    const log = (await fixture.get('/logs/mail.acme.test')).json<RecentLog>()
    assert.equal(log.count, 2)
    assert.equal(log.filtered_type, '')
    const { provider_name: _provider, size: _size, campaign: _campaign, ...nine } = full
    assert.equal(Object.keys(nine).length, 9)
    assert.deepEqual(log.events, [nine, sparse])
  })

  test('the six types of this path are listed, all together or one by one', async () => {
    await fixture.ingest(EVENT_TYPES.map((type) => fixture.event({ type })))
    const all = (await fixture.get('/logs/acme.test')).json<RecentLog>()
    const six = ['Bounce', 'Click', 'Delivery', 'Opened', 'Reception', 'TransientFailure']
    assert.deepEqual(all.events.map(({ type }) => type).toSorted(), six)
    for (const type of six) {
      const one = (await fixture.get(`/logs/acme.test?type=${type}`)).json<RecentLog>()
      assert.deepEqual([one.count, one.filtered_type, one.events[0]?.type], [1, type, type])
    }
  })

  test('the 1000 newest events of the last 15 days are listed, newest first', async () => {
    await using own = await openAppFixture()
    const nowSeconds = own.nowMs / 1000
    await own.ingest([
      own.event({ timestamp: nowSeconds - 15 * 86_400 - 1 }),
      own.event({ timestamp: nowSeconds - 15 * 86_400 }),
    ])
    assert.equal((await own.get('/logs/acme.test')).json<RecentLog>().count, 1)
    await own.ingest(Array.from({ length: 1001 }, (_, age) => own.event({ timestamp: nowSeconds - age })))
    const log = (await own.get('/logs/acme.test?limit=5&next_token=x')).json<RecentLog>()
    assert.equal(log.count, 1000)
    assert.deepEqual(
      log.events.map(({ timestamp }) => timestamp),
      Array.from({ length: 1000 }, (_, age) => nowSeconds - age),
    )
  })
})

describe('400', () => {
  for (const type of ['OOBBounce', 'Delayed', 'Feedback', 'bounce', '', 'Bounce&type=Bounce']) {
    test(`type=${type}`, async () => {
      const answer = await fixture.get(`/logs/acme.test?type=${type}`)
      assert.equal(answer.statusCode, 400)
      assert.match(
        answer.json<{ message: string }>().message,
        /^Invalid type: .*Reception, Delivery, Bounce, TransientFailure, Opened, Click/,
      )
    })
  }

  test('no domain', async () => {
    for (const url of ['/logs', '/logs/']) {
      assert.deepEqual((await fixture.get(url)).json(), {
        error: 400,
        message: 'Domain missing: use /logs/{domain}',
      })
    }
  })
})
