/**
 * Power loss: the server is killed, at a random time or at a random operation on its files, also while it recovers from the loss
 * before, and what it had not synced is dropped.
 */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Bench, Kind } from '../lab/bench.ts'
import { Scene } from '../lab/scene.ts'
import { CHANGES, FaultLayer, KILL } from '../layer/fault-layer.ts'
import { EVERYTHING, losePower } from '../layer/lose-power.ts'

const SYNC_MICROSECONDS = 200
/** Writers that find a busy machine get this long until the operation at which the layer kills. */
const PATIENCE_MS = 5000
const NORMAL_SYNC = pathToFileURL(join(import.meta.dirname, '../layer/normal-sync.ts')).href

export const POWER_LOST: Kind = {
  name: 'power-loss',
  promise: 'acknowledged events survive a power loss, which drops any part of what was not synced',
  rounds: { quick: 4, long: 500 },
  roundsPerScene: 10,
  async runScene(bench) {
    await using scene = new Scene(bench)
    for (let round = 1; round <= bench.rounds; round++) {
      await runRound(scene, { round })
      bench.onRound()
    }
    await scene.finish()
  },
}

interface RoundOptions {
  readonly round: number
  readonly env?: Readonly<Record<string, string>>
  readonly ignoresSync?: boolean
  /** Everything that was not synced is lost, and not before the first acknowledgement. */
  readonly isTotal?: boolean
}

async function runRound(
  scene: Scene,
  { round, env = {}, ignoresSync = false, isTotal = false }: RoundOptions,
): Promise<void> {
  const { bench, site } = scene
  const { random } = bench
  const folder = join(bench.folder, `power-${round}`)
  const journal = join(folder, 'journal')
  mkdirSync(journal, { recursive: true })
  using layer = new FaultLayer(folder, { root: site.dataDir, journal })
  layer.syncMicroseconds = SYNC_MICROSECONDS
  layer.ignoresSync = ignoresSync
  const killedAtStart = !isTotal && random.isLucky(0.15)
  if (killedAtStart) layer.arm({ ops: CHANGES, error: KILL, nth: random.between(1, 40) })
  const isServing = await startUnder(scene, layer, env)
  if (isServing) {
    await scene.check()
    const isLater = isTotal || random.isLucky(0.5)
    const { writers, answered } = scene.writeUntilGone([0, 1, 2, 2 + round], isLater ? random.between(1, 60) : 0)
    await Promise.race([answered, writers])
    if (!isTotal && random.isLucky(0.5)) layer.arm({ ops: CHANGES, error: KILL, nth: random.between(1, 600) })
    const waiting = new AbortController()
    const patienceMs = layer.isArmed ? PATIENCE_MS : random.between(1, 100)
    const waited = delay(patienceMs, undefined, waiting).catch(() => undefined)
    await Promise.race([scene.server.exited, waited])
    waiting.abort()
    await scene.kill()
    await writers
  }
  const lost = losePower({ root: site.dataDir, journal, ...(isTotal && { extents: EVERYTHING }) }, random)
  if (!isServing) bench.count('killed while starting')
  bench.count('unsynced writes', lost.unsynced)
  bench.count('names undone', lost.names)
  rmSync(folder, { recursive: true })
}

/** False if the layer killed it. A server that answers goes on writing for a while, so the layer is disarmed before that is known. */
async function startUnder(scene: Scene, layer: FaultLayer, env: Readonly<Record<string, string>>): Promise<boolean> {
  try {
    await scene.start({ env: { ...layer.env, ...env } })
    layer.disarm()
    if (layer.fired === 0) return true
    await scene.kill()
    return false
  } catch (error) {
    if (layer.fired === 0) throw error
    return false
  }
}

/** The laboratory itself is tested: a defect that loses acknowledged events must be found. */
function detects(options: Omit<RoundOptions, 'round'>, bench: Bench): Promise<void> {
  return assert.rejects(async () => {
    await using scene = new Scene(bench)
    for (let round = 1; round <= 3; round++) await runRound(scene, { ...options, round, isTotal: true })
    await scene.finish()
  }, /acknowledged events are lost/)
}

export const SYNC_IGNORED: Kind = {
  name: 'sync-ignored',
  promise: 'a disk that ignores syncs is found to lose acknowledged events: the test of power loss can fail',
  rounds: { quick: 1, long: 5 },
  roundsPerScene: 1,
  async runScene(bench) {
    await detects({ ignoresSync: true }, bench)
    bench.onRound()
  },
}

export const SYNC_NORMAL: Kind = {
  name: 'sync-normal',
  promise: 'synchronous=NORMAL is found to lose acknowledged events: the test of power loss can fail',
  rounds: { quick: 1, long: 5 },
  roundsPerScene: 1,
  async runScene(bench) {
    await detects({ env: { NODE_OPTIONS: `--import ${NORMAL_SYNC}` } }, bench)
    bench.onRound()
  },
}
