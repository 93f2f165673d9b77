/**
 * Writes the code that rewrites messages into the plugin for Haraka, which runs on another Node and brings no packages: the
 * files of src/tracking that it takes, without their types.
 *
 *     node scripts/write-haraka-tracking.ts
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const FOLDER = 'integrations/haraka/lib/tracking'
const NAMES = [
  'token',
  'html-tokens',
  'link-target',
  'rewrite-html',
  'mime-part',
  'transfer-encoding',
  'rewrite-message',
]

/** By path from the root. */
export function generateHarakaTracking(): Readonly<Record<string, string>> {
  return Object.fromEntries(NAMES.map((name) => [`${FOLDER}/${name}.mjs`, generate(name)]))
}

function generate(name: string): string {
  const source = readFileSync(join(ROOT, 'src/tracking', `${name}.ts`), 'utf8')
  const code = stripTypeScriptTypes(source)
    // Imports of types leave nothing behind but an empty line, others get the new ending.
    .replaceAll(/^import \{\s*\} from '[^']*'$/gm, '')
    .replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.mjs'")
  return format(`// Made from src/tracking/${name}.ts by scripts/write-haraka-tracking.ts; change it there.\n${code}`)
}

function format(code: string): string {
  const biome = join(ROOT, 'node_modules/.bin/biome')
  const { status, stdout, stderr } = spawnSync(biome, ['format', '--stdin-file-path=x.mjs'], {
    cwd: ROOT,
    input: code.replaceAll(/^[ \t;]+$/gm, '').replaceAll(/\n{3,}/g, '\n\n'),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(generateHarakaTracking())) writeFileSync(join(ROOT, path), text)
}
