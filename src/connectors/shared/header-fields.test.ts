import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HeaderFields } from './header-fields.ts'

test('a field is found whatever the case of its name; the first counts, all are listed', () => {
  const fields = new HeaderFields()
  fields.continueLast(' of nothing')
  fields.add('RECEIVED', ' from a')
  fields.continueLast('\tby b ')
  fields.add('Received', 'from c')
  fields.add('@eceived', 'x')
  assert.equal(fields.get('received'), 'from a\tby b')
  assert.deepEqual(fields.list('received'), ['from a\tby b', 'from c'])
  assert.equal(fields.get('receive'), undefined)
  assert.deepEqual(fields.list('date'), [])
})
