/** The systemd unit: valid, hardened, and with the settings that the figures in docs/performance.md assume. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { LAUNCHER } from '../harness/programs/run-cli.ts'
import { serveProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const UNIT = join(ROOT, 'deploy/systemd/envelog.service')
/** Out of 10, times 10: "OK" begins below 50. What is left is the network, and code that V8 compiles at run time. */
const EXPOSURE_MAX = 20

const unit = readFileSync(UNIT, 'utf8')

function analyze(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

describe('deploy/systemd/envelog.service', () => {
  test('is a valid unit', () => {
    using folder = openTemporaryFolder()
    const file = join(folder.path, 'envelog.service')
    // Where this checkout is, and as a user that exists.
    const here = unit.replaceAll('/opt/envelog', ROOT).replaceAll(/^(User|Group)=envelog$/gm, '$1=daemon')
    writeFileSync(file, here)
    const { status, text } = analyze('verify', '--man=no', file)
    // Other units of this machine are loaded with it; what it says about them does not matter here.
    assert.doesNotMatch(text, /envelog/)
    assert.equal(status, 0, text)
  })

  test('is rated as protected', () => {
    const { status, text } = analyze('security', '--offline=true', `--threshold=${EXPOSURE_MAX}`, '--no-pager', UNIT)
    assert.equal(status, 0, text)
    assert.match(text, /Overall exposure level for envelog\.service: [01]\.\d/)
  })

  test('starts the server through bin/envelog, the place of its settings, as npm start does', () => {
    assert.match(unit, /^ExecStart=\/opt\/envelog\/bin\/envelog serve$/m)
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } }
    assert.equal(scripts.start, 'exec bin/envelog serve')
  })
})

describe('bin/envelog serve', () => {
  for (const args of [['serve'], ['serve', '--json'], ['--json', 'serve']]) {
    test(`limits the memory of the server: ${args.join(' ')}`, async () => {
      await using server = await serveProcess({ program: LAUNCHER, args })
      assert.match(read(server.pid, 'cmdline'), /--max-semi-space-size=16/)
      assert.match(read(server.pid, 'environ'), /(^|\0)MALLOC_ARENA_MAX=2\0/)
    })
  }

  test('leaves a setting of the operator alone, and other commands without any', async () => {
    await using server = await serveProcess({ program: LAUNCHER, args: ['serve'], env: { MALLOC_ARENA_MAX: '4' } })
    assert.match(read(server.pid, 'environ'), /(^|\0)MALLOC_ARENA_MAX=4\0/)
    const { stderr } = spawnSync('sh', ['-x', LAUNCHER, '--version'], { encoding: 'utf8' })
    assert.match(stderr, /exec \S+ \S+cli\/main\.ts --version/)
  })
})

function read(pid: number, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8')
}
