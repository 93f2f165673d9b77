import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requireShown } from './shown-fields.ts'

test('who may not know where messages were sent from can neither filter by it nor exclude it', () => {
  for (const name of ['sendingAddresses', 'sendingSources', 'sendingPools'] as const) {
    for (const filters of [{ [name]: ['x'] }, { [name]: [] }, { without: { [name]: ['x'] } }]) {
      for (const shown of [undefined, 'interface', 'attempts'] as const) {
        assert.throws(() => requireShown(filters, shown), { code: 'forbidden' })
      }
      requireShown(filters, 'sending')
    }
  }
  requireShown({})
  requireShown({ without: {} }, 'interface')
})
