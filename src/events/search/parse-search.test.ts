import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoint } from '../../../test/harness/code-point.ts'
import { OPERATOR_NAMES, OPERATORS } from './operators.ts'
import { type ParsedSearch, parseSearch, type SearchConditions, TERMS_MAX } from './parse-search.ts'

type Given = Partial<SearchConditions>

function parse(text: string): ParsedSearch {
  const parsed = parseSearch(text)
  assert.ok(!('problem' in parsed), 'problem' in parsed ? parsed.problem : '')
  return parsed
}

/** Only the lists that are not empty. */
function given(conditions: SearchConditions): Given {
  return Object.fromEntries(Object.entries(conditions).filter(([, values]) => values.length > 0))
}

function asks(text: string, wanted: Given, unwanted: Given = {}): void {
  const parsed = parse(text)
  assert.deepEqual([given(parsed.wanted), given(parsed.unwanted)], [wanted, unwanted], text)
}

const anywhere = (...texts: readonly string[]): Given => ({ texts: texts.map((text) => ({ text })) })

test('a single word is what is searched for, as it is', () => {
  for (const word of [
    'anna',
    'anna@example.org',
    'Re:',
    'https://a.test/?x=1',
    '15"',
    '-',
    '--x',
    'a:b',
    'o’neil',
    '<b>',
    '100%',
    "O'Neil",
    'ids',
    'anna,',
    ':x',
    '<a@b@c>',
  ]) {
    asks(word, anywhere(word))
    asks(`  ${word}\n`, anywhere(word))
  }
  asks('', {})
  asks(' \t ', {})
})

test('of several words each is wanted; quotation marks keep them together', () => {
  asks('your  invoice anna', anywhere('your', 'invoice', 'anna'))
  asks('"your  invoice" anna', anywhere('your  invoice', 'anna'))
  asks('“your invoice”', anywhere('your invoice'))
  asks('„your invoice“', anywhere('your invoice'))
  asks('subject:"50 % off" to:anna', {
    texts: [
      { text: '50 % off', fields: ['subject'] },
      { text: 'anna', fields: ['recipient'] },
    ],
  })
  asks('""', {})
})

test('an address is found as mail programs copy it', () => {
  for (const pasted of [
    'Anna <anna@example.org>',
    'Anna Maria Müller <anna@example.org>',
    '"Müller, Anna" <anna@example.org>',
    '"Anna"<anna@example.org>',
    'Anna<anna@example.org>,',
    '<anna@example.org>;',
    'anna@example.org;',
    'mailto:anna@example.org',
    'MAILTO:anna%40example.org?subject=Hello',
    '<mailto:anna@example.org>',
  ]) {
    asks(pasted, anywhere('anna@example.org'))
    asks(`type:Bounce ${pasted}`, { types: ['Bounce'], ...anywhere('anna@example.org') })
  }
  for (const pasted of ['To: Anna <anna@example.org>', 'to:"Müller, Anna" <anna@example.org>', 'To:anna@example.org']) {
    asks(pasted, { texts: [{ text: 'anna@example.org', fields: ['recipient'] }] })
  }
  asks('A <a@a.test>, B <b@b.test>', anywhere('a@a.test', 'b@b.test'))
  asks('from:a@a.test B <b@b.test>', {
    texts: [{ text: 'a@a.test', fields: ['from', 'sender'] }, { text: 'b@b.test' }],
  })
  asks('-<anna@example.org> Anna', anywhere('Anna'), anywhere('anna@example.org'))
  // The words before it are not its name.
  asks('Anna -<anna@example.org>', anywhere('Anna'), anywhere('anna@example.org'))
  asks('Anna to:<anna@example.org>', { texts: [{ text: 'Anna' }, { text: 'anna@example.org', fields: ['recipient'] }] })
  asks('to:Anna <a@a.test> <b@b.test>', { texts: [{ text: 'a@a.test', fields: ['recipient'] }, { text: 'b@b.test' }] })
  asks('subject:<a@a.test>', { texts: [{ text: '<a@a.test>', fields: ['subject'] }] })
})

test('a Message-ID is found as it stands in a header', () => {
  asks('<20261116.abc@mail.example>', anywhere('20261116.abc@mail.example'))
  asks('Message-ID: <20261116.abc@mail.example>', { ids: ['20261116.abc@mail.example'] })
  asks('id:0b7f3c1e', { ids: ['0b7f3c1e'] })
})

