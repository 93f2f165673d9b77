/** The files of a built console, in memory: less than a megabyte, read once, each in every encoding that the build made. */
import { globSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

/** Best first. The build writes `NAME.br`, `NAME.zst` and `NAME.gz` beside NAME where that is shorter. */
export const CONTENT_CODINGS = [
  { coding: 'br', ending: '.br' },
  { coding: 'zstd', ending: '.zst' },
  { coding: 'gzip', ending: '.gz' },
] as const

type ContentCoding = (typeof CONTENT_CODINGS)[number]['coding']

export interface ConsoleFile {
  readonly contentType: string
  readonly identity: Buffer
  readonly encoded: ReadonlyMap<ContentCoding, Buffer>
  /** The name changes with the content, so whoever has it has it for good. */
  readonly isImmutable: boolean
}

/** By path below the folder, such as `index.html` or `assets/index-BdQq4bS1.js`. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Vite puts eight characters of a hash before the ending. */
const HASHED_NAME = /-[\w-]{8}\.\w+$/

export function readConsoleFiles(folder: string): ConsoleFiles {
  const files = new Map<string, ConsoleFile>()
  for (const path of globSync('**/*', { cwd: folder })) {
    const contentType = CONTENT_TYPES[extname(path)]
    if (contentType === undefined || !statSync(join(folder, path)).isFile()) continue
    files.set(path, {
      contentType,
      identity: readFileSync(join(folder, path)),
      encoded: readEncoded(join(folder, path)),
      isImmutable: HASHED_NAME.test(path),
    })
  }
  if (!files.has('index.html')) throw new Error(`${folder} holds no built console`)
  return files
}

function readEncoded(file: string): ReadonlyMap<ContentCoding, Buffer> {
  const encoded = new Map<ContentCoding, Buffer>()
  for (const { coding, ending } of CONTENT_CODINGS) {
    if (statSync(`${file}${ending}`, { throwIfNoEntry: false })) encoded.set(coding, readFileSync(`${file}${ending}`))
  }
  return encoded
}

/** The coding to answer with; undefined: as it is. RFC 9110 section 12.5.3, without weighing: what is refused has q=0. */
export function chooseCoding(file: ConsoleFile, acceptEncoding: string | undefined): ContentCoding | undefined {
  const accepted = (acceptEncoding ?? '').toLowerCase().split(',').map(parseCoding)
  const isAccepted = (coding: string) => {
    const named = accepted.find(({ name }) => name === coding) ?? accepted.find(({ name }) => name === '*')
    return named !== undefined && named.weight > 0
  }
  return CONTENT_CODINGS.map(({ coding }) => coding).find((coding) => file.encoded.has(coding) && isAccepted(coding))
}

function parseCoding(text: string): { readonly name: string; readonly weight: number } {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return { name, weight: weight === undefined ? 1 : Number(weight.slice(2)) }
}
