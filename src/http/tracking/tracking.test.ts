import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import type { TokenFields } from '../../../integrations/haraka/lib/tracking/token.mjs'
import { type AppFixture, FIXTURE_START_MS, openAppFixture } from '../../../test/harness/app/app-fixture.ts'

const BROWSER = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0'

describe('pixels and links', () => {
  let fixture: AppFixture
  before(async () => {
    fixture = await openAppFixture()
  })
  after(() => fixture[Symbol.asyncDispose]())

  const fields: TokenFields = {
    kind: 'click',
    time: FIXTURE_START_MS / 1000 - 600,
    domain: 'acme.test',
    messageId: 'm1',
    recipient: 'ann@example.org',
    target: 'https://shop.test/?a=1&b=%20#c',
  }
  const { target: _none, ...open } = fields
  const sign = (changes: Partial<TokenFields> = {}) => fixture.trackingTokens.sign({ ...fields, ...changes })
  const request = (url: string, options: InjectOptions = {}) =>
    fixture.app.inject({ url, ...options, headers: { 'user-agent': BROWSER, ...options.headers } })

  test('the pixel is an uncached image of 43 bytes, and is recorded as a hit', async () => {
    const answer = await request(`/t/o/${fixture.trackingTokens.sign({ ...open, kind: 'open' })}`)
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['content-type'], 'image/gif')
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.headers['cross-origin-resource-policy'], 'cross-origin')
    assert.equal(answer.rawPayload.length, 43)
    assert.equal(answer.rawPayload.subarray(0, 6).toString(), 'GIF89a')
    assert.deepEqual(fixture.hits.at(-1), {
      kind: 'open',
      messageId: 'm1',
      domain: 'acme.test',
      recipient: 'ann@example.org',
      timeMs: fixture.nowMs,
    })
  })

  test('a link redirects to exactly the signed target, without a referrer', async () => {
    const answer = await request(`/t/c/${sign()}`)
    assert.equal(answer.statusCode, 302)
    assert.equal(answer.headers.location, fields.target)
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.headers['referrer-policy'], 'no-referrer')
    assert.equal(fixture.hits.at(-1)?.target, fields.target)
  })

  test('an invalid token is not a hit; a link returns an error page, a pixel the same image', async () => {
    const before = fixture.hits.length
    const token = sign()
    for (const bad of [
      'x',
      `${token}x`,
      token.slice(0, -1),
      'https:%2F%2Fevil.test',
      sign({ target: 'javascript:alert(1)' }),
    ]) {
      const click = await request(`/t/c/${bad}`)
      assert.equal(click.statusCode, 404, bad)
      assert.equal(click.headers.location, undefined)
      assert.match(String(click.headers['content-type']), /^text\/html/)
      assert.match(click.body, /This link is not valid/)
      const pixel = await request(`/t/o/${bad}`)
      assert.equal(pixel.statusCode, 200)
      assert.equal(pixel.rawPayload.length, 43)
    }
    // A token of the other kind.
    assert.equal((await request(`/t/o/${token}`)).statusCode, 200)
    assert.equal(fixture.hits.length, before)
  })

  test('automated requests are marked', async () => {
    const marks: readonly (readonly [string | undefined, InjectOptions])[] = [
      [undefined, {}],
      ['head', { method: 'HEAD' }],
      ['apple-mail-privacy', { headers: { 'user-agent': 'Mozilla/5.0' } }],
      [
        'google-image-proxy',
        {
          headers: {
            'user-agent': 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
          },
        },
      ],
      ['yahoo-mail-proxy', { headers: { 'user-agent': 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy' } }],
      ['link-scanner', { headers: { 'user-agent': 'BarracudaCentral LinkCheck' } }],
      ['program', { headers: { 'user-agent': 'python-requests/2.31' } }],
      ['crawler', { headers: { 'user-agent': 'Mozilla/5.0 (compatible; Examplebot/1.0)' } }],
      ['headless-browser', { headers: { 'user-agent': `${BROWSER} HeadlessChrome/120` } }],
      ['no-user-agent', { headers: { 'user-agent': '' } }],
      ['prefetch', { headers: { 'sec-purpose': 'prefetch;prerender' } }],
    ]
    for (const [machine, options] of marks) {
      await request(`/t/c/${sign()}`, options)
      assert.equal(fixture.hits.at(-1)?.machine, machine)
    }
    await request(`/t/c/${sign({ time: fixture.nowMs / 1000 - 1 })}`)
    assert.equal(fixture.hits.at(-1)?.machine, 'at-delivery')
  })

  test('if a hit cannot be recorded, the person is still redirected and the loss is counted', async () => {
    await using failing = await openAppFixture({
      tracking: {
        tokens: fixture.trackingTokens,
        hits: { record: () => Promise.reject(new Error('the disk is full')) },
      },
    })
    const answer = await failing.app.inject({ url: `/t/c/${sign()}`, headers: { 'user-agent': BROWSER } })
    assert.equal(answer.statusCode, 302)
    assert.match((await failing.get('/metrics')).body, /envelog_tracking_hits_total\{kind="click",outcome="lost"\} 1/)
    assert.match(failing.logText, /could not be recorded/)
    assert.doesNotMatch(failing.logText, /ann@example\.org|shop\.test/)
  })
})
