import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { codePoint } from '../../../../test/harness/code-point.ts'
import { evaluate } from '../fixtures/evaluate.fixture.ts'
import { randomTerms } from '../fixtures/random-zone.fixture.ts'
import { describeSyntaxProblem } from './describe-syntax-problem.ts'
import { isSpfRecord, readSpfRecord } from './spf-record.ts'
import type { SpfSyntaxCode } from './spf-syntax-error.ts'

/** One term each, all of them allowed by section 12. */
const VALID = [
  'all +all -ALL ~All ?all',
  'include:a.test -include:_spf.%{d} include:a.test. InClude:A.Test include:%{d}',
  'a ?a a:a.test a/24 a//64 a/24//64 a/0//0 a/32//128 a:a.test/24 a:%{d}/24//64 a:x.test/24//64',
  'a:b:c/d.test a:b/24.test a:foo.xn--zckzah a:x.1a a:x.a1 a:x.1-1 a:x.a--b',
  'mx mx:a.test mx/24 mx//64 mx:a.test/24//64 MX ptr ptr:a.test -PTR:%{d} ptr:.test',
  'ip4:192.0.2.1 ip4:192.0.2.0/24 ip4:0.0.0.0/0 ip4:255.255.255.255/32 IP4:10.0.0.0/8',
  'ip6::: ip6:::1 ip6:2001:db8::/32 ip6:::192.0.2.1/0 ip6:1:2:3:4:5:6:7:8/128 ip6:1:2:3:4:5:6:7::',
  'exists:%{i}._spf.%{d} exists:a.test exists:x%% exists:%_ exists:%-',
  `exists:${'x'.repeat(80)}.test exists:%{s}%{l}%{o}%{d}%{i}%{p}%{h}%{v}`,
  'exists:%{L2R.-+,/_=} exists:%{d127} exists:%{d99999999999999999999r}',
  'redirect=a.test REDIRECT=%{d} exp=a.test exp=%{ir}.a.test',
  'x= x=y a.b-c_d9=x:y/z x=%{c}%{r}%{t} all=x include=a.test x== moo=%%%_%-',
].flatMap((line) => line.split(' '))

