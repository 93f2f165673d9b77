import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'

interface DomainList {
  domains: { id: string; name: string; lastVerificationCheckedAt?: string; lastVerificationErrors: unknown[] }[]
  count: number
}

let fixture: AppFixture
before(async () => {
  fixture = await openAppFixture()
})
after(() => fixture[Symbol.asyncDispose]())

async function list(query: Record<string, string> = {}): Promise<DomainList> {
  const answer = await fixture.get(`/api/v2/domain?${new URLSearchParams(query).toString()}`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

describe('200', () => {
  test('a domain has exactly the fields of the interface; times are ISO 8601', async () => {
    const [domain] = fixture.acme.domains
    const { domains, count } = await list({ orderBy: '{"name":"asc"}' })
    assert.equal(count, 2)
    assert.deepEqual(domains[0], {
      id: domain.id,
      createdAt: '2026-01-15T12:00:00.000Z',
      updatedAt: '2026-01-15T12:00:00.000Z',
      name: 'acme.test',
      description: 'Sender domain acme.test',
      sendingEmail: 'postmaster@acme.test',
      dnsRecords: domain.dnsRecords,
      isActive: true,
      isApproved: false,
      isVerified: false,
      lastVerificationErrors: [],
    })
    assert.deepEqual(
      domain.dnsRecords.map(({ purpose, status }) => [purpose, status]),
      [
        ['DKIM', 'pending'],
        ['SPF', 'pending'],
        ['DMARC', 'pending'],
      ],
    )
  })

  test('no response contains any part of a private key', async () => {
    const { body } = await fixture.get('/api/v2/domain')
    assert.doesNotMatch(body, /private|sealed|PRIVATE/)
  })

  test('after a check, its time and errors are returned', async () => {
    const { id } = fixture.acme.domains[1]
    fixture.advance(1000)
    await fixture.post(`/api/v2/domain/${id}/verify`)
    const { domains } = await list()
    const checked = domains.find((domain) => domain.id === id)
    assert(checked)
    assert.equal(checked.lastVerificationCheckedAt, '2026-01-15T12:00:01.000Z')
    assert.equal(checked.lastVerificationErrors.length, 2)
    assert.equal(domains[0]?.id, id, 'last updated comes first')
  })

  test('skip and take select a page; count is the number of all matches', async () => {
    await using own = await openAppFixture()
    const [template] = own.acme.domains
    for (let number = 0; number < 8; number++) {
      await own.storage.control.domains.create({ ...template, id: randomUUIDv7(), name: `d${number}.test` })
    }
    const names = async (query: string) => {
      const answer = await own.get(`/api/v2/domain?orderBy={"name":"asc"}&${query}`)
      const { domains, count } = answer.json<DomainList>()
      assert.equal(count, 10)
      return domains.map(({ name }) => name)
    }
    const all = await names('')
    assert.equal(all.length, 10)
    assert.deepEqual(all, all.toSorted())
    assert.deepEqual(await names('skip=2&take=3'), all.slice(2, 5))
    assert.deepEqual(await names('skip=9'), all.slice(9))
    assert.deepEqual(await names('skip=10'), [])
    assert.deepEqual(await names('skip=9007199254740991'), [])
    assert.deepEqual(await names('take=9223372036854775807'), all)
    const newest = (await own.get('/api/v2/domain?take=100')).json<DomainList>().domains
    assert.deepEqual(new Set(newest.map(({ name }) => name)), new Set(all))
  })

  test('every field can be sorted by, in both directions, even if orderBy contains spaces', async () => {
    const fields = [
      'id',
      'createdAt',
      'updatedAt',
      'name',
      'description',
      'sendingEmail',
      'isActive',
      'isApproved',
      'isVerified',
      'lastVerificationCheckedAt',
    ]
    for (const field of fields) {
      const ascending = await list({ orderBy: `{ "${field}": "asc" }` })
      const descending = await list({ orderBy: `{"${field}":"desc"}` })
      assert.equal(ascending.domains.length, 2, field)
      assert.equal(descending.domains.length, 2, field)
    }
    const { domains } = await list({ orderBy: '{"name":"desc"}' })
    assert.deepEqual(
      domains.map(({ name }) => name),
      ['mail.acme.test', 'acme.test'],
    )
  })

  test('onboardingStatus=true lists domains that are active, approved and verified; false lists all others', async () => {
    const [first, second] = fixture.acme.domains
    await fixture.storage.control.domains.saveVerification(first.id, {
      dnsRecords: first.dnsRecords,
      isApproved: true,
      isVerified: true,
      lastVerificationErrors: [],
      lastVerificationCheckedAtMs: fixture.nowMs,
    })
    const onboarded = await list({ onboardingStatus: 'true' })
    assert.deepEqual([onboarded.count, onboarded.domains[0]?.name], [1, first.name])
    const rest = await list({ onboardingStatus: 'false' })
    assert.deepEqual([rest.count, rest.domains[0]?.name], [1, second.name])
  })
})

describe('400', () => {
  const refused: [string, RegExp][] = [
    ['skip=-1', /^Invalid skip: -1 is too small/],
    ['skip=', /^Invalid skip: it is empty/],
    ['skip=1.5', /^Invalid skip: /],
    ['take=0', /^Invalid take: 0 is too small/],
    ['take=all', /^Invalid take: "all"/],
    ['take=1&take=2', /^Invalid take: it was sent more than once/],
    ['onboardingStatus=', /^Invalid onboardingStatus: /],
    ['onboardingStatus=1', /^Invalid onboardingStatus: .*true or false/],
    ['onboardingStatus=True', /^Invalid onboardingStatus: /],
    ['orderBy=', /^Invalid orderBy: it is empty/],
    ['orderBy=name', /^Invalid orderBy: it is not JSON/],
    ['orderBy="name"', /^Invalid orderBy: it is not a JSON object/],
    ['orderBy=null', /^Invalid orderBy: it is not a JSON object/],
    ['orderBy=["name"]', /^Invalid orderBy: it is not a JSON object/],
    ['orderBy={}', /^Invalid orderBy: it names 0 fields/],
    ['orderBy={"name":"asc","id":"asc"}', /^Invalid orderBy: it names 2 fields/],
    ['orderBy={"name":"up"}', /^Invalid orderBy: the direction is neither "asc" nor "desc"/],
    ['orderBy={"name":"DESC"}', /^Invalid orderBy: /],
    ['orderBy={"name":{"sort":"asc"}}', /^Invalid orderBy: /],
    ['orderBy={"dnsRecords":"asc"}', /^Invalid orderBy: "dnsRecords" is not a field to sort by/],
    ['orderBy={"__proto__":"asc"}', /^Invalid orderBy: "__proto__" is not a field to sort by/],
    ['orderBy={"constructor":"asc"}', /^Invalid orderBy: /],
    ['orderBy={"name; DROP TABLE domain":"asc"}', /^Invalid orderBy: /],
  ]
  for (const [query, message] of refused) {
    test(query, async () => {
      const answer = await fixture.get(`/api/v2/domain?${query}`)
      assert.equal(answer.statusCode, 400)
      const body = answer.json<{ error: number; message: string }>()
      assert.equal(body.error, 400)
      assert.match(body.message, message)
    })
  }
})
