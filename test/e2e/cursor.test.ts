/** next_token over HTTP: it continues its listing, for its tenant and domain, unmodified and for a day; anything else is refused. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { EmailEvent } from '../../src/events/event.ts'
import { createSealer } from '../../src/lib/sealing/sealer.ts'
import { type AppFixture, FIXTURE_START_MS, openAppFixture } from '../harness/app/app-fixture.ts'
import { someAtATime } from '../harness/some-at-a-time.ts'

interface Page {
  readonly events: readonly EmailEvent[]
  readonly count: number
  readonly filters_applied: Record<string, string>
  readonly next_token?: string
}

const NOW = FIXTURE_START_MS / 1000
const DAY = 86_400
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** All of them at once; every event below matches. */
const FILTERS = {
  type: 'Bounce',
  recipient: 'person',
  sender: 'bounces@',
  from: 'acme',
  subject: 'LETTER',
  response_code: '550',
  start_timestamp: String(NOW - 3 * DAY),
  end_timestamp: String(NOW),
} as const

let fixture: AppFixture
let domain: string
let token: string

before(async () => {
  fixture = await openAppFixture()
  domain = fixture.acme.domains[0].name
  // Three days, and ties within a second: five events each share one.
  const bounces = Array.from({ length: 60 }, (_, index) =>
    fixture.event({ type: 'Bounce', response_code: 550, timestamp: NOW - 60 - Math.floor(index / 5) * (DAY / 5) }),
  )
  const others = Array.from({ length: 20 }, (_, index) => fixture.event({ timestamp: NOW - 60 - index * 1000 }))
  const elsewhere = fixture.acme.domains[1].name
  await fixture.ingest([...bounces, ...others, fixture.event({ domain_name: elsewhere })])
  token = tokenOf(await getPage({ ...FILTERS, limit: '7' }))
})

after(async () => fixture[Symbol.asyncDispose]())

function url(parameters: Record<string, string>, of = domain): string {
  return `/webhooks/${of}?${new URLSearchParams(parameters).toString()}`
}

async function getPage(parameters: Record<string, string>): Promise<Page> {
  const answer = await fixture.get(url(parameters))
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<Page>()
}

function tokenOf(page: Page): string {
  assert(page.next_token !== undefined, 'there is a next page')
  return page.next_token
}

/** All events from a page to the end, including its own. */
async function follow(first: Page): Promise<readonly EmailEvent[]> {
  const events = [...first.events]
  let page = first
  for (let pages = 1; page.next_token !== undefined; pages++) {
    assert(pages < 200, 'following the tokens comes to an end')
    page = await getPage({ next_token: page.next_token })
    events.push(...page.events)
  }
  return events
}

async function assertRefused(
  parameters: Record<string, string>,
  { of = domain, key = fixture.acme.key, message = /next_token/ } = {},
): Promise<void> {
  const answer = await fixture.get(url(parameters, of), key)
  assert.equal(answer.statusCode, 400, `${JSON.stringify(parameters)} was answered with ${answer.body.slice(0, 200)}`)
  const body = answer.json<{ error: number; message: string }>()
  assert.deepEqual(Object.keys(body), ['error', 'message'])
  assert.equal(body.error, 400)
  assert.match(body.message, message)
}

function assertAllRefused(tokens: readonly string[]): Promise<void> {
  return someAtATime(tokens, (next_token) => assertRefused({ next_token }))
}

