import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originOf } from './same-origin.ts'

const host = 'log.example:8025'

test('Sec-Fetch-Site decides if the browser sends it, whatever the Origin', () => {
  assert.equal(originOf({ host, 'sec-fetch-site': 'same-origin' }), 'same')
  for (const site of ['cross-site', 'same-site', 'none', 'rubbish', '']) {
    assert.equal(originOf({ host, origin: 'http://log.example:8025', 'sec-fetch-site': site }), 'other', site)
  }
})

test('without Sec-Fetch-Site, the Origin must be the requested host, including its port', () => {
  for (const origin of ['http://log.example:8025', 'https://log.example:8025', 'http://LOG.example:8025']) {
    assert.equal(originOf({ host, origin }), 'same', origin)
  }
  assert.equal(originOf({ host: 'log.example:443', origin: 'https://log.example' }), 'same')
  assert.equal(originOf({ host: 'log.example', origin: 'http://log.example:80' }), 'same')
  const others = ['http://log.example', 'http://log.example:1', 'http://x.log.example:8025', 'null', '', 'rubbish']
  for (const origin of others) assert.equal(originOf({ host, origin }), 'other', origin)
  assert.equal(originOf({ origin: 'http://log.example' }), 'other')
})

test('a request with neither header is neither same-origin nor cross-site', () => {
  assert.equal(originOf({ host }), 'unknown')
})
