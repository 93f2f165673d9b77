import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RecentClicks } from './bursts.ts'
import type { Hit } from './hit.ts'

function click(timeMs: number, target: string, recipient = 'ann@example.org'): Hit {
  return { kind: 'click', messageId: 'm1', domain: 'acme.test', recipient, target, timeMs }
}

/** Indexes of the clicks that are part of a burst. */
function findBurst(clicks: readonly Hit[]): readonly number[] {
  const recent = new RecentClicks()
  for (const hit of clicks) recent.note(hit)
  return clicks.flatMap((hit, index) => (recent.isInBurst(hit) ? [index] : []))
}

describe('a burst', () => {
  test('is three different links within a second, first and last included', () => {
    assert.deepEqual(findBurst([click(0, 'a'), click(500, 'b'), click(1000, 'c')]), [0, 1, 2])
    assert.deepEqual(findBurst([click(0, 'a'), click(500, 'b'), click(1001, 'c')]), [])
  })

  test('is not the same link repeatedly, nor links of several recipients or senders', () => {
    assert.deepEqual(findBurst([click(0, 'a'), click(1, 'a'), click(2, 'a'), click(3, 'b')]), [])
    assert.deepEqual(findBurst([click(0, 'a'), click(1, 'b'), click(2, 'c', 'bob@example.org')]), [])
    assert.deepEqual(findBurst([click(0, 'a'), click(1, 'b'), { ...click(2, 'c'), domain: 'rival.test' }]), [])
  })

  test('excludes earlier and later clicks, and includes the pixel', () => {
    const clicks = [click(0, 'a'), click(5000, 'a'), click(5100, 'b'), click(5200, 'c'), click(9000, 'd')]
    assert.deepEqual(findBurst(clicks), [1, 2, 3])
    const recent = new RecentClicks()
    for (const hit of clicks) recent.note(hit)
    const { target: _none, ...open } = click(5150, '')
    assert.equal(recent.isInBurst({ ...open, kind: 'open' }), true)
  })

  test('is forgotten after its time, and when the clock was set back to long before it', () => {
    const recent = new RecentClicks()
    for (let n = 0; n < 100; n++) recent.note({ ...click(n, 'a'), messageId: `m${n}` })
    recent.forgetFar(100, 50)
    assert.equal(recent.size, 50)
    recent.forgetFar(-1000, 1070)
    assert.equal(recent.size, 21)
    recent.forgetFar(1000, 50)
    assert.equal(recent.size, 0)
  })
})
