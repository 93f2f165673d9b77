/** A minimal Debian in a folder, to be used with chroot: the essential packages of this machine, and those that a package names. Needs root. */
import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

export class DebianRoot {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static make(path: string, packages: readonly string[]): DebianRoot {
    const root = new DebianRoot(path)
    const names = closureOf(packages)
    root.#copyFiles(names)
    root.#writeState(names)
    return root
  }

  copy(path: string): DebianRoot {
    execFileSync('cp', ['--archive', this.path, path])
    return new DebianRoot(path)
  }

  /** This process's Node and an npm, as their installers leave them, and what npm needs to download packages here. */
  addNode(npmPackage: string, npmCache: string): void {
    const npm = join(this.path, 'usr/local/lib/node_modules/npm')
    for (const folder of [npm, join(this.path, 'usr/local/bin'), join(this.path, 'root/.npm')])
      mkdirSync(folder, { recursive: true })
    execFileSync('tar', ['-xzf', npmPackage, '-C', npm, '--strip-components=1', '--no-same-owner'])
    copyFileSync(process.execPath, join(this.path, 'usr/local/bin/node'))
    for (const name of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(this.path, 'usr/local/bin', name))
    for (const file of ['etc/resolv.conf', 'etc/hosts', 'etc/ssl/certs/ca-certificates.crt']) {
      if (!existsSync(`/${file}`)) continue
      mkdirSync(dirname(join(this.path, file)), { recursive: true })
      copyFileSync(`/${file}`, join(this.path, file))
    }
    // Links, where the file system allows it: npm never changes a file of its cache.
    if (existsSync(join(npmCache, '_cacache')))
      execFileSync('sh', [
        '-c',
        'cp -a --link "$0" "$1" 2>/dev/null || cp -a "$0" "$1"',
        join(npmCache, '_cacache'),
        join(this.path, 'root/.npm'),
      ])
  }

  run(command: readonly string[], env: Readonly<Record<string, string>> = {}): SpawnSyncReturns<string> {
    return spawnSync('chroot', [this.path, ...command], {
      encoding: 'utf8',
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive', ...env },
    })
  }

  #copyFiles(names: readonly string[]): void {
    for (const folder of [
      'dev',
      'etc',
      'opt',
      'proc',
      'root',
      'run',
      'tmp',
      'usr',
      'var/cache',
      'var/lib',
      'var/log',
      'var/tmp',
    ])
      mkdirSync(join(this.path, folder), { recursive: true, mode: folder.endsWith('tmp') ? 0o1777 : 0o755 })
    // /bin and the like are links to folders of /usr.
    for (const folder of ['bin', 'sbin', 'lib', 'lib32', 'lib64']) {
      if (!lstatSync(`/${folder}`, { throwIfNoEntry: false })?.isSymbolicLink()) continue
      const target = readlinkSync(`/${folder}`)
      mkdirSync(join(this.path, target), { recursive: true })
      symlinkSync(target, join(this.path, folder))
    }
    const { stdout } = spawnSync('dpkg-query', ['--listfiles', ...names], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    const files = stdout
      .split('\n')
      .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === false)
    const places = files.map((file) => join(realpathSync(dirname(file)), basename(file)))
    const list = { input: [...new Set(places)].join('\n') }
    spawnSync('sh', ['-c', 'tar -cf - -C / -T - 2>/dev/null | tar -xf - -C "$0"', this.path], list)
    spawnSync('mknod', ['-m', '666', join(this.path, 'dev/null'), 'c', '1', '3'])
  }

  /** As the maintainer scripts of these packages leave it, as far as it matters here. */
  #writeState(names: readonly string[]): void {
    const state = join(this.path, 'var/lib/dpkg')
    for (const folder of ['info', 'updates', 'triggers']) mkdirSync(join(state, folder), { recursive: true })
    writeFileSync(join(state, 'status'), spawnSync('dpkg-query', ['--status', ...names], { encoding: 'utf8' }).stdout)
    for (const name of names) {
      for (const file of globSync(`/var/lib/dpkg/info/${name}{,:*}.list`))
        copyFileSync(file, join(state, 'info', basename(file)))
    }
    for (const file of ['passwd', 'group'])
      copyFileSync(join('/usr/share/base-passwd', `${file}.master`), join(this.path, 'etc', file))
    for (const file of ['shadow', 'gshadow']) writeFileSync(join(this.path, 'etc', file), '', { mode: 0o640 })
    // Flushing every file would take longer than all the rest.
    mkdirSync(join(this.path, 'etc/dpkg/dpkg.cfg.d'), { recursive: true })
    writeFileSync(join(this.path, 'etc/dpkg/dpkg.cfg.d/test'), 'force-unsafe-io\n')
  }
}

/** The essential packages and `packages`, with everything that they depend on and that is installed here. */
function closureOf(packages: readonly string[]): readonly string[] {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: fields of dpkg-query.
  const format = '${db:Status-Status}\\t${Package}\\t${Essential}\\t${Provides}\\t${Pre-Depends}, ${Depends}\\n'
  const { stdout } = spawnSync('dpkg-query', ['--show', `--showformat=${format}`], { encoding: 'utf8' })
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
    .flatMap(([status, ...row]) => (status === 'installed' ? [row] : []))
  const nameOf = (text: string) => text.trim().split(/[ :(]/)[0] ?? ''
  const known = new Map<string, { readonly name: string; readonly needs: readonly string[] }>()
  for (const [name = '', , provides = '', needs = ''] of rows) {
    const one = { name, needs: needs.split(/[,|]/).map(nameOf) }
    for (const provided of provides.split(',').map(nameOf)) known.set(provided, known.get(provided) ?? one)
    known.set(name, one)
  }
  const wanted = [...rows.filter(([, essential]) => essential === 'yes').map(([name = '']) => name), ...packages]
  const found = new Set<string>()
  for (let next = wanted.pop(); next !== undefined; next = wanted.pop()) {
    const one = known.get(next)
    if (!one || found.has(one.name)) continue
    found.add(one.name)
    wanted.push(...one.needs)
  }
  return [...found]
}
