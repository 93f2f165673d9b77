/**
 * Text filters over HTTP: any literal substring, ignoring letter case, or an error that names the
 * parameter. The expected results come from the regular expression engine, which also uses Unicode's simple case folding.
 */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import type { EmailEvent } from '../../src/events/event.ts'
import { type AppFixture, FIXTURE_START_MS, openAppFixture } from '../harness/app/app-fixture.ts'
import { runsOf } from '../harness/app/fixture-engine.ts'
import type { LogPage } from '../harness/log/log-client.ts'
import { someAtATime } from '../harness/some-at-a-time.ts'

const NAMES = ['recipient', 'sender', 'from', 'subject'] as const
type FilterName = (typeof NAMES)[number]
type Filters = Partial<Record<FilterName, string>>

const NOW = FIXTURE_START_MS / 1000
const LENGTH_MAX = 1024

/** Texts with a special meaning elsewhere: SQL, LIKE, GLOB, FTS5, JSON, URLs, templates, Unicode. */
const TEXTS = [
  '100% sure_thing',
  '100 percent sure-thing',
  'back\\slash \\% \\_ \\\\',
  `single ' double " back \` quotes`,
  `' OR 1=1`,
  `" OR "1"="1`,
  `'; DROP TABLE event; --`,
  'star * question ? [a-z] glob',
  'NEAR(a b, 5)',
  'a AND b OR c NOT d',
  'subject:word ^start {col} -minus + plus',
  '{x:String} {{x}} :x @x $1 ?1',
  'null NULL undefined NaN true',
  'zero\0byte',
  '\0',
  'line\nfeed\r\ntab\t',
  'ab',
  'b',
  'AbCdEf ABCDEF abcdef',
  'aaaaaaaaaaaa',
  '😀 smile 😃👩‍👩‍👧 family',
  '😀',
  'İstanbul Iğdır ıslak ISTANBUL istanbul',
  'straße STRASSE STRAẞE',
  'ΟΔΟΣ οδος οδοσ Σ σ ς',
  '\u212a kelvin K k, \u212b ångström Å å',
  'ﬁ ligature fi, ﬆ ﬅ st',
  'ǅ ǆ Ǆ, Ⅷ ⅷ, Ⓐ ⓐ',
  'é precomposed, e\u0301 combining',
  '日本語の件名',
  'עברית \u202eright to left\u202c',
  'a\u00a0b no-break, a b space',
  '\ufeffmark \ufffd replacement \ue000\ue001\ue002 private',
  '<script>alert(1)</script>&amp;%3Cb%3E%25',
  '../../etc/passwd',
  'x'.repeat(3000),
  `${'long '.repeat(400)}end`,
]

/** Separated by spaces. */
const WORDS = [
  String.raw`% _ \ \\ \% ' " * ? [ ] [a-z] ( ) { } ^ - -- ; NEAR( NOT subject: {x:String} {{x}} <b> &amp; %3C %25 ../`,
  'a A b ab AB aB abc aaa aaaaaaaaaaaa aaaaaaaaaaaaa 0 10 100% null é e\u0301 e 日 本語 日本語 ית',
  'İ ı i I istanbul ISTANBUL İSTANBUL ß ẞ ss SS straße STRASSE STRAẞE σ ς Σ οδος ΟΔΟΣ οδοσ',
  '\u212a k K \u212b å Å ﬁ fi ﬅ ﬆ ǅ Ǆ ⅷ ⓐ 😀 😃 \u200d 👩‍👩‍👧 👩',
  'o\0b \0 \0byte \n \r\n \t \u00a0 \ufeff \ufffd \ue000\ue001\ue002 \u202e no-such-text-anywhere',
]
const WITH_SPACES = [' ', '  ', '😀 ', '00% s', 'near(a b', ' OR ', 'a AND b', "' OR 1=1", '" OR "', "'; drop table"]
const LONG = ['long '.repeat(200), 'x'.repeat(LENGTH_MAX), '😀'.repeat(LENGTH_MAX)]
const SPECIAL_NEEDLES = [...WORDS.flatMap((words) => words.split(' ')), ...WITH_SPACES, ...LONG]

let fixture: AppFixture
let domain: string
const events: EmailEvent[] = []

