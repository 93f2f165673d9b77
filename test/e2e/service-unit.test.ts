/** The systemd units: valid, hardened, and with the settings that the figures in docs/performance.md assume. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { toInstalledUnit } from '../../scripts/package/debian-package.ts'
import { CHECKOUT_LAUNCHER } from '../harness/programs/program-files.ts'
import { serveProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'deploy/systemd')
/** The file, and the name of a unit made of it. */
const UNITS = [
  ['envelog.service', 'envelog.service'],
  ['envelog@.service', 'envelog@8025.service'],
] as const
/** Out of 10, times 10: "OK" begins below 50. What is left is the network, and code that V8 compiles at run time. */
const EXPOSURE_MAX = 20

function analyze(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

for (const [file, name] of UNITS) {
  describe(`deploy/systemd/${file}`, () => {
    const unit = readFileSync(join(FOLDER, file), 'utf8')

    test('is a valid unit', () => {
      using folder = openTemporaryFolder()
      const path = join(folder.path, name)
      // Where this checkout is, and as a user that exists.
      const here = unit.replaceAll('/opt/envelog', ROOT).replaceAll(/^(User|Group)=envelog$/gm, '$1=daemon')
      writeFileSync(path, here)
      const { status, text } = analyze('verify', '--man=no', path)
      // Other units of this machine are loaded with it; what it says about them does not matter here.
      assert.doesNotMatch(text, /envelog/)
      assert.equal(status, 0, text)
    })

    test('is rated as protected', () => {
      using folder = openTemporaryFolder()
      const path = join(folder.path, name)
      writeFileSync(path, unit)
      const { status, text } = analyze('security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, '--no-pager', path)
      assert.equal(status, 0, text)
      assert.match(text, /Overall exposure level for envelog(@8025)?\.service: [01]\.\d/)
    })

    test('allows threads to lower their priority, as those that copy and check do', () => {
      assert.match(unit, /^SystemCallFilter=~@privileged @resources\n(#.*\n)*SystemCallFilter=setpriority$/m)
    })

    test('starts the server through bin/envelog, the place of its settings, as npm start does', () => {
      assert.match(unit, /^ExecStart=\/opt\/envelog\/bin\/envelog serve$/m)
      const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
      assert.equal(scripts.start, 'exec bin/envelog serve')
    })
  })
}

test('the unit of the Debian package is that of a checkout, with other places', () => {
  const own = readFileSync(join(FOLDER, 'envelog.service'), 'utf8').split('\n')
  const packaged = toInstalledUnit(own.join('\n')).split('\n')
  const changed = packaged.filter((line) => !line.startsWith('#') && !own.includes(line))
  assert.deepEqual(changed, [
    'Documentation=file:///usr/lib/envelog/docs/operations.md',
    'WorkingDirectory=/var/lib/envelog',
    'ExecStart=/usr/lib/envelog/bin/envelog serve',
    'Environment=ENVELOG_ENV_FILE=/etc/envelog/envelog.env',
  ])
  assert.doesNotMatch(packaged.join('\n'), /\/opt|checkout|npm/)
})

test('the unit for several servers is hardened as the one for a single server is', () => {
  const [single, several] = UNITS.map(([file]) => readFileSync(join(FOLDER, file), 'utf8').split('\n'))
  const own = /^(#|Description=|Documentation=|Environment=|LoadCredential=|StateDirectory=)/
  const rest = (lines: readonly string[] = []) => lines.filter((line) => line !== '' && !own.test(line))
  assert.deepEqual(rest(several), rest(single))
})

describe('bin/envelog serve', () => {
  for (const args of [['serve'], ['serve', '--json'], ['--json', 'serve']]) {
    test(`limits the memory of the server: ${args.join(' ')}`, async () => {
      await using server = await serveProcess({ program: CHECKOUT_LAUNCHER, args })
      assert.match(read(server.pid, 'cmdline'), /--max-semi-space-size=16/)
      assert.match(read(server.pid, 'environ'), /(^|\0)MALLOC_ARENA_MAX=2\0/)
    })
  }

  test('leaves a setting of the operator alone, and other commands without any', async () => {
    await using server = await serveProcess({
      program: CHECKOUT_LAUNCHER,
      args: ['serve'],
      env: { MALLOC_ARENA_MAX: '4' },
    })
    assert.match(read(server.pid, 'environ'), /(^|\0)MALLOC_ARENA_MAX=4\0/)
    const { stderr } = spawnSync('sh', ['-x', CHECKOUT_LAUNCHER, '--version'], { encoding: 'utf8' })
    assert.match(stderr, /exec \S+ \S+cli\/main\.ts --version/)
  })
})

function read(pid: number, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8')
}
