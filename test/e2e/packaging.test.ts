/** The packages, made from this checkout and installed in minimal Debians, by the commands of docs/install.md. */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { OPTION_LIST } from '../../src/config/options.ts'
import { VERSION } from '../../src/lib/version.ts'
import { DebianRoot } from '../harness/debian-root.ts'
import { readDocument } from '../harness/documents.ts'
import { findFreePort } from '../harness/free-port.ts'
import { runCli } from '../harness/programs/run-cli.ts'
import { cleanEnvironment } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
/** npx installs the package before it starts. */
const START_TIMEOUT_MS = 300_000
const run = promisify(execFile)
const [npmCommands = '', npxCommands = '', debianCommands = '', containerCommands = ''] =
  readDocument('docs/install.md').blocks

const folder = openTemporaryFolder()
after(() => folder[Symbol.dispose]())

/** Only root can change the root folder of a process. */
const skip = process.getuid?.() === 0 ? false : 'not root'

/** Without Node, and never changed. */
let empty: DebianRoot
const npmPackage = join(folder.path, `envelog-${VERSION}.tgz`)
before(async () => {
  if (skip !== false) return
  empty = DebianRoot.make(join(folder.path, 'empty'), ['passwd', 'libstdc++6'])
  await run('npm', ['run', '--silent', 'package', folder.path], { cwd: ROOT })
})

test('each way takes at most five commands', () => {
  for (const commands of [npmCommands, npxCommands, debianCommands, containerCommands]) {
    const lines = commands.trimEnd().split('\n')
    assert.ok(lines.length > 1 && lines.length <= 5, commands)
    assert.match(commands, /\bsetup acme\.test > keys$/m)
    assert.match(commands, /^echo '\{"id": "first"/m)
  }
})

/** The end of each way: the key that was printed opens the console, which shows the first event. */
async function requireFirstEvent(address: string, keys: string): Promise<void> {
  await untilServed(address)
  const page = await fetch(`${address}/`, { headers: { accept: 'text/html' } })
  assert.match(await page.text(), /<script type="module"/)
  assert.match(await (await fetch(`${address}/docs/guide/operations`)).text(), /<h1[^>]*>Running Envelog/)
  const [, key = ''] = /^KEY=(.+)$/m.exec(keys) ?? []
  const signedIn = await fetch(`${address}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify({ key }),
  })
  assert.equal(signedIn.status, 200, await signedIn.clone().text())
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const events = await fetch(`${address}/v1/events`, { headers: { cookie } })
  assert.match(await events.text(), /"id":"first"/)
}

async function untilServed(address: string, server?: ReturnType<typeof startGroup>): Promise<void> {
  const end = performance.now() + START_TIMEOUT_MS
  let isRunning = true
  void server?.exited.then(() => {
    isRunning = false
  })
  for (;;) {
    const isServed = await fetch(`${address}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isServed) return
    assert.ok(isRunning && performance.now() < end, `no server at ${address}\n${server?.errors()}`)
    await delay(100)
  }
}