test('operators name the field; lists have several values, and a minus excludes', () => {
  asks('code:5xx type:bounce,OOBBounce provider:"A, B" class:InvalidRecipient domain:a.test', {
    codes: ['5xx'],
    types: ['Bounce', 'OOBBounce'],
    providers: ['A, B'],
    classifications: ['InvalidRecipient'],
    domains: ['a.test'],
  })
  asks('ip:192.0.2.1,192.0.2.2 source:a,b', {
    sendingAddresses: ['192.0.2.1', '192.0.2.2'],
    sendingSources: ['a', 'b'],
  })
  asks('type:deferred type:complaint', { types: ['TransientFailure', 'Feedback'] })
  asks('ip:192.0.2.1 source:mta-1 pool:bulk answer:blocked sender:b@', {
    sendingAddresses: ['192.0.2.1'],
    sendingSources: ['mta-1'],
    sendingPools: ['bulk'],
    answers: ['blocked'],
    texts: [{ text: 'b@', fields: ['sender'] }],
  })
  asks('anna -type:Opened -newsletter -subject:"out of office" -code:4xx', anywhere('anna'), {
    types: ['Opened'],
    codes: ['4xx'],
    texts: [{ text: 'newsletter' }, { text: 'out of office', fields: ['subject'] }],
  })
})

test('a search has up to twenty terms, each value of a list among them', () => {
  const words = Array.from({ length: TERMS_MAX }, (_, index) => `w${index}`)
  asks(words.join(' '), anywhere(...words))
  asks(`domain:${words.join()}`, { domains: words })
  assert.ok('problem' in parseSearch(`domain:${words.join()},more`))
})

test('those who may not know where messages were sent from are told of no such operator', () => {
  assert.deepEqual(
    OPERATOR_NAMES.filter((name) => OPERATORS[name].isSending),
    ['ip', 'source', 'pool'],
  )
})

test('an error names the part, and where it is', () => {
  const problems: readonly [search: string, part: string, sentence: RegExp][] = [
    ['anna "your inv', '"your inv', /^"your inv: the quotation mark is not closed\.$/],
    ['type:Bouncd x', 'type:Bouncd', /^type:Bouncd: not a type of event\. Types: Reception, /],
    ['x -code:abc', '-code:abc', /^-code:abc: not a response code\. Use a code \(550\)/],
    ['x to:', 'to:', /^to:: the value is missing\. Example: to:anna@example\.org\.$/],
    ['type:,', 'type:,', /the value is missing/],
    ['id:a id:b', 'id:a id:b', /^id: can be used only once/],
    ['w '.repeat(TERMS_MAX + 1), 'w', /^w: too many terms\. A search has at most 20\.$/],
  ]
  for (const [search, part, sentence] of problems) {
    const found = parseSearch(search)
    assert.ok('problem' in found, search)
    assert.match(found.problem, sentence)
    assert.equal(search.slice(found.from, found.to).trim(), part)
  }
  const long = parseSearch(`code:${'9'.repeat(5000)}`)
  assert.ok('problem' in long && long.problem.length < 300)
  assert.ok(long.problem.startsWith(`code:${'9'.repeat(55)}…: `), long.problem)
  const shorter = parseSearch(`code:${'9'.repeat(55)}`)
  assert.ok('problem' in shorter && shorter.problem.startsWith(`code:${'9'.repeat(55)}: `))
})

const piece = fc.oneof(
  fc.constantFrom('"', '<', '>', '@', ':', '-', ' ', ',', 'mailto:', 'Anna', 'a@b.test', '%', '%40', '“', '\0', '😀'),
  fc.constantFrom(...OPERATOR_NAMES.map((name) => `${name}:`)),
  fc.string({ unit: codePoint, maxLength: 5 }),
)
const anything = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))

test('any text is parsed or refused with a sentence; no value is empty, and positions are inside the text', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const parsed = parseSearch(text)
      if ('problem' in parsed) {
        assert.ok(parsed.from >= 0 && parsed.from <= parsed.to && parsed.to <= text.length)
        assert.ok(parsed.problem.length > 10)
        return
      }
      for (const conditions of [parsed.wanted, parsed.unwanted]) {
        for (const value of conditions.texts) assert.notEqual(value.text, '')
        for (const values of Object.values(conditions)) assert.ok(values.length <= TERMS_MAX && !values.includes(''))
      }
    }),
  )
})

test('words, quoted or not, and operators mean the same in any order', () => {
  const word = fc.stringMatching(/^[a-z0-9@.]{1,10}$/)
  const term = fc.oneof(
    word,
    word.map((text) => `"${text} ${text}"`),
    word.map((text) => `-${text}`),
    word.map((text) => `subject:${text}`),
    fc.constantFrom('type:Bounce', '-type:Opened', 'code:5xx', 'provider:"A B"'),
  )
  const sorted = (text: string) => {
    const { wanted, unwanted } = parse(text)
    const sort = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).sort()
    return [...Object.values(wanted), ...Object.values(unwanted)].map(sort)
  }
  fc.assert(
    fc.property(fc.array(term, { maxLength: 10 }), (terms) => {
      assert.deepEqual(sorted(terms.join(' ')), sorted(terms.toReversed().join('  ')))
    }),
  )
})
