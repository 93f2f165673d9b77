/** Files of days that a disk has changed: flipped bits, pages of zeros or garbage, cut files. */
import assert from 'node:assert/strict'
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import type { SeededRandom } from '../../../src/lib/seeded-random.ts'
import type { Kind } from '../lab/bench.ts'
import { checkOthers } from '../lab/check-others.ts'
import { Scene } from '../lab/scene.ts'

const PAGE_BYTES = 4096
const DAYS = [0, 1, 2, 3, 4]
const DAY_MS = 86_400_000

type Damage = (file: number, size: number, random: SeededRandom) => void

const DAMAGES: Readonly<Record<string, Damage>> = {
  'bits flipped'(file, size, random) {
    const at = random.below(size)
    const byte = Buffer.alloc(1)
    readSync(file, byte, 0, 1, at)
    byte.writeUInt8(byte.readUInt8() ^ (1 << random.below(8)))
    writeSync(file, byte, 0, 1, at)
  },
  'pages of zeros'(file, size, random) {
    writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, pageIn(size, random))
  },
  'pages of garbage'(file, size, random) {
    const garbage = Buffer.from(random.hex(2 * PAGE_BYTES), 'hex')
    writeSync(file, garbage, 0, PAGE_BYTES, pageIn(size, random))
  },
  'files cut'(file, size, random) {
    ftruncateSync(file, random.below(size))
  },
}

function pageIn(size: number, random: SeededRandom): number {
  return random.below(Math.ceil(size / PAGE_BYTES)) * PAGE_BYTES
}

export const DAMAGED_DAYS: Kind = {
  name: 'damaged-days',
  promise: 'a damaged day is set aside and named, and can be repaired; all others continue, and nothing wrong is shown',
  rounds: { quick: 2, long: 60 },
  roundsPerScene: 1,
  async runScene(bench) {
    const { random, site } = bench
    await using scene = new Scene(bench)
    await scene.start()
    for (let batches = 0; batches < 10; batches++) await scene.store(scene.traffic.nextBatch(60, DAYS))
    assert.equal(await scene.stop(), 0)
    const { day, path } = random.pick(site.files?.days() ?? [])
    const name = random.pick(Object.keys(DAMAGES))
    damage(path, name, random)
    bench.count(name)

    await scene.start()
    const canBeAltered = name === 'bits flipped'
    const others = { days: [day], canBeAltered }
    await checkOthers(scene.client, scene.ledger, scene.window, others)
    // Live traffic, and all days at once.
    const usable = DAYS.filter((age) => new Date(Date.now() - age * DAY_MS).toISOString().slice(0, 10) !== day)
    await scene.store(scene.traffic.nextBatch(40, usable))
    await scene.tryToStore(scene.traffic.nextBatch(40, DAYS))
    const altered = await checkOthers(scene.client, scene.ledger, scene.window, others)
    if (altered.length > 0) bench.count('events altered by one bit')
    const { exitCode, stdout, stderr } = await site.cli('--json', 'recount')
    const { ok, differences } = JSON.parse(stdout) as { ok: boolean; differences: readonly string[] }
    assert.equal(exitCode, ok ? 0 : 1, stderr)
    if (ok) bench.count('harmless')
    else {
      assert(
        differences.some((line) => line.includes(day)),
        `recount does not name ${day}: ${differences.join('\n')}`,
      )
    }
    // Nothing is wrong in a file that is reported as right, but for what only a checksum would tell.
    if (ok && !canBeAltered) await scene.check()
    for (const aside of (await site.files?.listSetAside()) ?? []) {
      assert.equal(aside, day)
      bench.count('events lost in repairs', await site.files?.repair(day))
      bench.count('days repaired')
      const still = await checkOthers(scene.client, scene.ledger, scene.window, others)
      // Senders that still have their events complete the day.
      await scene.sendAgain()
      if (still.length === 0) await scene.check()
    }
    assert.equal(await scene.stop(), 0)
    bench.onRound()
  },
}

function damage(path: string, name: string, random: SeededRandom): void {
  const file = openSync(path, 'r+')
  DAMAGES[name]?.(file, fstatSync(file).size, random)
  closeSync(file)
}
