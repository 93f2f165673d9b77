/** Three servers on PostgreSQL and a ClickHouse cluster, under load while everything dies, freezes or is cut off. Longer in the fault laboratory. */
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { ALL_FAULTS } from '../../harness/cluster/faults.ts'
import { KillingScene } from '../../harness/cluster/killing-scene.ts'

const EVENTS = 200_000
/** About as long as the faults take. */
const PACE_MS = 100_000
/** Of a loaded machine. */
const LONG = { timeout: 900_000 }

test(
  'whatever dies, acknowledged events are listed, counted and streamed once, on every replica',
  LONG,
  async (context) => {
    const seed = randomInt(2 ** 31)
    context.diagnostic(`seed ${seed}`)
    await using scene = await KillingScene.open({ events: EVENTS, paceMs: PACE_MS, seed })
    await scene.run(ALL_FAULTS, (text) => context.diagnostic(text))
  },
)
