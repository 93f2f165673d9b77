import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainOf, findFromAddress, senderDomainsOf, withoutBrackets } from './address.ts'

test('the address of a From header is found whatever its display name contains', () => {
  const samples: readonly [string, string | undefined][] = [
    ['a@b.test', 'a@b.test'],
    ['A B <a@b.test>', 'a@b.test'],
    ['"A <x@y.test>" <a@b.test>', 'a@b.test'],
    ['"A \\" <x@y.test>" <a@b.test>', 'a@b.test'],
    ['(x@y.test) a@b.test', 'a@b.test'],
    ['x@y.test <a@b.test>', 'a@b.test'],
    ['a@b.test, c@d.test', 'a@b.test'],
    ['Group: a@b.test, c@d.test;', 'a@b.test'],
    ['A <>', undefined],
    ['nobody', undefined],
    ['', undefined],
  ]
  for (const [from, address] of samples) assert.equal(findFromAddress(from), address, from)
})

test('the domain follows the last @', () => {
  assert.equal(domainOf('a@b.test'), 'b.test')
  assert.equal(domainOf('"a@x"@b.test'), 'b.test')
  assert.equal(domainOf('a@'), undefined)
  assert.equal(domainOf(''), undefined)
  assert.equal(withoutBrackets(' <a@b.test> '), 'a@b.test')
})

test('the domain of From comes before that of the envelope, which may only handle bounces', () => {
  assert.deepEqual(senderDomainsOf('A <a@acme.test>', 'b+1@bounce.other.test'), ['acme.test', 'bounce.other.test'])
  assert.deepEqual(senderDomainsOf(undefined, 'b@acme.test'), ['acme.test'])
  assert.deepEqual(senderDomainsOf('nobody', ''), [])
})
