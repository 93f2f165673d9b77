import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../lib/app-error.ts'
import { tracking } from './tracking.ts'

const CLICK = {
  hit: 'click',
  id: 'm1',
  domain: 'news.acme.test',
  recipient: 'ann@example.org',
  url: 'https://acme.test/',
  time: 1_794_724_823,
  machine: 'head',
}

test('a hit becomes an event, with an extension for fields that the interface does not have', () => {
  const click = {
    event: {
      type: 'Click',
      id: 'm1',
      recipient: 'ann@example.org',
      timestamp: 1_794_724_823,
      direction: 'outbound',
    },
    extension: { url: 'https://acme.test/', machine: 'head' },
    senderDomains: ['news.acme.test'],
  }
  assert.deepEqual(tracking.toEvents(CLICK), [click])
  const { machine: _machine, ...person } = CLICK
  assert.deepEqual(tracking.toEvents({ ...person, hit: 'open' }), [
    { ...click, event: { ...click.event, type: 'Opened' }, extension: {} },
  ])
})

test('any record becomes an event or is rejected', () => {
  const changes = fc.dictionary(fc.constantFrom(...Object.keys(CLICK)), fc.jsonValue(), { maxKeys: 4 })
  const record = fc.oneof(
    changes.map((fields) => ({ ...CLICK, ...fields })),
    fc.jsonValue(),
  )
  fc.assert(
    fc.property(record, (value) => {
      try {
        assert.equal(tracking.toEvents(value).length, 1)
      } catch (error) {
        assert.ok(error instanceof AppError && error.code === 'invalid_payload')
      }
    }),
    { numRuns: 5000 },
  )
})
