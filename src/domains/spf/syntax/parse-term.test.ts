/** Errors name the place in the term; values are those that are written. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDomainSpec, parseMacroString } from './macro-string.ts'
import { parseTerm } from './parse-term.ts'
import { SpfSyntaxError } from './spf-syntax-error.ts'

function errorOf(parse: () => unknown): readonly [code: string, at: number, text: string] | undefined {
  try {
    parse()
  } catch (error) {
    if (error instanceof SpfSyntaxError) return [error.code, error.at, error.text]
    throw error
  }
  return undefined
}

test('an error has its code, its position in the term, and the text that is wrong', () => {
  for (const [term, ...expected] of [
    ['aé', 'bad_character', 1, 'é'],
    ['a b', 'bad_character', 1, ' '],
    ['a\x7f', 'bad_character', 1, '\x7f'],
    ['1x=y', 'bad_modifier_name', 0, '1x'],
    ['=y', 'bad_modifier_name', 0, ''],
    ['all:x', 'unexpected_argument', 3, ':x'],
    ['-all/8', 'unexpected_argument', 4, '/8'],
    ['include', 'missing_domain', 7, ''],
    ['-exists', 'missing_domain', 7, ''],
    ['include/x', 'unexpected_argument', 7, '/x'],
    ['-ptr/8', 'unexpected_argument', 4, '/8'],
    ['foo:x', 'unknown_mechanism', 0, 'foo'],
    ['~foo', 'unknown_mechanism', 1, 'foo'],
    ['ip4', 'bad_ip4', 3, ''],
    ['ip4/8', 'bad_ip4', 3, '/8'],
    ['-ip6:x', 'bad_ip6', 5, 'x'],
    ['ip4:::1', 'bad_ip4', 4, '::1'],
    ['ip6:192.0.2.1', 'bad_ip6', 4, '192.0.2.1'],
    ['ip4:192.0.2.1/33', 'bad_prefix_length', 14, '33'],
    ['ip4:192.0.2.1/', 'bad_prefix_length', 14, ''],
    ['ip6:::1/129', 'bad_prefix_length', 8, '129'],
    ['a/33', 'bad_prefix_length', 2, '33'],
    ['a//129', 'bad_prefix_length', 3, '129'],
    ['a/24//129', 'bad_prefix_length', 6, '129'],
    ['mx:host.test/024', 'bad_prefix_length', 13, '024'],
    ['-mx:host.test/24//0128', 'bad_prefix_length', 18, '0128'],
  ] as const) {
    assert.deepEqual(
      errorOf(() => parseTerm(term, 0)),
      expected,
      term,
    )
  }
})

test('the position of an error within a name is counted from the beginning of the term', () => {
  for (const [before, parse] of [
    ['include:', parseDomainSpec],
    ['-exists:', parseDomainSpec],
    ['ptr:', parseDomainSpec],
    ['?a:', parseDomainSpec],
    ['redirect=', parseDomainSpec],
    ['exp=', parseDomainSpec],
    ['other=', (text: string) => parseMacroString(text, 'unknown_modifier')],
  ] as const) {
    const name = 'host.%x.test'
    const own = errorOf(() => parse(name))
    assert.ok(own && own[1] > 0)
    assert.deepEqual(
      errorOf(() => parseTerm(before + name, 0)),
      [own[0], before.length + own[1], own[2]],
      before,
    )
  }
})

test('terms have their kind, qualifier, place and arguments, in any letter case', () => {
  const domainSpec = parseDomainSpec('host.test')
  for (const [text, expected] of [
    ['all', { kind: 'all', qualifier: '+' }],
    ['~ALL', { kind: 'all', qualifier: '~' }],
    ['-ptr', { kind: 'ptr', qualifier: '-' }],
    ['ptr:host.test', { kind: 'ptr', qualifier: '+', domainSpec }],
    ['?Include:host.test', { kind: 'include', qualifier: '?', domainSpec }],
    ['exists:host.test', { kind: 'exists', qualifier: '+', domainSpec }],
    ['a', { kind: 'a', qualifier: '+', prefixLength4: 32, prefixLength6: 128 }],
    ['mx/0//0', { kind: 'mx', qualifier: '+', prefixLength4: 0, prefixLength6: 0 }],
    ['a/32', { kind: 'a', qualifier: '+', prefixLength4: 32, prefixLength6: 128 }],
    ['a//128', { kind: 'a', qualifier: '+', prefixLength4: 32, prefixLength6: 128 }],
    ['a:host.test//64', { kind: 'a', qualifier: '+', prefixLength4: 32, prefixLength6: 64, domainSpec }],
    ['Redirect=host.test', { kind: 'redirect', domainSpec }],
    ['exp=host.test', { kind: 'exp', domainSpec }],
    ['other.Name=x', { kind: 'unknown_modifier', name: 'other.Name' }],
  ] as const) {
    assert.deepEqual(parseTerm(text, 7), { text, at: 7, ...expected }, text)
  }
})

test('networks have the whole address by default', () => {
  for (const [text, prefixLength] of [
    ['ip4:192.0.2.1', 32],
    ['ip4:192.0.2.0/24', 24],
    ['ip4:0.0.0.0/0', 0],
    ['ip4:192.0.2.1/32', 32],
    ['ip6:2001:db8::', 128],
    ['ip6:2001:db8::/33', 33],
    ['ip6:::/128', 128],
  ] as const) {
    const term = parseTerm(text, 0)
    assert.ok(term.kind === 'ip4' || term.kind === 'ip6')
    assert.equal(term.network.prefixLength, prefixLength, text)
  }
})
