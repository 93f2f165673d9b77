/** The fault layer under a small program, the Node of the lockfile: what it lets survive, what it breaks. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSeededRandom } from '../../../src/lib/seeded-random.ts'
import { openTemporaryFolder } from '../../harness/temporary-folder.ts'
import { EIO, ENOSPC, type Fault, FaultLayer, KILL } from './fault-layer.ts'
import { EVERYTHING, losePower } from './lose-power.ts'

const SECTOR = 512

interface Subject extends Disposable {
  readonly layer: FaultLayer
  readonly root: string
  path(name: string): string
  read(name: string): string | undefined
  /** Runs the code in the folder, with `fs`; returns what it printed. */
  run(code: string): { readonly stdout: string; readonly signal: string | null }
  losePower(seed?: number): void
}

/** What a program that ends without a word leaves. */
const DIES = "process.kill(process.pid, 'SIGKILL')"

function openSubject(): Subject {
  const folder = openTemporaryFolder()
  const root = join(folder.path, 'data')
  const journal = join(folder.path, 'journal')
  mkdirSync(root)
  mkdirSync(journal)
  const layer = new FaultLayer(folder.path, { root, journal })
  const path = (name: string) => join(root, name)
  return {
    layer,
    root,
    path,
    read: (name) => (existsSync(path(name)) ? readFileSync(path(name), 'latin1') : undefined),
    run(code) {
      const program = `const fs = require('node:fs'); (async () => { ${code} })()`
      const env = { ...process.env, ...layer.env }
      const { stdout, stderr, signal } = spawnSync(process.execPath, ['-e', program], {
        cwd: root,
        env,
        encoding: 'utf8',
      })
      assert.equal(stderr, '')
      return { stdout, signal }
    },
    losePower(seed) {
      const random = createSeededRandom(seed ?? 1)
      losePower({ root, journal, ...(seed === undefined && { extents: EVERYTHING }) }, random)
    },
    [Symbol.dispose]() {
      layer[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}

test('synced bytes survive, later ones do not, however they were written', () => {
  using subject = openSubject()
  writeFileSync(subject.path('sync'), 'before')
  writeFileSync(subject.path('pool'), 'before')
  writeFileSync(subject.path('data'), 'before')
  subject.run(`
    const file = fs.openSync('sync', 'r+')
    fs.writeSync(file, 'durable', 0)
    fs.fsyncSync(file)
    fs.writeSync(file, 'LOST', 2)
    fs.writeSync(file, 'and more', 7)
    const pool = await fs.promises.open('pool', 'a')
    await pool.appendFile(' durable')
    await pool.datasync()
    await pool.writev([Buffer.from('lost'), Buffer.from('lost')])
    await pool.truncate(3)
    fs.writeFileSync('data', 'durable', { flush: true })
    fs.writeFileSync('data', 'lost')
    ${DIES}`)
  assert.equal(subject.read('sync'), 'duLOSTeand more')
  subject.losePower()
  assert.equal(subject.read('sync'), 'durable')
  assert.equal(subject.read('pool'), 'before durable')
  assert.equal(subject.read('data'), 'durable')
})

test('names survive only if their folder was synced', () => {
  using subject = openSubject()
  for (const name of ['renamed', 'replaced', 'removed']) writeFileSync(subject.path(name), name)
  subject.run(`
    const syncFolder = () => { const folder = fs.openSync('.', 'r'); fs.fsyncSync(folder); fs.closeSync(folder) }
    fs.writeFileSync('kept', 'kept', { flush: true })
    fs.mkdirSync('folder')
    syncFolder()
    fs.writeFileSync('new', 'new', { flush: true })
    fs.writeFileSync('folder/new', 'new', { flush: true })
    fs.renameSync('renamed', 'replaced')
    await fs.promises.rm('removed')
    fs.mkdirSync('later')
    ${DIES}`)
  subject.losePower()
  const names = ['kept', 'folder', 'new', 'folder/new', 'later'].map((name) => existsSync(subject.path(name)))
  assert.deepEqual(names, [true, true, false, false, false])
  for (const name of ['renamed', 'replaced', 'removed']) assert.equal(subject.read(name), name)
})

test('of bytes that were not synced any sectors may survive, in any version, and the file may have any of its sizes', () => {
  const seen = new Set<string>()
  const sizes = new Set<number>()
  for (let seed = 1; seed <= 25; seed++) {
    using subject = openSubject()
    writeFileSync(subject.path('file'), '0'.repeat(2 * SECTOR))
    subject.run(`
      const file = fs.openSync('file', 'r+')
      for (const digit of '12') fs.writeSync(file, digit.repeat(${3 * SECTOR}), 0)
      ${DIES}`)
    subject.losePower(seed)
    const content = subject.read('file') ?? ''
    sizes.add(content.length / SECTOR)
    const sectors = content.match(new RegExp(`.{${SECTOR}}`, 'gs')) ?? []
    for (const sector of sectors) assert.match(sector, /^(.)\1*$/s)
    seen.add(sectors.map(([digit]) => (digit === '\0' ? 'z' : digit)).join(''))
  }
  assert.deepEqual(sizes, new Set([2, 3]))
  assert(seen.has('00') && seen.has('222'), 'nothing or everything')
  assert(
    [...seen].some((text) => /^(?!00|222)[0-2]{2}/.test(text)),
    'something between',
  )
  assert(
    [...seen].some((text) => text.length === 3 && text.endsWith('z')),
    'a sector that was never written',
  )
})

test('a disk that ignores syncs keeps nothing', () => {
  using subject = openSubject()
  writeFileSync(subject.path('file'), 'before')
  subject.layer.ignoresSync = true
  subject.run(`fs.writeFileSync('file', 'after', { flush: true }); ${DIES}`)
  subject.losePower()
  assert.equal(subject.read('file'), 'before')
})

const TRY = `const tried = (work) => { try { work(); return 'done' } catch (error) { return error.code } };`

const ERRORS: readonly (readonly [string, Fault, string, string])[] = [
  ['once', { ops: ['write'], error: ENOSPC, nth: 2 }, 'a a a', 'done ENOSPC done'],
  ['from then on', { ops: ['write'], error: EIO, nth: 2, isPermanent: true }, 'a a a', 'done EIO EIO'],
  ['for some files', { ops: ['write'], error: EIO, nth: 1, isPermanent: true, match: '/b' }, 'a b a', 'done EIO done'],
  ['for another operation', { ops: ['sync'], error: EIO, nth: 1, isPermanent: true }, 'a', 'done'],
]

for (const [name, fault, files, outcome] of ERRORS) {
  test(`errors ${name}`, () => {
    using subject = openSubject()
    for (const file of ['a', 'b']) writeFileSync(subject.path(file), '')
    subject.layer.arm(fault)
    const { stdout } = subject.run(`${TRY}
      console.log(${JSON.stringify(files.split(' '))}.map((name) => tried(() => fs.appendFileSync(name, 'x'))).join(' '))`)
    assert.equal(stdout.trim(), outcome)
    assert.equal(subject.layer.fired, outcome.split(' ').filter((word) => word !== 'done').length)
  })
}

test('every operation on files can fail, and is counted', () => {
  const operations = {
    read: "fs.readFileSync('file')",
    write: "fs.writeSync(fs.openSync('file', 'r+'), 'x')",
    sync: "fs.fdatasyncSync(fs.openSync('file', 'r+'))",
    create: "fs.openSync('new', 'w')",
    rename: "fs.renameSync('file', 'other')",
    unlink: "fs.unlinkSync('file')",
    truncate: "fs.truncateSync('file', 1)",
  } as const
  for (const [op, code] of Object.entries(operations) as [keyof typeof operations, string][]) {
    using subject = openSubject()
    writeFileSync(subject.path('file'), 'content')
    subject.layer.arm({ ops: [op], error: EIO, nth: 1 })
    assert.equal(subject.run(`${TRY} console.log(tried(() => ${code}))`).stdout.trim(), 'EIO', op)
    assert.equal(subject.layer.count(op), 1, op)
    assert.equal(subject.read('file'), 'content')
  }
})

test('the program is killed before the nth operation', () => {
  using subject = openSubject()
  subject.layer.arm({ ops: ['write'], error: KILL, nth: 3 })
  const { signal } = subject.run("for (let n = 1; n < 9; n++) fs.appendFileSync('file', String(n))")
  assert.equal(signal, 'SIGKILL')
  assert.equal(subject.read('file'), '12')
})

test('the wall clock differs, and timers do not notice', () => {
  using subject = openSubject()
  const days = (stdout: string) => Math.round((Number(stdout) - Date.now()) / 86_400_000) + 0
  const program = 'setTimeout(() => console.log(Date.now()), 10)'
  assert.equal(days(subject.run(program).stdout), 0)
  for (const offset of [400, -400]) {
    subject.layer.clockOffsetMs = offset * 86_400_000
    assert.equal(days(subject.run(program).stdout), offset)
  }
})
