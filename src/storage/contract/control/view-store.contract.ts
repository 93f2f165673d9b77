/** The contract of every ViewStore. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { SavedView } from '../../../tenants/view-store.ts'
import type { ControlStore } from '../../storage.ts'

type Stores = Pick<ControlStore, 'views' | 'keys'>

const view = (name: string, query = 'type=Bounce'): SavedView => ({ name, query, savedAtMs: 5 })
const newKey = (id: string) => ({ id, secretHash: new Uint8Array(32), scopes: ['admin'] as const, createdAtMs: 1 })

export function viewStoreContract(
  open: () => Promise<{ readonly stores: Stores; readonly close: () => Promise<void> }>,
): void {
  let stores: Stores
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ stores, close } = await open())
    for (const id of ['one', 'other']) await stores.keys.createKey(newKey(id))
  })
  afterEach(() => close())

  const names = async (keyId: string) => (await stores.views.listViews(keyId)).map(({ name }) => name)

  test('views are stored per key, by name, and a view of the same name is replaced', async () => {
    const { views } = stores
    for (const name of ['b', 'a', 'Z', 'ä']) assert.equal(await views.saveView('one', view(name), 10), 'saved')
    assert.equal(await views.saveView('one', { name: 'a', query: 'q=x', savedAtMs: 6 }, 10), 'saved')
    assert.deepEqual(await names('one'), ['Z', 'a', 'b', 'ä'])
    assert.deepEqual((await views.listViews('one'))[1], { name: 'a', query: 'q=x', savedAtMs: 6 })
    assert.deepEqual(await views.listViews('other'), [])
    assert.equal(await views.removeView('other', 'a'), false)
    assert.equal(await views.removeView('one', 'a'), true)
    assert.equal(await views.removeView('one', 'a'), false)
    assert.deepEqual(await names('one'), ['Z', 'b', 'ä'])
  })

  test('a key has at most as many as it may have, also if they are saved at the same time', async () => {
    const { views } = stores
    const results = await Promise.all(['a', 'b', 'c', 'd'].map((name) => views.saveView('one', view(name), 2)))
    assert.deepEqual(results.toSorted(), ['full', 'full', 'saved', 'saved'])
    const [kept = ''] = await names('one')
    assert.equal(await views.saveView('one', view(kept, 'q=again'), 2), 'saved')
    assert.equal(await views.saveView('other', view('a'), 2), 'saved')
  })

  test('a view gets another name in one step, also if the key has as many as it may have', async () => {
    const { views } = stores
    for (const name of ['a', 'b']) await views.saveView('one', view(name), 2)
    assert.equal(await views.saveView('one', view('c', 'q=x'), 2, 'a'), 'saved')
    assert.deepEqual(await names('one'), ['b', 'c'])
    assert.equal(await views.saveView('one', view('d'), 2, 'not there'), 'full')
    assert.equal(await views.saveView('one', view('c', 'q=y'), 2, 'b'), 'saved')
    assert.deepEqual(await views.listViews('one'), [view('c', 'q=y')])
  })

  test('a revoked key has no views and gets none', async () => {
    const { views, keys } = stores
    for (const id of ['one', 'other']) await views.saveView(id, view('mine'), 2)
    await keys.revokeKey('one', 9)
    assert.deepEqual([await names('one'), await names('other')], [[], ['mine']])
    assert.equal(await views.saveView('one', view('mine'), 2), 'no_key')
    assert.equal(await views.saveView('nobody', view('mine'), 2), 'no_key')
  })

  test('views that mention a text are removed, of every key', async () => {
    const { views } = stores
    await views.saveView('one', view('kept', 'q=joanna%40example.net'), 9)
    await views.saveView('one', view('encoded', 'type=Bounce&q=ANNA%40example.org'), 9)
    await views.saveView('other', view('for Anna@example.org'), 9)
    assert.equal(await views.removeViewsWith(['anna%40example.org', 'anna@example.org']), 2)
    assert.deepEqual([await names('one'), await names('other')], [['kept'], []])
  })
}
