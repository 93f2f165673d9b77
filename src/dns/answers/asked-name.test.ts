import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findParent, isWithin, readAskedName } from './asked-name.ts'

describe('names are checked before any query', () => {
  test('host names and names with underscores are accepted, in lower case and without the final dot', () => {
    assert.deepEqual(readAskedName('S1._DomainKey.Example.COM.'), { name: 's1._domainkey.example.com' })
    assert.deepEqual(readAskedName('_dmarc.example.com'), { name: '_dmarc.example.com' })
    assert.deepEqual(readAskedName('4.3.2.1.in-addr.arpa'), { name: '4.3.2.1.in-addr.arpa' })
  })

  const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`

  test('the longest valid name is accepted, one character more is not', () => {
    assert.equal(longest.length, 253)
    assert.deepEqual(readAskedName(longest), { name: longest })
    assert.ok('problem' in readAskedName(`${longest}d`))
  })

  const refused = {
    empty: '',
    'the root': '.',
    'an empty label': 'a..example.com',
    'a dot first': '.example.com',
    'two dots last': 'example.com..',
    'a label of 64': `${'a'.repeat(64)}.com`,
    'a NUL': 'a\0.example.com',
    'a space': 'a b.example.com',
    'a line end': 'example.com\n',
    'an escape': 'a\\.b.example.com',
    'beyond ASCII': 'exämple.com',
    'a letter that becomes ASCII in lower case': 'example.\u212Aom',
    'a wildcard': '*.example.com',
    'an IPv4 address': '169.254.169.254',
    'an IPv6 address': '2001:db8::1',
    localhost: 'localhost',
    'a name below localhost': 'a.localhost',
    'a single label': 'com',
  }
  for (const [what, name] of Object.entries(refused)) {
    test(`refused: ${what}`, () => assert.ok('problem' in readAskedName(name), name))
  }
})

test('the parent of a name is one label up, and the top has none', () => {
  assert.equal(findParent('a.example.com'), 'example.com')
  assert.equal(findParent('com'), undefined)
})

test('a name is within itself, its parents and the root, but not within a name with the same ending', () => {
  assert.ok(isWithin('a.example.com', 'example.com') && isWithin('example.com', 'example.com'))
  assert.ok(isWithin('example.com', ''))
  assert.ok(!isWithin('notexample.com', 'example.com') && !isWithin('example.com', 'a.example.com'))
})