/** The term, what is wrong, and the part of the term that is named. */
const INVALID: readonly (readonly [term: string, code: SpfSyntaxCode, text: string])[] = [
  ['all.', 'unknown_mechanism', 'all.'],
  ['-all:x.test', 'unexpected_argument', ':x.test'],
  ['all/8', 'unexpected_argument', '/8'],
  ['all:', 'unexpected_argument', ':'],
  ['moo', 'unknown_mechanism', 'moo'],
  ['moo:x.test', 'unknown_mechanism', 'moo'],
  ['-', 'unknown_mechanism', ''],
  ['--all', 'unknown_mechanism', '-all'],
  ['+?all', 'unknown_mechanism', '?all'],
  [':x.test', 'unknown_mechanism', ''],
  ['redirect:x.test', 'unknown_mechanism', 'redirect'],
  ['include', 'missing_domain', ''],
  ['include:', 'missing_domain', ''],
  ['include/24', 'unexpected_argument', '/24'],
  ['include:x.test/24', 'bad_domain', 'x.test/24'],
  ['include:test', 'bad_domain', 'test'],
  ['include:test.', 'bad_domain', 'test.'],
  ['include:192.0.2.1', 'address_as_domain', '192.0.2.1'],
  ['a:192.0.2.1/24', 'address_as_domain', '192.0.2.1'],
  ['a:2001:db8::1', 'address_as_domain', '2001:db8::1'],
  ['a:', 'missing_domain', ''],
  ['a:/24', 'missing_domain', ''],
  ['a:x.123', 'bad_domain', 'x.123'],
  ['a:x.-a', 'bad_domain', 'x.-a'],
  ['a:x.a-', 'bad_domain', 'x.a-'],
  ['a:x.-', 'bad_domain', 'x.-'],
  ['a:x_y', 'bad_domain', 'x_y'],
  ['a:x.test:80', 'bad_domain', 'x.test:80'],
  ['a:x.test..', 'bad_domain', 'x.test..'],
  ['a:%{d}x', 'bad_domain', '%{d}x'],
  ['a:%{d}.', 'bad_domain', '%{d}.'],
  ['a:x.%{d}test', 'bad_domain', 'x.%{d}test'],
  ['a/33', 'bad_prefix_length', '33'],
  ['a/024', 'bad_prefix_length', '024'],
  ['a/00', 'bad_prefix_length', '00'],
  ['a//129', 'bad_prefix_length', '129'],
  ['a//064', 'bad_prefix_length', '064'],
  ['a/24//1000', 'bad_prefix_length', '1000'],
  ['a/', 'unexpected_argument', '/'],
  ['a/x', 'unexpected_argument', '/x'],
  ['a/24/64', 'bad_prefix_length', '64'],
  ['a/24/16', 'unexpected_argument', '/24'],
  ['a///64', 'unexpected_argument', '/'],
  ['mx/33', 'bad_prefix_length', '33'],
  ['mx:', 'missing_domain', ''],
  ['mx:x.test/', 'bad_domain', 'x.test/'],
  ['ptr:', 'missing_domain', ''],
  ['ptr/24', 'unexpected_argument', '/24'],
  ['ptr:x.test/24', 'bad_domain', 'x.test/24'],
  ['exists', 'missing_domain', ''],
  ['exists:x.test//64', 'bad_domain', 'x.test//64'],
  ['ip4', 'bad_ip4', ''],
  ['ip4:', 'bad_ip4', ''],
  ['ip4:192.0.2', 'bad_ip4', '192.0.2'],
  ['ip4:192.0.2.1.5', 'bad_ip4', '192.0.2.1.5'],
  ['ip4:192.0.2.256', 'bad_ip4', '192.0.2.256'],
  ['ip4:192.0.2.01', 'bad_ip4', '192.0.2.01'],
  ['ip4:192.0.2.1:25', 'bad_ip4', '192.0.2.1:25'],
  ['ip4:::1', 'bad_ip4', '::1'],
  ['ip4:a.test', 'bad_ip4', 'a.test'],
  ['ip4:%{i}', 'bad_ip4', '%{i}'],
  ['ip4/24', 'bad_ip4', '/24'],
  ['ip4:192.0.2.1/', 'bad_prefix_length', ''],
  ['ip4:192.0.2.1/33', 'bad_prefix_length', '33'],
  ['ip4:192.0.2.1/032', 'bad_prefix_length', '032'],
  ['ip4:192.0.2.1//32', 'bad_prefix_length', '/32'],
  ['ip6', 'bad_ip6', ''],
  ['ip6:192.0.2.1', 'bad_ip6', '192.0.2.1'],
  ['ip6:1:2:3:4:5:6:7', 'bad_ip6', '1:2:3:4:5:6:7'],
  ['ip6:1:2:3:4:5:6:7:8::', 'bad_ip6', '1:2:3:4:5:6:7:8::'],
  ['ip6::1::2', 'bad_ip6', ':1::2'],
  ['ip6:1::2::3', 'bad_ip6', '1::2::3'],
  ['ip6:12345::', 'bad_ip6', '12345::'],
  ['ip6:fe80::1%eth0', 'bad_ip6', 'fe80::1%eth0'],
  ['ip6:::1/129', 'bad_prefix_length', '129'],
  ['ip6:::1//64', 'bad_prefix_length', '/64'],
  ['redirect=', 'missing_domain', ''],
  ['redirect=-all', 'bad_domain', '-all'],
  ['+redirect=x.test', 'bad_modifier_name', '+redirect'],
  ['exp=', 'missing_domain', ''],
  ['exp=-all', 'bad_domain', '-all'],
  ['exp=%{r}.x.test', 'explanation_macro', '%{r}'],
  ['1up=x', 'bad_modifier_name', '1up'],
  ['=x', 'bad_modifier_name', ''],
  ['-x=y', 'bad_modifier_name', '-x'],
  ['x/y=z', 'unknown_mechanism', 'x'],
  ['x=%', 'bad_macro', '%'],
  ['x=%a', 'bad_macro', '%a'],
  ['exists:%(ir).x.test', 'bad_macro', '%('],
  ['exists:x%.test', 'bad_macro', '%.'],
  ['exists:%{}.x.test', 'bad_macro', '%{}'],
  ['exists:%{a}.x.test', 'bad_macro', '%{a}'],
  ['exists:%{d0}.x.test', 'bad_macro', '%{d0}'],
  ['exists:%{d000r}.x.test', 'bad_macro', '%{d000r}'],
  ['exists:%{dr2}.x.test', 'bad_macro', '%{dr2}'],
  ['exists:%{d-r}.x.test', 'bad_macro', '%{d-r}'],
  ['exists:%{d:}.x.test', 'bad_macro', '%{d:}'],
  ['exists:%{d.x.test', 'bad_macro', '%{d.x.test'],
  ['exists:%{C}.x.test', 'explanation_macro', '%{C}'],
  ['exists:%{t}.x.test', 'explanation_macro', '%{t}'],
  ['a:\u00fcber.test', 'bad_character', '\u00fc'],
  ['\u00a0all', 'bad_character', '\u00a0'],
  ['-all\t', 'bad_character', '\t'],
  ['a:x.test\rptr', 'bad_character', '\r'],
  ['a:x.test\0', 'bad_character', '\0'],
  ['exists:x\u{1f600}.test', 'bad_character', '\u{1f600}'],
  ['\u007fall', 'bad_character', '\u007f'],
]

