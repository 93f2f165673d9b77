/** A disk that is full or fails, from the nth operation on or once: during ingest, reads, start and stop. */
import assert, { AssertionError } from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench, Kind } from '../lab/bench.ts'
import { checkOthers } from '../lab/check-others.ts'
import { Scene } from '../lab/scene.ts'
import { CHANGES, EIO, ENOSPC, type Fault, FaultLayer, type Op } from '../layer/fault-layer.ts'

/** Which files a fault is for: part of the path. */
const MATCHES = ['', '', '-wal', '.db', 'control.db', 'events/']
/** A few operations more than a batch has, so that some rounds end without a fault. */
const SPARE_OPS = 5

export const DISK_FULL: Kind = {
  name: 'disk-full',
  promise:
    'on a full disk events are refused with 503, nothing is lost or stored in part, reads continue, and it recovers',
  rounds: { quick: 3, long: 300 },
  roundsPerScene: 30,
  runScene: (bench) => runFaults(bench, ENOSPC, ['write', 'create', 'truncate', 'sync'], true),
}

export const WRITE_ERRORS: Kind = {
  name: 'write-errors',
  promise: 'when writes and syncs fail, events are refused with 503, nothing acknowledged is lost, and it recovers',
  rounds: { quick: 3, long: 300 },
  roundsPerScene: 30,
  runScene: (bench) => runFaults(bench, EIO, CHANGES, false),
}

async function runFaults(bench: Bench, error: number, ops: readonly Op[], canRead: boolean): Promise<void> {
  const { random, rounds } = bench
  await using scene = new Scene(bench)
  using layer = new FaultLayer(bench.folder, { root: scene.site.dataDir })
  const env = layer.env
  await scene.start({ env })
  const countChanges = () => ops.reduce((sum, op) => sum + layer.count(op), 0)
  await scene.store(scene.traffic.nextBatch(40, [0, 1, 2]))
  const before = countChanges()
  await scene.store(scene.traffic.nextBatch(40, [0, 1, 3]))
  // The last batch created a day. A fault at each of its operations is a fault at every stage.
  const stages = countChanges() - before + SPARE_OPS
  for (let round = 0; round < rounds; round++) {
    // One fault in each part of the range, so that the rounds of a scene cover it.
    const nth = 1 + Math.floor(((round + random.next()) * stages) / rounds)
    const fault: Fault = { ops, error, nth, isPermanent: random.isLucky(0.5), match: random.pick(MATCHES) }
    // Each of them first: by chance, a few rounds would leave one out.
    const phase = PHASES[round] ?? random.pickWeighted(PHASES)
    try {
      await phase.run({ scene, layer, fault, round, canRead })
    } catch (error) {
      const words = `round ${round}, a fault during ${phase.name}: ${JSON.stringify(fault)}\n${scene.logs.slice(-4000)}`
      throw new Error(words, { cause: error })
    }
    if (layer.fired > 0) bench.count(`faults during ${phase.name}`)
    bench.onRound()
  }
  layer.disarm()
  await scene.kill()
  await scene.finish()
}

interface Strike {
  readonly scene: Scene
  readonly layer: FaultLayer
  readonly fault: Fault
  readonly round: number
  readonly canRead: boolean
}

/** Ingest is not in the first round, whose batch would create no day. */
const PHASES = [
  { name: 'start', weight: 2, run: strikeStart },
  { name: 'ingest', weight: 6, run: strikeIngest },
  { name: 'stop', weight: 2, run: strikeStop },
]

async function strikeIngest({ scene, layer, fault, round, canRead }: Strike): Promise<void> {
  // Every other batch creates a day.
  const batch = scene.traffic.nextBatch(40, [0, 1, round % 2 === 0 ? 3 : 4 + round])
  layer.arm(fault)
  const isStored = await scene.tryToStore(batch)
  if (fault.isPermanent && canRead) await scene.check()
  layer.disarm()
  await scene.becomesReady()
  await scene.check()
  if (!isStored) {
    scene.bench.count('requests refused')
    await scene.store(batch)
  }
}

