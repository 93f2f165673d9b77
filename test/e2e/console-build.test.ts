/** The first start builds the console; without the packages for it, the server says how to build it and serves the rest. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { VERSION } from '../../src/lib/version.ts'
import { cleanEnvironment } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Nearly all of the time of a build goes into compressing every page of every document three times: these few are built like all others. */
const DOCUMENTS = [join(ROOT, 'docs'), join(ROOT, 'docs/README.md'), join(ROOT, 'docs/errors.md')]

/** As after a clone and `npm ci`, but with fewer documents: nothing is built. `without` leaves out packages. */
function openClone({ without = [] }: { readonly without?: readonly string[] } = {}) {
  const folder = openTemporaryFolder()
  const clone = join(folder.path, 'clone')
  for (const name of [
    'src',
    'integrations',
    'scripts',
    'console',
    'docs',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ]) {
    cpSync(join(ROOT, name), join(clone, name), {
      recursive: true,
      filter: (path) => path !== join(ROOT, 'console/dist') && (name !== 'docs' || DOCUMENTS.includes(path)),
    })
  }
  mkdirSync(join(clone, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!without.includes(name)) symlinkSync(join(ROOT, 'node_modules', name), join(clone, 'node_modules', name))
  }
  return {
    clone,
    builds: () => readdirSync(join(clone, 'console/dist')),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

async function runBuild(clone: string): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const child = spawn(process.execPath, [join(clone, 'scripts/build-console.ts')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number | null]>])
  return { code, stderr }
}

/** Starts a server there, sends requests, and stops it. */
async function askServer(clone: string, paths: readonly string[]) {
  const child = spawn(process.execPath, [join(clone, 'src/main.ts')], {
    cwd: clone,
    env: { ...cleanEnvironment(), ENVELOG_PORT: '0', ENVELOG_DATA_DIR: join(clone, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const logs = text(child.stderr)
  try {
    let output = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      output += String(chunk)
      if (/listens on \S+\n/.test(output)) break
    }
    const [, address = ''] = /listens on (\S+)\n/.exec(output) ?? []
    const bodies = await Promise.all(paths.map(async (path) => (await fetch(`${address}${path}`)).text()))
    child.kill('SIGTERM')
    return { bodies, logs: await logs }
  } finally {
    kill()
    process.off('exit', kill)
  }
}

test('the first start builds the console, the next one reuses it, and one after a change builds it again', async () => {
  using folder = openClone()
  const first = await askServer(folder.clone, ['/', '/docs/guide'])
  assert.match(first.bodies[0] ?? '', /<div id="root">/)
  assert.match(first.bodies[1] ?? '', /<h1 id="documentation">/)
  assert.match(first.logs, /building the console/)
  const built = folder.builds()
  assert.equal(built.length, 1)

  const second = await askServer(folder.clone, ['/log'])
  assert.equal(second.bodies[0], first.bodies[0])
  assert.doesNotMatch(second.logs, /building the console/)

  writeFileSync(join(folder.clone, 'console/src/styles/base.css'), 'body { margin: 0 }')
  const third = await askServer(folder.clone, ['/'])
  assert.match(third.logs, /building the console/)
  assert.notDeepEqual(folder.builds(), built)
  assert.equal(folder.builds().length, 1, 'the old build is removed')
})

/** Of the second test, for the last: a build takes long. */
const builtTwice = openClone()
after(() => builtTwice[Symbol.dispose]())

test('two builds at the same time do not disturb each other', async () => {
  const folder = builtTwice
  const results = await Promise.all([runBuild(folder.clone), runBuild(folder.clone)])
  assert.deepEqual(
    results.map(({ code }) => code),
    [0, 0],
    results.map(({ stderr }) => stderr).join(),
  )
  assert.equal(folder.builds().length, 1)
})

test('without the packages for the build, the server says how to build the console and serves the rest', async () => {
  using folder = openClone({ without: ['vite'] })
  const { bodies, logs } = await askServer(folder.clone, ['/', '/healthz', '/docs/guide'])
  assert.match(bodies[0] ?? '', /npm run build/)
  assert.match(bodies[2] ?? '', /npm run build/)
  assert.equal(bodies[1], `{"status":"ok","version":"${VERSION}"}`)
  assert.match(logs, /the console could not be built; run `npm ci` and `npm run build`/)
  assert.match(logs, /"reason":"[^"]*Cannot find [^"]*vite/)
})

test('an existing build is served if a newer one cannot be made', async () => {
  using folder = openClone({ without: ['vite'] })
  // Instantly, if the test above has run.
  assert.equal((await runBuild(builtTwice.clone)).code, 0)
  renameSync(join(builtTwice.clone, 'console/dist'), join(folder.clone, 'console/dist'))
  writeFileSync(join(folder.clone, 'console/src/styles/base.css'), 'body { margin: 0 }')
  const { bodies, logs } = await askServer(folder.clone, ['/'])
  assert.match(bodies[0] ?? '', /<div id="root">/)
  assert.match(logs, /could not be built/)
})