describe('a token continues', () => {
  test('alone, with the filters and the window of the first page', async () => {
    const whole = await getPage({ ...FILTERS, limit: '1000' })
    assert.equal(whole.next_token, undefined)
    assert.equal(whole.count, 60)
    const first = await getPage({ ...FILTERS, limit: '7' })
    const second = await getPage({ next_token: tokenOf(first) })
    assert.deepEqual(second.filters_applied, first.filters_applied)
    assert.deepEqual(await follow(first), whole.events)
  })

  test('with the same filters, all of them or some', async () => {
    const alone = await getPage({ next_token: token, limit: '7' })
    const withAll = await getPage({ ...FILTERS, next_token: token, limit: '7' })
    assert.deepEqual(withAll.events, alone.events)
    for (const [name, value] of Object.entries(FILTERS)) {
      assert.deepEqual((await getPage({ [name]: value, next_token: token, limit: '7' })).events, alone.events, name)
    }
  })

  test('with another limit on every page, losing and repeating nothing', async () => {
    const whole = await getPage({ ...FILTERS, limit: '1000' })
    const events: EmailEvent[] = []
    let page = await getPage({ ...FILTERS, limit: '1' })
    for (let limit = 2; ; limit++) {
      assert(page.count < limit)
      events.push(...page.events)
      if (page.next_token === undefined) break
      page = await getPage({ next_token: page.next_token, limit: String(limit) })
    }
    assert.deepEqual(events, whole.events)
  })

  test('as often as it is sent: a token can be used repeatedly', async () => {
    const once = await getPage({ next_token: token })
    assert.deepEqual((await getPage({ next_token: token })).events, once.events)
  })

  test('with the window of the first page, although time has passed and events have arrived everywhere', async () => {
    await using own = await openAppFixture()
    const path = `/webhooks/${own.acme.domains[0].name}`
    const ages = Array.from({ length: 40 }, (_, index) => 60 + Math.floor(index / 4) * 7200)
    await own.ingest(ages.map((age) => own.event({ timestamp: NOW - age })))
    const listed = async (query: string) => (await own.get(`${path}?${query}`)).json<Page>()
    const wanted = (await listed('limit=1000')).events.map((event) => event.id)
    let page = await listed('limit=6')
    const seen = page.events.map((event) => event.id)
    while (page.next_token !== undefined) {
      own.advance(60_000)
      // Newer than everything, as old as pages already read, and as old as pages not read yet.
      const now = Math.floor(own.nowMs / 1000)
      await own.ingest([now, NOW - 60, NOW - 60 - 9 * 7200].map((timestamp) => own.event({ timestamp })))
      page = await listed(`next_token=${page.next_token}`)
      seen.push(...page.events.map((event) => event.id))
    }
    assert.deepEqual(
      seen.filter((id) => wanted.includes(id)),
      wanted,
    )
    assert.equal(new Set(seen).size, seen.length)
  })
})