/** A process and all that it has started. */
function startGroup(program: string, args: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn(program, args, { ...options, detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  return {
    exited: once(child, 'exit').then(([code]: (number | null)[]) => code),
    errors: () => errors,
    [Symbol.dispose]: () => {
      try {
        process.kill(-(child.pid ?? Number.NaN), 'SIGKILL')
      } catch {
        // All have ended.
      }
    },
  }
}

describe('the npm package', { skip }, () => {
  let debian: DebianRoot
  let installed: string
  let launcher: string
  /** Only this Node: the package must do without that of the checkout. */
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` }
  /** Of a new user whose npm asks the registry that this machine asks. */
  let npm: Record<string, string>
  const start = async (commands: string, home: string) => {
    const port = await findFreePort()
    mkdirSync(join(debian.path, home))
    execFileSync('cp', [npmPackage, join(debian.path, home)])
    const group = startGroup('/usr/sbin/chroot', [debian.path, 'sh', '-e', '-c', `cd /${home}\n${commands}`], {
      cwd: '/',
      env: { ...npm, PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/root', ENVELOG_PORT: String(port) },
    })
    return {
      group,
      address: `http://127.0.0.1:${port}`,
      keys: () => readFileSync(join(debian.path, home, 'keys'), 'utf8'),
    }
  }

  before(async () => {
    debian = empty.copy(join(folder.path, 'with-node'))
    installed = join(debian.path, 'usr/local/lib/node_modules/envelog')
    launcher = join(debian.path, 'usr/local/bin/envelog')
    const setting = async (name: string) => (await run('npm', ['config', 'get', name], { cwd: ROOT })).stdout.trim()
    const { stdout } = await run('npm', ['pack', '--silent', '--prefer-offline', 'npm@11'], { cwd: folder.path })
    debian.addNode(join(folder.path, stdout.trim()), await setting('cache'))
    const certificates = await setting('cafile')
    npm = {
      npm_config_registry: await setting('registry'),
      npm_config_prefer_offline: 'true',
      ...(certificates !== 'null' && { npm_config_cafile: '/etc/ssl/certs/ca-certificates.crt' }),
    }
  })

  test('leads to a console with a first event without being installed, by the commands of docs/install.md', async () => {
    const { group, address, keys } = await start(npxCommands, 'npx')
    using commands = group
    await untilServed(address, commands)
    await requireFirstEvent(address, keys())
  })

  test('leads to a console with a first event, by the commands of docs/install.md', async () => {
    const { group, address, keys } = await start(npmCommands, 'global')
    using commands = group
    assert.equal(await commands.exited, 0, commands.errors())
    await requireFirstEvent(address, keys())
  })

  test('contains the program as JavaScript and the console, and no tests, benchmarks or TypeScript', () => {
    const files = globSync('**/*', { cwd: installed, exclude: (name) => name === 'node_modules' })
    for (const needed of ['dist/main.js', 'dist/cli/main.js', 'bin/envelog', 'README.md', 'LICENSE']) {
      assert.ok(files.includes(needed), needed)
    }
    assert.ok(files.some((file) => /^console\/dist\/[0-9a-f]+\/index\.html$/.test(file)))
    assert.ok(files.some((file) => /migrations\/0001_\w+\.sql$/.test(file)))
    assert.deepEqual(
      files.filter((file) => /\.tsx?$|testdata|\.test\.|^(test|scripts|src)\b|^bench\/.*\.json$/.test(file)),
      [],
    )
  })

  test('contains every file that its documents link to', () => {
    const documents = globSync('**/*.md', { cwd: installed, exclude: (name) => name === 'node_modules' })
    assert.ok(documents.includes('README.md') && documents.includes('docs/install.md'))
    const missing = documents.flatMap((path) =>
      [...readFileSync(join(installed, path), 'utf8').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .filter(([, link = '']) => !link.includes(':') && !existsSync(join(installed, dirname(path), link)))
        .map(([, link]) => `${path}: ${link}`),
    )
    assert.deepEqual(missing, [])
  })

  test('names its command as it is typed', async () => {
    const { stdout, stderr } = await runCli(['key', 'create', '--tenant', 'nobody'], {
      cwd: join(debian.path, 'global'),
      launcher,
      env,
    })
    assert.match(stdout + stderr, /Create it with: envelog tenant create "nobody"/)
    const help = await runCli(['--help'], { cwd: join(debian.path, 'global'), launcher, env })
    assert.doesNotMatch(help.stdout, /bin\/envelog/)
    const texts = globSync('dist/**/*.js', { cwd: installed }).filter((file) =>
      readFileSync(join(installed, file), 'utf8').includes('bin/envelog'),
    )
    assert.deepEqual(texts.sort(), ['dist/config/describe-options.js', 'dist/lib/program-name.js'])
  })

  test('of the client can be imported, and has types', async () => {
    const other = join(folder.path, 'other')
    mkdirSync(other)
    const tarball = join(folder.path, `envelog-client-${VERSION}.tgz`)
    await run('npm', ['install', '--silent', '--prefix', other, tarball], { cwd: other })
    const script =
      "import { EnvelogClient } from 'envelog-client'; console.log(typeof new EnvelogClient({ url: '', key: '' }).call)"
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: other })
    assert.equal(stdout, 'function\n')
    assert.ok(existsSync(join(other, 'node_modules/envelog-client/dist/index.d.ts')))
  })

  test('names what is missing on a machine with an older Node', async () => {
    // As --omit=optional leaves it.
    for (const path of globSync('node_modules/node-linux-*', { cwd: installed })) {
      rmSync(join(installed, path), { recursive: true })
    }
    const older = join(folder.path, 'older')
    mkdirSync(older)
    writeFileSync(join(older, 'node'), '#!/bin/sh\n[ "$1" = --version ] && echo v22.1.0 && exit\nexit 1\n', {
      mode: 0o755,
    })
    for (const tool of ['sh', 'dirname', 'readlink'])
      symlinkSync(execFileSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim(), join(older, tool))
    const { exitCode, stderr } = await runCli(['--version'], { cwd: folder.path, launcher, env: { PATH: older } })
    assert.equal(exitCode, 1)
    assert.match(stderr, /needs Node 24\.16 or newer; on the PATH: v22\.1\.0/)
  })
})

