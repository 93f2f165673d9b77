/** Files that are missing, exchanged, older or of another installation. Put right again, everything is there. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createTraffic } from '../../harness/log/traffic.ts'
import type { Bench, Kind } from '../lab/bench.ts'
import { checkOthers } from '../lab/check-others.ts'
import { type SiteFiles, TENANTS } from '../lab/engine.ts'
import { LabClient } from '../lab/lab-client.ts'
import { Scene } from '../lab/scene.ts'

const DAYS = [0, 1, 2, 3]

interface Case {
  readonly bench: Bench
  readonly scene: Scene
  readonly files: SiteFiles
}

/** Each leaves the folder as it was. */
const CASES: Readonly<Record<string, (given: Case) => Promise<void>>> = {
  'day missing': async ({ bench, scene, files }) => {
    const { day, path } = bench.random.pick(files.days())
    renameSync(path, `${path}.away`)
    await expectSetAside(scene, [day])
    assert.equal(
      files.days().some((found) => found.day === day),
      false,
      `${day} was made anew`,
    )
    renameSync(`${path}.away`, path)
  },
  'days exchanged': async ({ bench, scene, files }) => {
    const [one, other] = bench.random.pick(pairsOf(files.days()))
    exchange(one.path, other.path)
    await expectSetAside(scene, [one.day, other.day])
    exchange(one.path, other.path)
  },
  'day of another installation': async ({ bench, scene, files }) => {
    const { day, path } = bench.random.pick(files.days())
    const foreign = await makeForeignDay(bench, day)
    renameSync(path, `${path}.away`)
    renameSync(foreign, path)
    await expectSetAside(scene, [day])
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
    rmSync(join(bench.folder, 'foreign-day'), { recursive: true })
    renameSync(`${path}.away`, path)
  },
  'control file missing': async ({ scene, files }) => {
    renameSync(files.control, `${files.control}.away`)
    await assert.rejects(scene.start(), /did not start: envelog: [^\n]*control\.db[^\n]*\n$/, 'refused in a sentence')
    rmSync(files.control, { force: true })
    renameSync(`${files.control}.away`, files.control)
  },
  'control file of another installation': async ({ bench, scene, files }) => {
    const folder = join(bench.folder, 'foreign-control')
    mkdirSync(folder)
    const foreign = await bench.installAnother(folder)
    renameSync(files.control, `${files.control}.away`)
    copyFileSync(foreign.files?.control ?? '', files.control)
    await assert.rejects(scene.start(), /did not start: envelog: [^\n]+\n$/, 'refused in a sentence')
    for (const suffix of ['', '-wal', '-shm']) rmSync(files.control + suffix, { force: true })
    rmSync(folder, { recursive: true })
    renameSync(`${files.control}.away`, files.control)
  },
}

export const LOST_FILES: Kind = {
  name: 'lost-files',
  promise:
    'missing, exchanged, older and foreign files are noticed and named, and no mail is shown under another domain',
  rounds: { quick: 3, long: 30 },
  roundsPerScene: 5,
  async runScene(bench) {
    const { files } = bench.site
    assert(files)
    await using scene = new Scene(bench)
    await scene.start()
    for (let batches = 0; batches < 5; batches++) await scene.store(scene.traffic.nextBatch(60, DAYS))
    assert.equal(await scene.stop(), 0)
    const names = Object.keys(CASES)
    for (let round = 0; round < bench.rounds; round++) {
      const name = names[round % names.length] ?? ''
      await CASES[name]?.({ bench, scene, files })
      await scene.start()
      await scene.check()
      assert.equal(await scene.stop(), 0)
      bench.count(name)
      bench.onRound()
    }
    await scene.finish()
  },
}

/** It serves, shows nothing of these days, stores nothing in them, and says so. */
async function expectSetAside(scene: Scene, days: readonly string[]): Promise<void> {
  await scene.start()
  await checkOthers(scene.client, scene.ledger, scene.window, { days })
  const { exitCode, stdout } = await scene.site.cli('--json', 'recount')
  const { differences } = JSON.parse(stdout) as { differences: readonly string[] }
  assert.equal(exitCode, 1)
  for (const day of days)
    assert(
      differences.some((line) => line.includes(day)),
      `recount does not name ${day}`,
    )
  for (const day of days) {
    // At noon of the day, so that it is of no other.
    const now = Math.floor(Date.parse(`${day}T12:00:00Z`) / 1000)
    const { domains } = TENANTS[0] ?? { domains: [] }
    const batch = createTraffic({ domains, now, firstNumber: 5_000_000 }).nextBatch(2, [0])
    const answer = await scene.client.post(batch)
    assert.equal(answer.status, 503, `events of ${day}: ${await answer.text()}`)
  }
  await checkOthers(scene.client, scene.ledger, scene.window, { days })
  assert.equal(await scene.stop(), 0)
}

export const OLDER_CONTROL: Kind = {
  name: 'older-control',
  promise: 'with a control.db from before a domain was added, the mail of that domain is never shown under another',
  rounds: { quick: 1, long: 5 },
  roundsPerScene: 1,
  async runScene(bench) {
    const { folder, site } = bench
    const control = site.files?.control ?? ''
    await using scene = new Scene(bench)
    const add = async (...args: readonly string[]) => {
      const { exitCode, stderr } = await site.cli('domain', 'add', ...args)
      assert.equal(exitCode, 0, stderr)
    }
    await scene.start()
    await scene.store(scene.traffic.nextBatch(60, DAYS))
    assert.equal(await scene.stop(), 0)
    const older = join(folder, 'older-control')
    copyFileSync(control, older)
    await add('late.test', '--tenant', 'other', '--active')
    await scene.start()
    const now = scene.window.toTimestamp
    await scene.client.ingest(createTraffic({ domains: ['late.test'], now }).nextBatch(20, DAYS))
    assert.equal(await scene.stop(), 0)

    copyFileSync(older, control)
    const refusal = await scene.start().catch((error: unknown) => String(error))
    if (refusal === undefined) {
      await add('early.test', '--tenant', 'acme', '--active')
      const tenants = [{ name: 'acme', domains: ['early.test'] }]
      const client = new LabClient(scene.server.address, site.keys, tenants)
      const [shown] = await client.listAll('early.test')
      assert.equal(shown, undefined, "another tenant's mail")
      assert.equal(await scene.stop(), 0)
    } else assert.match(refusal, /did not start: envelog: [^\n]+\n$/)
    bench.onRound()
  },
}

async function makeForeignDay(bench: Bench, day: string): Promise<string> {
  const folder = join(bench.folder, 'foreign-day')
  mkdirSync(folder)
  const site = await bench.installAnother(folder)
  await using server = await site.start()
  const now = Math.floor(Date.parse(`${day}T12:00:00Z`) / 1000)
  const domains = TENANTS.flatMap((tenant) => tenant.domains)
  await new LabClient(server.address, site.keys).ingest(
    createTraffic({ domains, now, firstNumber: 7_000_000 }).nextBatch(60, [0]),
  )
  await server.stop()
  const found = site.files?.days().find((file) => file.day === day)
  assert(found)
  return found.path
}

function exchange(one: string, other: string): void {
  renameSync(one, `${one}.away`)
  renameSync(other, one)
  renameSync(`${one}.away`, other)
}

function pairsOf<T>(items: readonly T[]): readonly (readonly [T, T])[] {
  return items.flatMap((one, index) => items.slice(index + 1).map((other) => [one, other] as const))
}