describe('SPF record', () => {
  test('every form of term in the grammar is parsed, alone and among others', () => {
    for (const term of VALID) {
      const { terms, problems } = readSpfRecord(`v=spf1 ${term}`)
      assert.deepEqual(problems, [], term)
      assert.deepEqual([terms.length, terms[0]?.text, terms[0]?.at], [1, term, 7])
    }
    const many = VALID.filter((term) => !/^(?:redirect|exp)=/i.test(term))
    const { terms, problems } = readSpfRecord(`v=spf1 ${many.join('  ')} `)
    assert.deepEqual(problems, [])
    assert.deepEqual(
      terms.map(({ text }) => text),
      many,
    )
  })

  for (const [term, code, text] of INVALID) {
    test(`${JSON.stringify(term)} is refused: ${code} ${JSON.stringify(text)}`, () => {
      const record = `v=spf1 mx  ${term} -all`
      const { terms, problems } = readSpfRecord(record)
      const [problem, ...others] = problems
      assert.ok(problem)
      assert.deepEqual(others, [])
      assert.deepEqual([problem.code, problem.text, problem.term], [code, text, term])
      assert.equal(record.slice(problem.at, problem.at + text.length), text, 'the position is wrong')
      assert.ok(problem.at >= 11 && problem.at <= 11 + term.length, 'the position is outside of the term')
      assert.deepEqual(
        terms.map(({ kind }) => kind),
        ['mx', 'all'],
        'the valid terms are not parsed',
      )
    })
  }

  // RFC 7208 4.6: the syntax of the whole record comes first. After "?all" nothing else decides.
  const isSound = async (terms: readonly string[]) =>
    (await evaluate({ 'example.test': { TXT: ['v=spf1 ?all', ...terms].join(' ') } }, '192.0.2.1')).result === 'neutral'

  test('another implementation reads and refuses the same terms', async () => {
    for (const term of VALID) assert.ok(await isSound([term]), term)
    for (const [term] of INVALID) assert.ok(!(await isSound([term])), term)
  })

  test('another implementation reads and refuses the same ten thousand random records', async () => {
    let refused = 0
    await fc.assert(
      fc.asyncProperty(randomTerms, async (terms) => {
        const { problems } = readSpfRecord(['v=spf1', ...terms].join(' '))
        assert.equal(problems.length === 0, await isSound(terms), JSON.stringify(problems))
        refused += Number(problems.length > 0)
      }),
      { numRuns: 10_000 },
    )
    assert.ok(refused > 100, `only ${refused} records were refused`)
  })

  for (const modifier of ['redirect', 'exp']) {
    test(`a second ${modifier}= is refused, in whatever letter case, and reported at its position`, () => {
      const [problem, ...others] = readSpfRecord(
        `v=spf1 ${modifier}=a.test mx ${modifier.toUpperCase()}=b.test`,
      ).problems
      assert.deepEqual(others, [])
      assert.equal(problem?.code, 'repeated_modifier')
      assert.equal(problem.term, `${modifier.toUpperCase()}=b.test`)
    })
  }

  test('unknown modifiers may be repeated', () => {
    assert.deepEqual(readSpfRecord('v=spf1 x=1 x=2 x=1').problems, [])
  })

  test('all problems of a record are reported, each at its position', () => {
    const { problems } = readSpfRecord('v=spf1 ipv4:192.0.2.1 include: a:%{x}.test ip4:1.2.3/24 -all')
    assert.deepEqual(
      problems.map(({ code, at }) => [code, at]),
      [
        ['unknown_mechanism', 7],
        ['missing_domain', 30],
        ['bad_macro', 33],
        ['bad_ip4', 47],
      ],
    )
  })

  test('only a text that begins with the version, up to a space or the end, is an SPF record', () => {
    for (const text of ['v=spf1', 'v=spf1 ', 'v=spf1 -all', 'V=SPF1 -all', 'v=SpF1  '])
      assert.ok(isSpfRecord(text), text)
    for (const text of [
      ' v=spf1',
      'v=spf1\t-all',
      'v=spf1\n',
      'v=spf10 -all',
      'v=spf1;',
      'v=spf2 -all',
      'spf1',
      '',
      '"v=spf1"',
    ])
      assert.ok(!isSpfRecord(text), JSON.stringify(text))
  })

  test('an empty policy has no terms, however many spaces follow the version', () => {
    for (const text of ['v=spf1', 'v=spf1 ', 'v=spf1    ']) {
      assert.deepEqual(readSpfRecord(text), { text, terms: [], problems: [] })
    }
  })

  test('qualifiers, prefix lengths and networks are parsed', () => {
    const { terms } = readSpfRecord('v=spf1 a ?mx:b.test/20 ~a//40 -a/8//9 ip4:192.0.2.7/24 ip6:::1')
    const seen = terms.map((term) => [
      'qualifier' in term && term.qualifier,
      'prefixLength4' in term ? [term.prefixLength4, term.prefixLength6] : [],
      'network' in term ? term.network.prefixLength : undefined,
    ])
    assert.deepEqual(seen, [
      ['+', [32, 128], undefined],
      ['?', [20, 128], undefined],
      ['~', [32, 40], undefined],
      ['-', [8, 9], undefined],
      ['+', [], 24],
      ['+', [], 128],
    ])
  })

  test('no text makes the parser or the descriptions of its problems throw, and every term is parsed or refused', () => {
    const piece = fc.oneof(
      fc.constantFrom(...VALID, ...INVALID.map(([term]) => term)),
      fc.string({ unit: codePoint, maxLength: 12 }),
      fc.string({ unit: fc.constantFrom(...'aimxp46:/=.%{}_-+~?0d '), maxLength: 12 }),
    )
    const text = fc.array(piece, { maxLength: 10 }).map((pieces) => `v=spf1 ${pieces.join(' ')}`)
    fc.assert(
      fc.property(text, (record) => {
        const { terms, problems } = readSpfRecord(record)
        const written = record.split(' ').filter((term) => term !== '').length - 1
        assert.equal(terms.length + problems.length, written)
        for (const { at, text: part } of problems) assert.equal(record.slice(at, at + part.length), part)
        for (const problem of problems) assert.match(describeSyntaxProblem(problem), /^[\x20-\x7e]+$/)
      }),
      { numRuns: 2000 },
    )
  })

  test('the largest records that DNS allows are parsed', () => {
    for (const piece of ['a/1', ' %{d}', '%', '/1', ':', ' ip6:::1', '\u00e9', '%{', '.'])
      readSpfRecord(`v=spf1 a:${piece.repeat(65_000 / piece.length)}`)
  })
})

test('of a record that is all errors, the first hundred are read', () => {
  const { problems } = readSpfRecord(`v=spf1${' moo'.repeat(1000)}`)
  assert.equal(problems.length, 100)
})
