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

test('a hit becomes an event, with what the interface has no field for beside it', () => {
  const told = {
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
  assert.deepEqual(tracking.toEvents(CLICK), [told])
  const { machine: _machine, ...person } = CLICK
  assert.deepEqual(tracking.toEvents({ ...person, hit: 'open' }), [
    { ...told, event: { ...told.event, type: 'Opened' }, extension: {} },
  ])
})

test('whatever a record holds, it becomes an event or is refused', () => {
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