before(async () => {
  fixture = await openAppFixture()
  domain = fixture.acme.domains[0].name
  for (const [index, text] of TEXTS.entries()) {
    // An address may contain anything but must be one; the longest texts do not fit.
    const local = text.slice(0, 900)
    const other = TEXTS[(index + 7) % TEXTS.length] ?? ''
    const timestamp = NOW - 60 - index * 7000
    events.push(
      fixture.event({ timestamp, subject: text, from: other, sender: '', recipient: 'plain@example.net' }),
      fixture.event({ timestamp, recipient: `${local}@example.net`, sender: `${other.slice(0, 900)}@acme.test` }),
      fixture.event({ timestamp: timestamp - 1, from: `"${text}" <a@b.test>`, subject: other.toUpperCase() }),
    )
  }
  // Filters on absent optional fields find nothing.
  const { sender: _sender, from: _from, subject: _subject, ...bare } = fixture.event({ timestamp: NOW - 30 })
  events.push(bare)
  await fixture.ingest(events)
  // The order of the log: newest first, then by arrival, latest first.
  events.reverse().sort((a, b) => b.timestamp - a.timestamp)
})

after(async () => fixture[Symbol.asyncDispose]())

function toPattern(needle: string): RegExp {
  return new RegExp(Array.from(needle, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`).join(''), 'iu')
}

function expected(among: readonly EmailEvent[], filters: Filters): readonly string[] {
  const patterns = NAMES.flatMap((name) => {
    const needle = filters[name]
    return needle === undefined ? [] : [{ name, pattern: toPattern(needle) }]
  })
  const isFound = (event: EmailEvent) =>
    patterns.every(({ name, pattern }) => event[name] !== undefined && pattern.test(event[name]))
  return among.filter(isFound).map(({ id }) => id)
}

function url(filters: Filters): string {
  const parameters = Object.entries(filters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `/webhooks/${domain}?limit=1000&${parameters.join('&')}`
}

async function assertFindsWhatItShould(filters: Filters): Promise<void> {
  const answer = await fixture.get(url(filters))
  assert.equal(answer.statusCode, 200, `${JSON.stringify(filters)}: ${answer.body.slice(0, 300)}`)
  const page = answer.json<LogPage>()
  assert.equal(page.next_token, undefined)
  const found = page.events.map((event) => event.id)
  assert.deepEqual(found, expected(events, filters), JSON.stringify(filters))
  for (const name of NAMES) assert.equal(page.filters_applied[name], filters[name])
}

describe('a filter finds exactly the texts that contain it, letter case ignored', () => {
  for (const name of NAMES) {
    test(`${name}: texts with a special meaning elsewhere`, async () => {
      await someAtATime(SPECIAL_NEEDLES, (needle) => assertFindsWhatItShould({ [name]: needle }))
    })
  }

  test('every text finds itself, also in upper and lower case', async () => {
    const written = TEXTS.flatMap((text) => {
      const needle = Array.from(text).slice(0, LENGTH_MAX).join('')
      return [needle, needle.toUpperCase(), needle.toLowerCase()]
    })
    // Some letters are several in the other case.
    const allowed = new Set(written.filter((needle) => Array.from(needle).length <= LENGTH_MAX))
    await someAtATime([...allowed], (subject) => assertFindsWhatItShould({ subject }))
  })

  test('the expected results are right for the Turkish letters, the sharp s and the sigmas', () => {
    const pairs: [string, string, boolean][] = [
      ['STRAẞE', 'straße', true],
      ['STRASSE', 'straße', false],
      ['οδος', 'ΟΔΟΣ', true],
      ['İ', 'i', false],
      ['ı', 'I', false],
      ['\u212a', 'k', true],
    ]
    for (const [text, needle, isFound] of pairs) {
      assert.equal(toPattern(needle).test(text), isFound, `${needle} in ${text}`)
    }
  })

  test('several text filters combined with AND, with other filters and page by page', async () => {
    await assertFindsWhatItShould({ subject: 'A', from: '"', recipient: 'PERSON', sender: 'bounces' })
    await assertFindsWhatItShould({ recipient: '%', sender: '@' })
    const wanted = expected(events, { subject: 'A' })
    const found: string[] = []
    let page = (await fixture.get(`/webhooks/${domain}?limit=3&subject=A`)).json<LogPage>()
    for (let pages = 1; ; pages++) {
      found.push(...page.events.map((event) => event.id))
      if (page.next_token === undefined) break
      assert(pages <= wanted.length)
      page = (await fixture.get(`/webhooks/${domain}?limit=3&next_token=${page.next_token}`)).json<LogPage>()
    }
    assert.deepEqual(found, wanted)
  })

  test('an empty filter counts as not sent', async () => {
    for (const name of NAMES) {
      const page = (await fixture.get(`/webhooks/${domain}?limit=1000&${name}=`)).json<LogPage>()
      assert.equal(page.count, events.length)
      assert(!(name in page.filters_applied))
    }
  })

  test('random substrings of texts, and random texts', async () => {
    const text = fc.constantFrom(...TEXTS)
    const cut = fc
      .tuple(text, fc.nat(), fc.integer({ min: 1, max: 12 }), fc.boolean())
      .map(([whole, at, length, loud]) => {
        const characters = Array.from(whole)
        const start = at % characters.length
        const part = characters.slice(start, start + length).join('')
        return loud ? part.toUpperCase() : part
      })
    const pieces = fc.constantFrom(
      '%',
      '_',
      '\\',
      '"',
      "'",
      '*',
      '(',
      '\0',
      '\n',
      '😀',
      'ß',
      'ς',
      'İ',
      'a',
      'B',
      ' ',
      'OR',
    )
    const madeUp = fc.array(pieces, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
    const filters = fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(cut, madeUp), { minKeys: 1, maxKeys: 2 })
    await fc.assert(fc.asyncProperty(filters, assertFindsWhatItShould), { numRuns: runsOf(500) })
  })
})

test('texts that thousands of messages share take another query plan, with the same results', async () => {
  await using own = await openAppFixture()
  const path = `/webhooks/${own.acme.domains[0].name}`
  const many = Array.from({ length: 3000 }, (_, index) =>
    own.event({
      timestamp: NOW - 60 - index * 30,
      subject: index % 500 === 0 ? `Weekly 100%_news ${index}` : `Weekly 100 news ${index}`,
    }),
  )
  await own.ingest(many)
  for (const subject of ['weekly', '100', '100%', '%_', 'WEEKLY 100%_NEWS 15', '_', 'e', '99', 'news 2999', 'none']) {
    const found: string[] = []
    let page = (await own.get(`${path}?limit=700&subject=${encodeURIComponent(subject)}`)).json<LogPage>()
    for (let pages = 1; ; pages++) {
      found.push(...page.events.map((event) => event.id))
      if (page.next_token === undefined) break
      assert(pages < 100)
      page = (await own.get(`${path}?limit=700&next_token=${page.next_token}`)).json<LogPage>()
    }
    assert.deepEqual(found, expected(many, { subject }), subject)
  }
})

describe('an invalid filter is refused with its name', () => {
  async function assertRefused(parameters: string, message: RegExp): Promise<void> {
    const answer = await fixture.get(`/webhooks/${domain}?${parameters}`)
    assert.equal(answer.statusCode, 400, answer.body.slice(0, 200))
    const body = answer.json<{ error: number; message: string }>()
    assert.deepEqual(Object.keys(body), ['error', 'message'])
    assert.match(body.message, message)
  }

  for (const name of NAMES) {
    test(`${name}: longer than ${LENGTH_MAX} characters`, async () => {
      for (const needle of ['x'.repeat(LENGTH_MAX + 1), '%25'.repeat(LENGTH_MAX + 1), 'a'.repeat(10_240)]) {
        await assertRefused(`${name}=${needle}`, new RegExp(`^Invalid ${name}: .*${LENGTH_MAX}`))
      }
    })

    test(`${name}: sent twice`, async () => {
      await assertRefused(`${name}=a&${name}=a`, new RegExp(`^Invalid ${name}: `))
      await assertRefused(`${name}=&${name}=a`, new RegExp(`^Invalid ${name}: `))
    })
  }

  test('10 KB over a real connection; a request that is too large is refused as such', async () => {
    await using own = await openAppFixture()
    await own.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = own.app.server.address() as AddressInfo
    const ask = (needle: string) =>
      fetch(`http://127.0.0.1:${port}/webhooks/${own.acme.domains[0].name}?subject=${needle}`, {
        headers: { authorization: own.acme.key },
      })
    const long = await ask('%'.repeat(10_240).replaceAll('%', 'a'))
    assert.equal(long.status, 400)
    assert.match(((await long.json()) as { message: string }).message, /^Invalid subject: /)
    const tooLong = await ask('%25'.repeat(10_240))
    assert.equal(tooLong.status, 431)
    assert.deepEqual(Object.keys((await tooLong.json()) as object), ['error', 'message'])
  })
})

test('broken percent-encoding is refused instead of searching for another text', async () => {
  const broken = [
    '%',
    '%z',
    '%zz',
    '%2',
    '%ff',
    '%C3',
    '%C3%28',
    '%E2%82',
    '%ED%A0%80',
    '%F8%80%80%80',
    'a%00b%',
    '%u0041',
  ]
  for (const raw of broken) {
    for (const name of NAMES) {
      const answer = await fixture.get(`/webhooks/${domain}?${name}=${raw}`)
      assert.deepEqual(answer.json(), {
        error: 400,
        message: 'The query string is not valid percent-encoded UTF-8; send a literal % as %25',
      })
    }
  }
})