describe('the Debian package', { skip }, () => {
  let debian: DebianRoot
  let file: string
  let foreign: string
  let address: string
  const [own, other] = process.arch === 'x64' ? ['amd64', 'arm64'] : ['arm64', 'amd64']
  const unpacked = join(folder.path, 'unpacked')
  const at = (path: string) => join(debian.path, path)
  const dpkg = (...args: readonly string[]) => {
    const { status, stdout, stderr } = debian.run(['dpkg', ...args])
    assert.equal(status, 0, stdout + stderr)
    return stdout + stderr
  }
  /** As systemd would. */
  const startService = () => {
    const unit = readFileSync(at('usr/lib/systemd/system/envelog.service'), 'utf8')
    const settingOf = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1] ?? ''
    const environment = [...unit.matchAll(/^Environment=(.+)$/gm)].map(([, setting = '']) => setting)
    return startGroup(
      'chroot',
      [
        `--userspec=${settingOf('User')}:${settingOf('Group')}`,
        debian.path,
        'env',
        '-i',
        'PATH=/usr/bin',
        ...environment,
        ...settingOf('ExecStart').split(' '),
      ],
      { cwd: '/', env: cleanEnvironment() },
    )
  }

  before(async () => {
    debian = empty.copy(join(folder.path, 'debian'))
    // Packed once: the image packs it again, by the command of the Dockerfile.
    const options = ['--', '--program', npmPackage, '--arch', own ?? '', '--arch', other ?? '']
    const made = await run('npm', ['run', '--silent', 'package:deb', folder.path, ...options], { cwd: ROOT })
    ;[file = '', foreign = ''] = made.stdout.trim().split('\n')
    address = `http://127.0.0.1:${await findFreePort()}`
  })

  test('leads to a console with a first event, by the commands of docs/install.md', async () => {
    const [install = '', ...rest] = debianCommands.trimEnd().split('\n')
    execFileSync('cp', [file, at('root')])
    const { status, stdout, stderr } = debian.run(['sh', '-e', '-c', `cd /root; ${install}`])
    assert.equal(status, 0, stdout + stderr)
    assert.ok(lstatSync(at('etc/systemd/system/multi-user.target.wants/envelog.service')).isSymbolicLink())
    const config = at('etc/envelog/envelog.env')
    assert.equal(statSync(config).mode & 0o777, 0o640)
    writeFileSync(config, `ENVELOG_PORT=${new URL(address).port}\n`, { flag: 'a' })
    using service = startService()
    await untilServed(address, service)
    const first = debian.run(['sh', '-e', '-c', `cd /root; ${rest.join('\n')}`])
    assert.equal(first.status, 0, first.stderr)
    await requireFirstEvent(address, readFileSync(at('root/keys'), 'utf8'))
    const owners = new Set(
      globSync('**/*', { cwd: at('var/lib/envelog') }).map((path) => statSync(at(join('var/lib/envelog', path))).uid),
    )
    assert.deepEqual([...owners], [statSync(at('var/lib/envelog')).uid], 'commands of root run as the service')
    assert.notEqual(statSync(at('var/lib/envelog')).uid, 0)
  })

  test('of the other architecture has its Node, the same files otherwise, and nothing that runs only here', () => {
    assert.equal(basename(foreign), `envelog_${VERSION}_${other}.deb`)
    const fields = (deb: string) => execFileSync('dpkg-deb', ['--field', deb], { encoding: 'utf8' })
    assert.match(fields(foreign), new RegExp(`^Package: envelog\nVersion: ${VERSION}\nArchitecture: ${other}$`, 'm'))
    assert.match(fields(foreign), /^Installed-Size: \d{5,}$/m)
    const dependencies = (deb: string) => /^Depends: .+$/m.exec(fields(deb))?.[0]
    assert.ok(dependencies(foreign) !== undefined && dependencies(foreign) === dependencies(file))
    const listed = (deb: string) =>
      execFileSync('sh', ['-c', 'dpkg-deb --fsys-tarfile "$0" | tar -t', deb], {
        encoding: 'utf8',
        maxBuffer: 2 ** 26,
      }).replaceAll(/node-linux-\w+/g, 'node-linux')
    assert.equal(listed(foreign), listed(file))
    const folderOf = join(folder.path, 'foreign')
    execFileSync('dpkg-deb', ['--extract', foreign, folderOf])
    const programs = globSync('**/*', { cwd: folderOf, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .flatMap((path) => {
        const machine = machineOf(path)
        return machine === undefined ? [] : [`${path.slice(folderOf.length)} ${machine}`]
      })
    const node = `/usr/lib/envelog/node_modules/node-linux-${other === 'amd64' ? 'x64' : 'arm64'}/bin/node`
    assert.deepEqual(programs, [`${node} ${other}`])
    rmSync(folderOf, { recursive: true })
  })

  test('keeps configuration and data in an upgrade', async () => {
    execFileSync('dpkg-deb', ['--raw-extract', file, unpacked])
    const control = join(unpacked, 'DEBIAN/control')
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, '$&+next'))
    writeFileSync(join(unpacked, 'etc/envelog/envelog.env'), '# a newer default\n', { flag: 'a' })
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', unpacked, at('root/next.deb')])
    const [, check = ''] = /`(dpkg-deb --extract [^`]+)`/.exec(readDocument('docs/install.md').text) ?? []
    const plan = debian.run(['sh', '-e', '-c', check.replace('FILE.deb', '/root/next.deb')])
    assert.match(plan.stdout, /^\/var\/lib\/envelog: 2 files.*Nothing to migrate/s, plan.stderr)
    dpkg('--force-confold', '--install', '/root/next.deb')
    using service = startService()
    await untilServed(address, service)
    await requireFirstEvent(address, readFileSync(at('root/keys'), 'utf8'))
  })

  test('keeps configuration and data when it is removed, and the data when it is purged', () => {
    dpkg('--remove', 'envelog')
    assert.ok(!existsSync(at('usr/lib/envelog')) && !existsSync(at('usr/bin/envelog')))
    assert.ok(existsSync(at('etc/envelog/envelog.env')))
    assert.match(dpkg('--purge', 'envelog'), /in \/var\/lib\/envelog are kept/)
    assert.ok(!existsSync(at('etc/envelog')))
    assert.ok(existsSync(at('var/lib/envelog/control.db')))
    assert.deepEqual(globSync('etc/systemd/system/**/envelog*', { cwd: debian.path }), [])
  })

  test('deletes the data with the package on request', () => {
    // Without the program, which is not needed for it.
    rmSync(join(unpacked, 'usr/lib/envelog'), { recursive: true })
    execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', unpacked, at('root/next.deb')])
    dpkg('--install', '/root/next.deb')
    assert.ok(existsSync(at('var/lib/envelog/control.db')))
    writeFileSync(at('var/lib/envelog/delete-on-purge'), '')
    dpkg('--purge', 'envelog')
    assert.ok(!existsSync(at('var/lib/envelog')))
  })
})

describe('the container image', { skip }, () => {
  const image = join(folder.path, 'image')
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', '')
  const instruction = (name: string) => new RegExp(`^${name} (.+)$`, 'm').exec(dockerfile)?.[1] ?? ''
  const commandOf = (text: string) => JSON.parse(text.slice(text.indexOf('['))) as readonly string[]
  const user = `--userspec=${instruction('USER')}`
  let env: Record<string, string>
  let address: string
  const execute = (command: readonly string[], input = '') =>
    spawnSync('/usr/sbin/chroot', [user, image, ...command], { env, input, encoding: 'utf8' })

  before(async () => {
    await run('npm', ['run', '--silent', 'package:image', image], { cwd: ROOT })
    const [, owner = ''] = /--chown=(\S+) \/data /.exec(dockerfile) ?? []
    const [, dataFolder = ''] = /mv \/image(\S+) \/data\/$/m.exec(dockerfile) ?? []
    execFileSync('chown', [owner, join(image, dataFolder)])
    const port = String(await findFreePort())
    address = `http://127.0.0.1:${port}`
    const set = instruction('ENV').trim().split(/\s+/)
    env = { ...Object.fromEntries(set.map((setting) => setting.split('=') as [string, string])), ENVELOG_PORT: port }
  })

  test('has no shell, and nothing that its user can change except the data', () => {
    const programs = globSync('{bin,sbin,usr/bin,usr/sbin}/*', { cwd: image })
    assert.deepEqual(programs.sort(), ['usr/bin/envelog', 'usr/bin/node'])
    const uid = Number(instruction('USER').split(':')[0])
    const own = globSync('**/*', { cwd: image }).filter((path) => lstatSync(join(image, path)).uid === uid)
    assert.deepEqual(own, ['var/lib/envelog'])
    const modes = ['', 'var/lib', 'var/lib/envelog', 'tmp'].map((path) => statSync(join(image, path)).mode & 0o7777)
    assert.deepEqual(modes, [0o755, 0o755, 0o700, 0o1777])
  })

  test('serves, is healthy and runs commands, as Dockerfile and compose.yml say', async () => {
    const start = [...commandOf(instruction('ENTRYPOINT')), ...commandOf(instruction('CMD'))]
    using server = startGroup('/usr/sbin/chroot', [user, image, ...start], { cwd: '/', env })
    await untilServed(address, server)
    const check = commandOf(instruction('HEALTHCHECK')).map((word) => word.replace(':8025', `:${env['ENVELOG_PORT']}`))
    assert.equal(execute(check).status, 0)
    const [, ...commands] = containerCommands.trimEnd().split('\n')
    // The engine's part of a command is done by chroot here.
    const inside = commands
      .join('\n')
      .replaceAll(/docker compose exec (?:--no-TTY )?envelog /g, `chroot ${user} ${image} `)
    assert.doesNotMatch(inside, /docker/)
    const first = spawnSync('sh', ['-e', '-c', inside], {
      cwd: folder.path,
      env: { ...env, PATH: '/usr/sbin:/usr/bin:/bin' },
      encoding: 'utf8',
    })
    assert.equal(first.status, 0, first.stderr)
    await requireFirstEvent(address, readFileSync(join(folder.path, 'keys'), 'utf8'))
  })
})

