/** Three servers on PostgreSQL and ClickHouse while everything dies, freezes or is cut off. Needs no installation of the laboratory's engine. */
import { ALL_FAULTS } from '../../harness/cluster/faults.ts'
import { KillingScene } from '../../harness/cluster/killing-scene.ts'
import type { Bench, Kind } from '../lab/bench.ts'

const EVENTS_PER_ROUND = 2_000_000
/** All of them, one after the other, so often. */
const FAULT_ROUNDS = 3
/** The faults take about ten minutes; the rest is sent as fast as it is stored. */
const PACE_MS = 900_000
const SCENE_MAX_MS = 3_600_000

export const CLUSTER_KILLED: Kind = {
  name: 'cluster',
  promise: 'what several servers acknowledged is listed, counted and streamed once, on every replica',
  // Too long for every run of the tests; with fewer events it is test/e2e/cluster/killing.test.ts.
  rounds: { quick: 0, long: 1 },
  roundsPerScene: 1,
  sceneMaxMs: SCENE_MAX_MS,
  packages: ['clickhouse-server', 'zookeeper', 'postgresql'],
  async runScene(bench: Bench) {
    await using scene = await KillingScene.open({
      events: EVENTS_PER_ROUND,
      paceMs: PACE_MS,
      seed: bench.random.below(2 ** 31),
    })
    const faults = Array.from({ length: FAULT_ROUNDS }, () => ALL_FAULTS).flat()
    await scene.run(faults, (text) => bench.report(text))
    bench.count('events acknowledged', scene.traffic.acknowledgedEvents)
    bench.count('faults', faults.length)
    bench.onRound()
  },
}
