import assert from 'node:assert/strict'
import { test } from 'node:test'
import { correctVersion, describeVersion } from './spf-version.ts'

test('a record that nearly begins like an SPF record keeps its terms', () => {
  const nearly = [
    'v=spf1include:a.example -all',
    'v=spf1; include:a.example -all',
    'v = spf1 include:a.example -all',
    'v=spf include:a.example -all',
    'v=spf 1 include:a.example -all',
    'v:spf1 include:a.example -all',
    'spf1 include:a.example -all',
    ' v=spf1 include:a.example -all',
    '"v=spf1: include:a.example -all',
  ]
  for (const text of nearly) assert.equal(correctVersion(text), 'v=spf1 include:a.example -all', text)
  assert.equal(correctVersion('v=spf1,'), 'v=spf1')
})

test('other records are left alone', () => {
  const others = [
    'v=spf1 -all',
    'V=SPF1',
    'v=spf10 -all',
    'spf2.0/pra include:a.example',
    'v=spf2.0/pra -all',
    'v=DMARC1; p=none',
    'spf-verification=1',
    '',
  ]
  for (const text of others) assert.equal(correctVersion(text), undefined, text)
})

test('the text shows how the record begins, and no more of it', () => {
  const { diagnosis, text } = describeVersion('acme.test', `v=spf1include:${'a'.repeat(1000)}`)
  assert.equal(diagnosis, 'wrong_version')
  assert.match(text, /but begins with "v=spf1include:a{2}\.\.\."\. Insert a space after v=spf1\.$/)
})

test('a short record is shown whole', () => {
  for (const value of ['v=spf', 'v=spf1include:ab']) {
    assert.ok(describeVersion('acme.test', value).text.includes(`but begins with "${value}".`), value)
  }
})
