/** The project's Markdown files, and what they name. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..', '..')

const NOT_OURS = ['node_modules', 'data', '.git', 'test-results']

/** Folders that a path in a document can start with. */
const FOLDERS = ['src', 'test', 'scripts', 'docs', 'bin', 'bench', 'console', 'deploy', 'integrations', '.ci']

const PLACEHOLDER = /[<…]|NNNN/

export interface Document {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
  /** The text without its fenced blocks. */
  readonly prose: string
  /** Contents of the fenced blocks, in order. */
  readonly blocks: readonly string[]
  /** Contents of the `code spans`. */
  readonly spans: readonly string[]
}

export function readDocuments(): readonly Document[] {
  const paths = globSync('**/*.md', { cwd: ROOT, exclude: (name) => NOT_OURS.includes(basename(name)) })
  return paths.sort().map(readDocument)
}

export function readDocument(path: string): Document {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const fence = /^```[a-z]*\n(.*?)^```$/gms
  const prose = text.replaceAll(fence, '')
  return { path, text, prose, blocks: captures(text, fence), spans: captures(prose, /`([^`\n]+)`/g) }
}

/** Paths below the repository's folders, without a full stop that ends a sentence. Those with a placeholder are left out. */
export function pathsIn(text: string): readonly string[] {
  const folders = FOLDERS.map((folder) => folder.replace('.', '\\.')).join('|')
  const found = captures(text, new RegExp(`(?<![\\w./*-])((?:${folders})/[^\\s\`'"(),:;|\\]]*)`, 'g'))
  return found.map((path) => path.replace(/\.$/, '')).filter((path) => !PLACEHOLDER.test(path))
}

/** Of a data folder and of a backup, not of the repository. */
const DATA_FILES = ['backup.json', 'last-backup.json']

/** File names without a folder, such as `package.json` or `*.wire.ts`. */
export function fileNamesIn({ spans }: Document): readonly string[] {
  const names = spans.filter((span) => /^[\w.*-]+\.(ts|sql|json|md)$/.test(span) && !PLACEHOLDER.test(span))
  return names.filter((name) => !DATA_FILES.includes(name))
}

export function npmScriptsIn({ text }: Document): readonly string[] {
  return captures(text, /\bnpm (?:run (?:-\S+ )*)?((?<=run (?:-\S+ )*)[\w:-]+|test|start)\b/g)
}

/** What follows `bin/envelog`, or `envelog` at the beginning of a command, word by word, up to the end of the command. `envelog unix` is a service of Postfix. */
export function commandsIn({ text }: Document): readonly (readonly string[])[] {
  return captures(
    text,
    /(?:bin\/envelog\b|(?<=^|sudo (?:-u \w+ )?)envelog(?= (?!unix )[a-z-]))([^`\n|<>;&()#"]*)/gm,
  ).map((words) => words.split(' ').filter((word) => word !== ''))
}

export function variablesIn({ text }: Document): readonly string[] {
  return captures(text, /\b(ENVELOG_[A-Z0-9_]*)/g)
}

export interface NamedEndpoint {
  /** Undefined where the document does not say. */
  readonly method: string | undefined
  readonly path: string
}

/** Paths on a machine that are part of an example. */
const EXAMPLE_FOLDERS = /^\/(etc|opt|var)\//

/** In code spans, and in the addresses of examples. */
export function endpointsIn({ text, spans }: Document): readonly NamedEndpoint[] {
  const inSpans = spans.flatMap((span) => {
    const [, method, path] = /^(?:(GET|POST) )?(\/[^\s?]*)$/.exec(span) ?? []
    return path === undefined || EXAMPLE_FOLDERS.test(path) ? [] : [{ method, path }]
  })
  const inAddresses = captures(text, /https?:\/\/127\.0\.0\.1:8025(\/[^\s?'"`]*)/g)
  return [...inSpans, ...inAddresses.map((path) => ({ method: undefined, path }))]
}

export function hostsIn({ text }: Document): readonly string[] {
  return captures(text, /https?:\/\/([^/\s:'"`)]+)/g)
}

export function linksIn({ prose }: Document): readonly string[] {
  return captures(prose, /\[[^\]]*\]\(([^)\s]+)\)/g)
}

/** What a link to a heading ends with. */
export function anchorsIn({ prose }: Document): readonly string[] {
  return captures(prose, /^#+ (.*)$/gm).map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function captures(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, captured = '']) => captured)
}
