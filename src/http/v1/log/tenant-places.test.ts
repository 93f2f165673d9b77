import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import { TenantPlaces } from './tenant-places.ts'

const isRefused = (error: unknown) =>
  error instanceof AppError && error.code === 'overloaded' && error.message.startsWith('Too many exports are open')

test('each tenant has a limited number of places, which can be reused once released', () => {
  const places = new TenantPlaces('exports', { perTenant: 2, altogether: 100 })
  const first = places.take('acme')
  places.take('acme')
  assert.throws(() => places.take('acme'), isRefused)
  places.take('rival')
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  places.take('acme')
  assert.throws(() => places.take('acme'), isRefused)
})

test('the number of places over all tenants is limited', () => {
  const places = new TenantPlaces('exports', { perTenant: 2, altogether: 3 })
  const taken = ['a', 'b', 'c'].map((tenant) => places.take(tenant))
  assert.throws(() => places.take('d'), isRefused)
  taken[0]?.[Symbol.dispose]()
  places.take('d')
})
