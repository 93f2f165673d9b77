/** kill -9 at random times, while files are created and while they are only written. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench, Kind } from '../lab/bench.ts'
import { Scene } from '../lab/scene.ts'

export const KILLED: Kind = {
  name: 'kill',
  promise: 'acknowledged events survive kill -9, are stored once and counted once',
  rounds: { quick: 3, long: 500 },
  roundsPerScene: 10,
  async runScene(bench: Bench) {
    const { random } = bench
    await using scene = new Scene(bench)
    for (let round = 1; round <= bench.rounds; round++) {
      await scene.start()
      await scene.check()
      // Today, yesterday, the day before, and a day that has no file yet. The first requests create files, later ones only write.
      const { writers, answered } = scene.writeUntilGone(
        [0, 1, 2, 2 + round],
        round % 2 === 0 ? random.between(1, 60) : 0,
      )
      await Promise.race([answered, writers])
      await delay(random.between(1, 100))
      await scene.kill()
      await writers
      bench.onRound()
    }
    bench.count('batches unanswered', scene.ledger.unanswered.length)
    await scene.finish()
  },
}
