/** A move into ClickHouse and PostgreSQL that is killed at random moments. Needs no installation of the laboratory's engine. */
import assert from 'node:assert/strict'
import { KilledMoves } from '../../harness/programs/killed-moves.ts'
import type { Bench, Kind } from '../lab/bench.ts'

/** Every fourth round is killed after the old server has stopped. */
const LAST_STEP_SHARE = 4

export const MOVE_KILLED: Kind = {
  name: 'move',
  promise: 'a move that is killed at random moments ends with equal logs, and everything acknowledged is there once',
  // `npm test` has a few rounds in test/e2e/migrate-storage.test.ts.
  rounds: { quick: 0, long: 20 },
  roundsPerScene: 20,
  packages: ['clickhouse-server', 'zookeeper', 'postgresql'],
  async runScene(bench: Bench) {
    await using moves = await KilledMoves.open(bench.random)
    const lastSteps = Math.floor(bench.rounds / LAST_STEP_SHARE)
    for (let round = lastSteps; round < bench.rounds; round++) {
      await moves.killWhileServed()
      bench.onRound()
    }
    assert.equal(await moves.server.stop(), 0)
    let isFinished = false
    for (let round = 0; round < lastSteps; round++) {
      isFinished ||= await moves.killLastStep()
      bench.count(isFinished ? 'last steps that ended before they were killed' : 'last steps killed')
      bench.onRound()
    }
    if (!isFinished) {
      const { comparison, stderr, isFinished: isEqual } = await moves.scene.move()
      assert.deepEqual({ differences: comparison?.differences, isEqual }, { differences: [], isEqual: true }, stderr)
    }
    await moves.verify()
    bench.count('events acknowledged', moves.ledger.acknowledgedEvents)
  },
}
