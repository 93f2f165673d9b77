import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { expandMacros, type MacroValues } from './macro-expansion.ts'
import { parseMacroString } from './macro-string.ts'
import { toDomainName, toTargetName } from './target-name.ts'

const VALUES: MacroValues = {
  s: 'mary-ann.lee@news.shop.example',
  l: 'mary-ann.lee',
  o: 'news.shop.example',
  d: 'out.shop.example',
  i: '192.0.2.65',
  p: 'mx7.shop.example',
  h: 'mx7.helo.example',
  c: '192.0.2.65',
  r: 'in.receiver.example',
  t: '1700000000',
  v: 'in-addr',
}

const EXPANSIONS: readonly (readonly [text: string, expanded: string])[] = [
  ['%{s}', 'mary-ann.lee@news.shop.example'],
  ['%{l}', 'mary-ann.lee'],
  ['%{o}', 'news.shop.example'],
  ['%{d}', 'out.shop.example'],
  ['%{i}', '192.0.2.65'],
  ['%{p}', 'mx7.shop.example'],
  ['%{h}', 'mx7.helo.example'],
  ['%{v}', 'in-addr'],
  ['%{c}|%{r}|%{t}', '192.0.2.65|in.receiver.example|1700000000'],
  ['%{o4}', 'news.shop.example'],
  ['%{o3}', 'news.shop.example'],
  ['%{o2}', 'shop.example'],
  ['%{o1}', 'example'],
  ['%{o002}', 'shop.example'],
  ['%{dr}', 'example.shop.out'],
  ['%{d2r}', 'shop.out'],
  ['%{D2R}', 'shop.out'],
  ['%{d1r}', 'out'],
  ['%{l-}', 'mary.ann.lee'],
  ['%{lr-}', 'ann.lee.mary'],
  ['%{l1r-}', 'mary'],
  ['%{l-.}', 'mary.ann.lee'],
  ['%{lr-.}', 'lee.ann.mary'],
  ['%{l.-+,/_=}', 'mary.ann.lee'],
  ['%{l+}', 'mary-ann.lee'],
  ['%{ir}.%{v}._spf.%{d2}', '65.2.0.192.in-addr._spf.shop.example'],
  ['%{lr-}.lp.%{ir}.%{v}._spf.%{d2}', 'ann.lee.mary.lp.65.2.0.192.in-addr._spf.shop.example'],
  ['%{d2}.trusted-domains.example.net', 'shop.example.trusted-domains.example.net'],
  ['%%', '%'],
  ['%_', ' '],
  ['%-', '%20'],
  ['%%%_%-%%{d}', '% %20%{d}'],
  ['%{S}', 'mary-ann.lee%40news.shop.example'],
  ['no-macro-at-all:$&/', 'no-macro-at-all:$&/'],
  ['', ''],
]

describe('macros', () => {
  for (const [text, expanded] of EXPANSIONS) {
    test(`${JSON.stringify(text)} stands for ${JSON.stringify(expanded)}`, () => {
      assert.equal(expandMacros(parseMacroString(text, 'unknown_modifier'), VALUES), expanded)
    })
  }

  test('delimiters at the edges and in a row produce empty parts', () => {
    const expand = (text: string) => expandMacros(parseMacroString(text, 'name'), { ...VALUES, l: '-a--b-' })
    assert.equal(expand('%{l-}'), '.a..b.')
    assert.equal(expand('%{lr-}'), '.b..a.')
    assert.equal(expand('%{l3-}'), '.b.')
    assert.equal(expand('%{l1-}'), '')
  })

  test('in upper case everything but the unreserved characters is escaped, byte by byte', () => {
    const l = "AZaz09-._~!*'()&=+/ \u00fc\u{1f600}%"
    assert.equal(
      expandMacros(parseMacroString('%{L}', 'name'), { l }),
      'AZaz09-._~%21%2A%27%28%29%26%3D%2B%2F%20%C3%BC%F0%9F%98%80%25',
    )
    assert.equal(expandMacros(parseMacroString('%{L1/}', 'name'), { l: 'a&b/c&d' }), 'c%26d')
  })

  test('the value of a macro is not expanded again', () => {
    assert.equal(expandMacros(parseMacroString('%{l}', 'name'), { l: '%{d}%%$1' }), '%{d}%%$1')
  })
})

describe('target name', () => {
  const label = (length: number) => 'x'.repeat(length)

  test('a name that is too long loses whole labels on its left until it fits', () => {
    const fits = `${label(60)}.${label(60)}.${label(60)}.${label(60)}.longest1`.slice(-253)
    assert.equal(toTargetName(`${label(9)}.${fits}`), fits)
    const name253 = `${label(63)}.${label(63)}.${label(63)}.${label(61)}`
    assert.equal(name253.length, 253)
    assert.equal(toTargetName(name253), name253)
    assert.equal(toTargetName(`a.${name253}`), name253)
    assert.equal(toTargetName(`a.b.c.${name253}.`), name253)
    const name254 = `${label(63)}.${label(63)}.${label(63)}.${label(62)}`
    assert.equal(toTargetName(name254), name254.slice(64))
    assert.equal(toDomainName(name254), undefined)
    assert.equal(toTargetName(label(300)), undefined)
  })

  test('one dot at the end is dropped', () => {
    assert.equal(toTargetName('a.test.'), 'a.test')
    assert.equal(toTargetName('a.test..'), undefined)
  })

  test('names that are not valid in DNS are refused', () => {
    for (const name of [
      '',
      '.',
      'test',
      'a..test',
      '.a.test',
      `${label(64)}.test`,
      '192.0.2.1',
      '[192.0.2.1]',
      'a.b\u00fc',
      'a\u00fc.test',
      'a\n.test',
      'a.-b',
      'a.b-',
    ])
      assert.equal(toTargetName(name), undefined, name)
    for (const name of [
      'a.test',
      '_a._b.test',
      'a b.test',
      'a%20:/@.test',
      `${label(63)}.test`,
      '1.2.xn--p1ai',
      '*.test',
      'a.1x',
    ])
      assert.equal(toTargetName(name), name)
  })
})

test('a name that is one character too long for DNS loses its first label, even if that is a short one', () => {
  const rest = `${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(62)}`
  assert.equal(rest.length, 254)
  assert.equal(toTargetName(`a.${rest}`), rest.slice(64))
})
