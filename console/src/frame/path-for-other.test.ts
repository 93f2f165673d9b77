import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathForOther } from './path-for-other.ts'

test('another tenant is shown on the same page, with the same filters', () => {
  assert.equal(pathForOther('/overview', 'last=24h'), '/overview?last=24h')
  assert.equal(pathForOther('/log', 'type=Bounce&provider=Google&from=x'), '/log?type=Bounce&provider=Google&from=x')
  assert.equal(pathForOther('/log', ''), '/log')
})

test('what belongs to one tenant is left out', () => {
  assert.equal(pathForOther('/log', 'domain=a.test&domain=b.test&type=Bounce&message=m&in=a.test'), '/log?type=Bounce')
  assert.equal(pathForOther('/domains/a.test', ''), '/domains')
  assert.equal(pathForOther('/domains', 'search=a&page=3'), '/domains')
})
