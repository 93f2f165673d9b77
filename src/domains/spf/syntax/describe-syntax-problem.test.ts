import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { describeSyntaxProblem, listQuoted } from './describe-syntax-problem.ts'
import { readSpfRecord } from './spf-record.ts'

const DESCRIBED: readonly (readonly [term: string, words: RegExp])[] = [
  ['moo', /^"moo" at character 8 is not an SPF mechanism\.$/],
  ['Redirect:a.test', /is not an SPF mechanism\. Write redirect= with an equals sign\.$/],
  ['exp:a.test', /Write exp= with an equals sign\.$/],
  ['ip:192.0.2.1', /Write ip4: or ip6:\.$/],
  ['moo;', /remove the ";" at the end\.$/],
  ['a:b.test,', /remove the "," at the end\.$/],
  ['include:', /There must not be a space after the colon\.$/],
  // The part is the name of a misspelled mechanism, but that is not what is wrong.
  ['include:ip', /not a domain name: it must end in a dot and a top-level domain, or in a macro\.$/],
  ['ip4:192.0.2.1-all', /^"ip4:192\.0\.2\.1-all" lacks a space between "ip4:192\.0\.2\.1" and "-all"\.$/],
  ['ip4:192.0.2.256', /has "192\.0\.2\.256" at character 12, which is not an IPv4 address/],
  ['+ip4', /^"\+ip4" lacks an address at character \d+: four numbers/],
  ['ip6:2001:db8::g', /has "2001:db8::g" at character 12, which is not an IPv6 address or network\.$/],
  ['+ip6', /^"\+ip6" lacks an address at character \d+\.$/],
  ['ip4:192.0.2.1/33', /has the prefix length "33" at character \d+: it must be 0 to 32/],
  ['ip4:192.0.2.1/', /lacks the prefix length at character \d+: it must be 0 to 32/],
]

describe('a syntax error of an SPF record is explained', () => {
  for (const [term, words] of DESCRIBED) {
    test(term, () => {
      const [problem] = readSpfRecord(`v=spf1 ${term}`).problems
      assert.ok(problem)
      assert.match(describeSyntaxProblem(problem), words)
    })
  }

  test('of many joined terms, four are listed', () => {
    assert.equal(listQuoted(['a', 'b', 'c', 'd']), '"a" and "b" and "c" and "d"')
    assert.equal(listQuoted(['a', 'b', 'c', 'd', 'e']), '"a" and "b" and "c" and "d" and 1 more')
    assert.equal(listQuoted(['a', 'b', 'c', 'd', 'e', 'f']), '"a" and "b" and "c" and "d" and 2 more')
  })
})