/** Under the fault it starts, or ends with a sentence. */
async function strikeStart({ scene, layer, fault }: Strike): Promise<void> {
  assert.equal(await scene.stop(), 0)
  layer.arm({ ...fault, nth: Math.min(fault.nth, 20) })
  await startOrSay(scene, layer)
  layer.disarm()
  await scene.kill()
  await scene.start({ env: layer.env })
  await scene.check()
}

/** Under the fault it stops, without or with an error; killed at once it would have lost nothing either. */
async function strikeStop({ scene, layer, fault }: Strike): Promise<void> {
  await scene.store(scene.traffic.nextBatch(20, [0, 1]))
  layer.arm({ ...fault, nth: Math.min(fault.nth, 10) })
  const code = await scene.stop()
  assert(code === 0 || code === 1, `it ended with ${code}`)
  layer.disarm()
  await scene.start({ env: layer.env })
  await scene.check()
}

async function startOrSay(scene: Scene, layer: FaultLayer): Promise<boolean> {
  try {
    await scene.start({ env: layer.env })
    return true
  } catch (error) {
    assert(error instanceof Error && layer.fired > 0, 'it does not start without a fault')
    assert.match(error.message, /did not start: envelog: [A-Z/].+\n$/, 'one sentence')
    scene.bench.count('starts refused')
    return false
  }
}

export const READ_ERRORS: Kind = {
  name: 'read-errors',
  promise:
    'when files cannot be read, reads are refused with 503 or leave out whole days; nothing is lost, and it recovers',
  rounds: { quick: 6, long: 200 },
  roundsPerScene: 20,
  async runScene(bench) {
    const { random } = bench
    await using scene = new Scene(bench)
    using layer = new FaultLayer(bench.folder, { root: scene.site.dataDir })
    await scene.start({ env: layer.env })
    for (let batches = 0; batches < 10; batches++) await scene.store(scene.traffic.nextBatch(60, [0, 1, 2, 3, 4]))
    assert.equal(await scene.stop(), 0)
    for (let round = 0; round < bench.rounds; round++) {
      if (random.isLucky(0.3)) layer.arm({ ops: ['read'], error: EIO, nth: random.between(1, 60) })
      if (!(await startOrSay(scene, layer))) await scene.start({ env: layer.env })
      const match = random.pick(MATCHES)
      layer.arm({ ops: ['read'], error: EIO, nth: random.between(1, 40), isPermanent: random.isLucky(0.5), match })
      bench.count(
        await read(scene).catch((error: unknown) => {
          throw new Error(`round ${round}, the server has logged:\n${scene.logs.slice(-4000)}`, { cause: error })
        }),
      )
      if (layer.fired > 0) bench.count('faults')
      layer.disarm()
      // The disk is well again, and nothing else is done about it.
      if (random.isLucky(0.5)) {
        await scene.kill()
        await scene.start({ env: layer.env })
      }
      await usesEveryDay(scene)
      await scene.becomesReady()
      await scene.check()
      await scene.store(scene.traffic.nextBatch(20, [0, 1, 2]))
      assert.equal(await scene.stop(), 0)
      bench.onRound()
    }
    await scene.finish()
  },
}

/** A day that could not be read twice in a row was set aside; it is checked again automatically. */
async function usesEveryDay({ site, bench, logs }: Scene): Promise<void> {
  for (let tries = 0; ; tries++) {
    const days = (await site.files?.listSetAside()) ?? []
    if (days.length === 0) return
    if (tries === 0) bench.count('days set aside', days.length)
    assert(tries < 100, `${days.join()} can be read again, and is still set aside\n${logs.slice(-4000)}`)
    await delay(100)
  }
}

/** Throws if an answer is wrong. */
async function read(scene: Scene): Promise<string> {
  try {
    await scene.check()
    return 'checks answered in full'
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error
    if (isRefusal(error)) return 'checks refused'
  }
  try {
    const days = scene.site.files?.days().map(({ day }) => day) ?? []
    await checkOthers(scene.client, scene.ledger, scene.window, { days })
    return 'checks answered without some days'
  } catch (error) {
    if (error instanceof AssertionError && isRefusal(error)) return 'checks refused'
    throw error
  }
}

function isRefusal({ actual, expected }: AssertionError): boolean {
  return actual === 503 && expected === 200
}
