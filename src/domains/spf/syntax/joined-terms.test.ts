import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listJoined, splitJoined } from './joined-terms.ts'

const JOINED: readonly (readonly [text: string, ...terms: string[]])[] = [
  ['include:a.exampleinclude:b.example', 'include:a.example', 'include:b.example'],
  ['include:a.example~all', 'include:a.example', '~all'],
  ['include:a.example-all', 'include:a.example', '-all'],
  ['include:a.example.?all', 'include:a.example.', '?all'],
  ['ip4:192.0.2.1ip4:192.0.2.2-all', 'ip4:192.0.2.1', 'ip4:192.0.2.2', '-all'],
  ['ip4:192.0.2.0/24include:a.example', 'ip4:192.0.2.0/24', 'include:a.example'],
  ['ip6:2001:db8::/32mx:a.example', 'ip6:2001:db8::/32', 'mx:a.example'],
  ['mxinclude:a.example', 'mx', 'include:a.example'],
  ['a-all', 'a', '-all'],
  ['-allinclude:a.example', '-all', 'include:a.example'],
  ['include:a.exampleredirect=b.example', 'include:a.example', 'redirect=b.example'],
  ['include:a.examplev=spf1', 'include:a.example', 'v=spf1'],
  ['mx:a.comA:b.example', 'mx:a.com', 'A:b.example'],
]

const WHOLE = [
  'include:a.example',
  'include:spf-all.example.com',
  'include:all',
  'ip6:2001:db8::a:1',
  'ip6:2001:db8:a::1',
  'ip6:::a:192.0.2.1',
  'a:foo:bar/baz.example.com',
  'exists:%{i}._spf.%{d2}',
  '~all',
  'redirect=a.example',
  'unknown=include',
  'include:a:b',
  'mx:',
]

describe('two terms without a space between them', () => {
  for (const [text, ...terms] of JOINED) {
    test(text, () => {
      assert.deepEqual(splitJoined(text), terms)
      assert.deepEqual(listJoined(`v=spf1 ${text}`), [{ terms, at: 7 + (terms[0]?.length ?? 0) }])
    })
  }

  for (const text of WHOLE) {
    test(`${text} is one term`, () => assert.equal(splitJoined(text), undefined))
  }

  test('are found at their place in the record', () => {
    const record = 'v=spf1 mx include:a.exampleinclude:b.example ip4:192.0.2.1-all'
    assert.deepEqual(
      listJoined(record).map(({ at }) => record.slice(at)),
      ['include:b.example ip4:192.0.2.1-all', '-all'],
    )
  })
})
