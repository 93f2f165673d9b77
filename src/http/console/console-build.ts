/**
 * Where the built console is: a folder per state of its sources, named after their hash. A server therefore never serves
 * a console older than its sources, and builds of different sources never share a folder.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

export const CONSOLE_DIST = join(ROOT, 'console/dist')
export const BUILD_SCRIPT = join(ROOT, 'scripts/build-console.ts')

/** What the build depends on: the sources, those that it shares with the server, the documents, and the versions of the packages in it. */
const SOURCES = [
  'console/{src,public}/**/*',
  'console/*.{html,ts,json}',
  'src/events/{event.ts,search/*.ts}',
  'src/http/docs/site/*.ts',
  'scripts/guide/*.ts',
  'docs/**/*',
  'clients/typescript/README.md',
  'bench/results/*.svg',
  '*.md',
  'package-lock.json',
]

/** The folder for the sources as they are now, built or not. */
export function currentBuildFolder(root = ROOT): string {
  const hash = createHash('sha256')
  for (const path of globSync(SOURCES, { cwd: root }).sort()) {
    const file = join(root, path)
    if (!statSync(file).isFile()) continue
    hash.update(`${path}\0`).update(readFileSync(file)).update('\0')
  }
  return join(CONSOLE_DIST, hash.digest('hex').slice(0, 16))
}

/** The newest build, for installations that cannot build. */
export function findNewestBuild(dist = CONSOLE_DIST): string | undefined {
  const folders = globSync('[0-9a-f]*', { cwd: dist }).map((name) => join(dist, name))
  const built = folders.filter((folder) => existsSync(join(folder, 'index.html')))
  return built.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs)[0]
}