describe('a token is refused', () => {
  test('with any character changed, by one of the alphabet or one from outside', async () => {
    await assertAllRefused(
      Array.from(token).flatMap((character, at) => {
        const place = ALPHABET.indexOf(character)
        const others = [ALPHABET.charAt((place + 1) % 64), ALPHABET.charAt(place ^ 32), '.', ' ']
        return others.map((other) => token.slice(0, at) + other + token.slice(at + 1))
      }),
    )
  })

  test('with its last character changed to any other: spare bits count too', async () => {
    // Lengths that leave no, two and four spare bits in the last character.
    for (const subject of ['l', 'le', 'let']) {
      const own = tokenOf(await getPage({ subject, limit: '1' }))
      const others = Array.from(ALPHABET.replace(own.at(-1) ?? '', ''))
      await assertAllRefused(others.map((other) => own.slice(0, -1) + other))
    }
  })

  test('with any bit of its bytes flipped', async () => {
    const bytes = Buffer.from(token, 'base64url')
    await assertAllRefused(
      Array.from({ length: bytes.length * 8 }, (_, bit) => {
        const changed = Buffer.from(bytes)
        const at = bit >> 3
        changed[at] = (changed[at] ?? 0) ^ (1 << (bit & 7))
        return changed.toString('base64url')
      }),
    )
  })

  test('truncated anywhere, at either end', async () => {
    const lengths = Array.from({ length: token.length - 1 }, (_, index) => index + 1)
    await assertAllRefused(lengths.flatMap((length) => [token.slice(0, length), token.slice(length)]))
  })

  test('with anything added', async () => {
    for (const extra of ['A', 'AA', 'AAAA', '=', '==', '-', '.', ' ', '\n', '\0', '%', '"', '💌', token]) {
      await assertRefused({ next_token: token + extra })
      await assertRefused({ next_token: extra + token })
    }
  })

  test('in another spelling of base64', async () => {
    let odd = token
    for (let tries = 0; !/-|_/.test(odd); tries++) {
      assert(tries < 100)
      odd = tokenOf(await getPage({ ...FILTERS, limit: '7' }))
    }
    await assertRefused({ next_token: odd.replaceAll('-', '+').replaceAll('_', '/') })
    await assertRefused({ next_token: odd.padEnd(Math.ceil((odd.length + 1) / 4) * 4, '=') })
    await assertRefused({ next_token: (odd.match(/.{1,76}/g) ?? []).join('\r\n') })
    await assertRefused({ next_token: Buffer.from(odd, 'base64url').toString('hex') })
    await assertRefused({ next_token: Buffer.from(odd).toString('base64url') })
  })

  test('that was never issued', async () => {
    const plain = {
      layout: 1,
      domainNumber: 1,
      filters: { startTimestamp: 0, endTimestamp: NOW },
      issuedAtMs: NOW * 1000,
    }
    for (const made of ['x', 'null', '{}', '0', "' OR 1=1", 'A'.repeat(8000), JSON.stringify(plain)]) {
      await assertRefused({ next_token: made })
      await assertRefused({ next_token: Buffer.from(made).toString('base64url') })
    }
  })

  test('sealed by another installation, or by this one for another purpose, owner or layout', async () => {
    const ours = createSealer(Buffer.alloc(32, 7), 'cursor')
    const content = ours.open(Buffer.from(token, 'base64url'))
    assert(content)
    // The control: sealed the right way, the same content is a token.
    await getPage({ next_token: ours.seal(content).toString('base64url') })
    // After a domain changed its owner, tokens of the old owner are refused. So is a token of another layout.
    const fields = JSON.parse(content.toString()) as object
    for (const change of [{ tenantId: fixture.rival.tenant.id }, { layout: 1 }, { layout: undefined }]) {
      const changed = Buffer.from(JSON.stringify({ ...fields, ...change }))
      await assertRefused({ next_token: ours.seal(changed).toString('base64url') })
    }
    const theirs = createSealer(Buffer.alloc(32, 8), 'cursor')
    const forKeys = createSealer(Buffer.alloc(32, 7), 'dkim private key')
    for (const sealer of [theirs, forKeys]) {
      await assertRefused({ next_token: sealer.seal(content).toString('base64url') })
    }
  })

  test('at another domain of the same tenant', async () => {
    await assertRefused({ next_token: token }, { of: fixture.acme.domains[1].name })
  })

  test('by another tenant, at its own domain and at the domain of the token', async () => {
    const { key } = fixture.rival
    await assertRefused({ next_token: token }, { of: fixture.rival.domains[0].name, key })
    await assertRefused({ next_token: token }, { key, message: /^Domain not found$/ })
  })

  test('with another value of any filter, and with a filter that the first page did not have', async () => {
    const others: Record<keyof typeof FILTERS, string> = {
      type: 'Delivery',
      recipient: 'perso',
      sender: 'bounces',
      from: 'Acme',
      subject: 'letter',
      response_code: '551',
      start_timestamp: String(NOW - 3 * DAY + 1),
      end_timestamp: String(NOW - 1),
    }
    const unfiltered = tokenOf(await getPage({ limit: '7' }))
    for (const [name, other] of Object.entries(others)) {
      const message = new RegExp(`^${name} differs .*next_token`)
      await assertRefused({ [name]: other, next_token: token }, { message })
      await assertRefused({ ...FILTERS, [name]: other, next_token: token }, { message })
      await assertRefused({ [name]: other, next_token: unfiltered }, { message })
    }
  })

  test('when it is sent twice, even unchanged', async () => {
    const answer = await fixture.get(`/webhooks/${domain}?next_token=${token}&next_token=${token}`)
    assert.equal(answer.statusCode, 400)
    assert.match(answer.json<{ message: string }>().message, /next_token/)
  })

  test('after 24 hours, and not before', async () => {
    await using own = await openAppFixture()
    await own.ingest(Array.from({ length: 5 }, () => own.event()))
    const path = `/webhooks/${own.acme.domains[0].name}`
    const first = (await own.get(`${path}?limit=2`)).json<Page>()
    own.advance(DAY * 1000)
    const last = await own.get(`${path}?next_token=${tokenOf(first)}`)
    assert.equal(last.json<Page>().count, 3)
    own.advance(1)
    const late = await own.get(`${path}?next_token=${tokenOf(first)}`)
    assert.equal(late.statusCode, 400)
    assert.match(late.json<{ message: string }>().message, /next_token has expired/)
    assert.equal(late.json<{ events?: unknown }>().events, undefined)
  })
})
