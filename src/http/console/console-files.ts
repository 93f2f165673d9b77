/** The files of a built console, read into memory once (a few megabytes, most of it the guide), in every encoding that the build made. */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { StaticFile } from '../answers/static-file.ts'

/** The build writes `NAME.br`, `NAME.zst` and `NAME.gz` beside NAME if they are smaller. */
export const CONTENT_CODINGS = [
  { coding: 'br', ending: '.br' },
  { coding: 'zstd', ending: '.zst' },
  { coding: 'gzip', ending: '.gz' },
] as const

export interface ConsoleFile extends StaticFile {
  /** The name contains a hash of the content, so it can be cached forever. */
  readonly isImmutable: boolean
}

/** By path below the folder, such as `index.html` or `assets/index-BdQq4bS1.js`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
}

/** Vite puts eight characters of a hash before the extension. */
const HASHED_NAME = /-[\w-]{8}\.\w+$/

export function readConsoleFiles(folder: string): ConsoleFiles {
  const files = new Map<string, ConsoleFile>()
  const root = resolve(folder)
  const read = (path: string) => readFileSync(`${root}/${path}`)
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  // Every start does this, with hundreds of files: joining and comparing paths would take a quarter of the time.
  const paths = new Set(entries.map(({ parentPath, name }) => `${parentPath}/${name}`.slice(root.length + 1)))
  for (const path of paths) {
    const contentType = CONTENT_TYPES[extname(path)]
    if (contentType === undefined) continue
    const codings = CONTENT_CODINGS.filter(({ ending }) => paths.has(`${path}${ending}`))
    files.set(path, {
      contentType,
      identity: read(path),
      encoded: new Map(codings.map(({ coding, ending }) => [coding, read(`${path}${ending}`)])),
      isImmutable: HASHED_NAME.test(path),
    })
  }
  if (!files.has('index.html')) throw new Error(`${folder} does not contain a built console`)
  return files
}
