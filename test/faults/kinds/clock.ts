/** A wall clock that jumps, at a start and while the server runs. Retention runs at every start and ends before a stop. */
import assert from 'node:assert/strict'
import type { Kind } from '../lab/bench.ts'
import { Scene } from '../lab/scene.ts'
import { FaultLayer } from '../layer/fault-layer.ts'

const DAY_MS = 86_400_000

export const CLOCK_JUMPS: Kind = {
  name: 'clock',
  promise:
    'a clock that is wrong by years, forwards or backwards, removes nothing, and correct events are stored meanwhile',
  rounds: { quick: 2, long: 40 },
  roundsPerScene: 8,
  async runScene(bench) {
    const { random } = bench
    await using scene = new Scene(bench)
    using layer = new FaultLayer(bench.folder, { root: scene.site.dataDir })
    const { env } = layer
    await scene.start({ env })
    for (let batches = 0; batches < 5; batches++) await scene.store(scene.traffic.nextBatch(60, [0, 1, 2, 40]))
    assert.equal(await scene.stop(), 0)
    for (let round = 0; round < bench.rounds; round++) {
      const jumpMs = jumps(round)[round % 2 === 0 ? 'ahead' : 'back'](random.between(1, 4000))
      const isAtStart = random.isLucky(0.5)
      if (isAtStart) layer.clockOffsetMs = jumpMs
      await scene.start({ env })
      layer.clockOffsetMs = jumpMs
      await scene.check()
      // Senders whose clock is right.
      await scene.store(scene.traffic.nextBatch(20, [0, 1, 40]))
      await scene.check()
      assert.equal(await scene.stop(), 0)
      // Once more: the second run must not believe the first.
      await scene.start({ env })
      await scene.check()
      assert.equal(await scene.stop(), 0)
      layer.clockOffsetMs = 0
      await scene.start({ env })
      await scene.check()
      await scene.store(scene.traffic.nextBatch(20, [0, 1]))
      assert.equal(await scene.stop(), 0)
      bench.count(jumpMs > 0 ? 'jumps ahead' : 'jumps back')
      bench.onRound()
    }
    await scene.finish()
  },
}

/** To some hours before or after midnight of a first of January, too. */
function jumps(round: number) {
  const newYear = Date.UTC(new Date().getUTCFullYear() + 1, 0, 1) - Date.now()
  return {
    ahead: (days: number) => (round % 4 === 0 ? newYear - 1000 : days * DAY_MS),
    back: (days: number) => -days * DAY_MS,
  }
}