/** Of an ELF file; undefined for others. */
function machineOf(path: string): string | undefined {
  const header = Buffer.alloc(20)
  const file = openSync(path, 'r')
  readSync(file, header, 0, header.length, 0)
  closeSync(file)
  if (header.toString('latin1', 0, 4) !== '\x7fELF') return undefined
  const machine = header.readUInt16LE(18)
  return { 62: 'amd64', 183: 'arm64' }[machine] ?? String(machine)
}

test('compose.yml names files, volumes and options that exist, and keeps the server from everything but its data', () => {
  const script = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))'
  const input = readFileSync(join(ROOT, 'compose.yml'))
  const compose = JSON.parse(execFileSync('/usr/bin/python3', ['-c', script], { input, encoding: 'utf8' })) as {
    readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly volumes: object
  }
  const { envelog = {}, proxy = {} } = compose.services
  const { environment, volumes, read_only, cap_drop, security_opt } = envelog
  assert.deepEqual([volumes, read_only, cap_drop], [['data:/var/lib/envelog'], true, ['ALL']])
  assert.deepEqual(security_opt, ['no-new-privileges:true'])
  const known: readonly string[] = OPTION_LIST.map(({ env }) => env)
  for (const option of Object.keys(environment as object)) assert.ok(known.includes(option), option)
  for (const volume of [volumes, proxy['volumes']].flat() as readonly string[]) {
    const [from = ''] = volume.split(':')
    assert.ok(from.startsWith('.') ? existsSync(join(ROOT, from)) : from in compose.volumes, from)
  }
})
