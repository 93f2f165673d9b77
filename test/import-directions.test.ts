/** The directions of imports (ARCHITECTURE.md), read off the import lines themselves. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')

/** Which parts of src a part may import besides itself. Parts that are not named here wire things up and may import all. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  tenants: ['lib'],
  audit: ['lib'],
  domains: ['lib', 'tenants'],
  events: ['lib', 'tenants', 'domains', 'classification'],
  tracking: ['lib', 'events'],
  stats: ['lib', 'tenants', 'domains', 'events'],
  classification: ['lib'],
  reports: ['lib', 'domains', 'events', 'classification'],
  config: ['lib', 'classification'],
  connectors: ['lib', 'events', 'classification', 'reports'],
  dns: ['lib', 'domains'],
  storage: ['lib', 'audit', 'tenants', 'domains', 'events', 'stats'],
  http: [
    'lib',
    'audit',
    'tenants',
    'domains',
    'classification',
    'events',
    'stats',
    'reports',
    'tracking',
    'connectors',
    'storage',
  ],
  smtp: ['lib', 'domains', 'events', 'reports'],
  cli: [
    'lib',
    'config',
    'tenants',
    'domains',
    'reports',
    'tracking',
    'connectors',
    'dns',
    'http',
    'storage',
    'maintenance',
    '',
  ],
}

/** What the command line knows of parts that it must not work around. */
const CLI_MAY_IMPORT: Record<string, RegExp> = {
  // The shapes of answers.
  http: /\.wire\.ts$/,
  // How far a log was read; one process at a time follows it.
  storage: /^src\/storage\/sqlite\/database\/tail-checkpoint\.ts$/,
  // The same app in its own process where no server runs, and what it shares with the server as a program.
  '': /^src\/(data-folder|open-local-app|open-service|describe-failure|wait-for-signal)\.ts$/,
}

/** Each technology has one home, so that replacing it is the work of one folder. */
const HOME_OF_PACKAGE: readonly [RegExp, string][] = [
  [/^node:sqlite$/, 'src/storage/sqlite/'],
  [/^(node:dns|dns-packet)/, 'src/dns/'],
  [/^(fastify|@fastify\/|@prometheus-io\/)/, 'src/http/'],
  [/^commander$/, 'src/cli/'],
  [/^tldts$/, 'src/domains/'],
  [/^smtp-server$/, 'src/smtp/'],
  [/^pg$/, 'src/storage/postgres/database/'],
]

/** The nouns get time, DNS and files as arguments. */
const NOUNS = ['audit', 'events', 'domains', 'stats', 'tenants', 'reports', 'tracking']
const NO_IO = /^node:(fs|net|http|https|dns|worker_threads|child_process|timers)/

/** Whatever imports it loads a WebSocket client with it: src/lib/net/node-http.ts has what is used of it. */
const NODE_HTTP = /^node:http$/
const NODE_HTTP_USERS = ['src/http/', 'src/cli/', 'src/storage/clickhouse/server/']

interface Import {
  readonly file: string
  readonly target: string
  readonly isTypeOnly: boolean
}

/** Belongs to the noun `tracking`, and lies where Haraka's plugin can be installed by copying one folder (decision 0021). */
const SHARED_TRACKING = 'integrations/haraka/lib/tracking/'

const files = globSync(['src/**/*.ts', `${SHARED_TRACKING}*.mjs`], { cwd: ROOT }).filter(
  (file) => !file.endsWith('.test.ts') && !file.endsWith('.contract.ts'),
)
const imports = files.flatMap(readImports)

function readImports(file: string): Import[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const statements = source.matchAll(/^\s*(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|^import\s+()'([^']+)'/gm)
  return [...statements].map(([, type, from, , bare]) => ({
    file,
    target: from ?? bare ?? '',
    isTypeOnly: type !== undefined,
  }))
}

function partOf(file: string): string {
  if (file.startsWith(SHARED_TRACKING)) return 'tracking'
  const [, part = '', rest] = file.split('/')
  return rest === undefined ? '' : part
}

test('imports follow the directions: adapters import domain modules, which import only lib and the domain modules before them', () => {
  const relativeImports = imports.filter(({ target }) => target.startsWith('.'))
  assert.ok(relativeImports.length > 100)
  for (const { file, target } of relativeImports) {
    const from = partOf(file)
    const to = partOf(relative(ROOT, join(ROOT, dirname(file), target)))
    const allowed = MAY_IMPORT[from]
    if (from !== to && allowed) assert.ok(allowed.includes(to), `${file} imports ${target}`)
  }
})

test('the Haraka plugin imports nothing outside its folder', () => {
  const shared = imports.filter(({ file }) => file.startsWith(SHARED_TRACKING))
  assert.ok(shared.length > 5)
  for (const { file, target } of shared) assert.match(target, /^(node:|\.\/)/, file)
})

test('http imports the storage port but no engine, and no engine imports another', () => {
  for (const { file, target } of imports) {
    if (!target.startsWith('.')) continue
    const path = relative(ROOT, join(ROOT, dirname(file), target))
    if (file.startsWith('src/http/') && path.startsWith('src/storage/'))
      assert.equal(path, 'src/storage/storage.ts', file)
  }
})

test('the command line calls the app, opens no storage, and is imported by nothing', () => {
  for (const { file, target, isTypeOnly } of imports) {
    if (!target.startsWith('.')) continue
    const path = relative(ROOT, join(ROOT, dirname(file), target))
    if (!file.startsWith('src/cli/')) {
      assert.ok(!path.startsWith('src/cli/'), `${file} imports ${target}`)
      continue
    }
    const allowed = CLI_MAY_IMPORT[partOf(path)]
    if (allowed) assert.match(path, allowed, file)
    if (path.startsWith('src/http/')) assert.ok(isTypeOnly, `${file} imports more than types from ${target}`)
  }
})

test('the console imports only types of the server, and the syntax of searches, which imports nothing else', () => {
  const shared = (file: string) => file === 'src/events/event.ts' || file.startsWith('src/events/search/')
  const ofConsole = globSync('console/src/**/*.{ts,tsx}', { cwd: ROOT }).filter((file) => !file.includes('.test.'))
  const all = [...ofConsole, ...files.filter(shared)].flatMap(readImports)
  assert.ok(all.some(({ file, target }) => file.startsWith('console/') && target.includes('src/events/search/')))
  for (const { file, target, isTypeOnly } of all) {
    if (!target.startsWith('.') || isTypeOnly) continue
    const path = relative(ROOT, join(ROOT, dirname(file), target))
    if (path.startsWith('src/')) assert.ok(shared(path), `${file} imports ${target}`)
  }
})

test('each technology is imported only in its own folder', () => {
  for (const { file, target, isTypeOnly } of imports) {
    const home = HOME_OF_PACKAGE.find(([pattern]) => pattern.test(target))?.[1]
    if (home && !isTypeOnly) assert.ok(file.startsWith(home), `${file} imports ${target}`)
  }
})

test('domain modules do no input or output, and read neither the environment nor the clock', () => {
  for (const { file, target } of imports) {
    if (NOUNS.includes(partOf(file))) assert.doesNotMatch(target, NO_IO, file)
  }
  for (const file of files) {
    if (NOUNS.includes(partOf(file)))
      assert.doesNotMatch(readFileSync(join(ROOT, file), 'utf8'), /Date\.now|process\.env|performance\.now/, file)
  }
})

test('only the configuration reads the environment', () => {
  for (const file of files) {
    if (!file.startsWith('src/config/'))
      assert.doesNotMatch(readFileSync(join(ROOT, file), 'utf8'), /process\.env\b/, file)
  }
})

test('no file re-exports others: every import names the defining file', () => {
  for (const file of files)
    assert.doesNotMatch(readFileSync(join(ROOT, file), 'utf8'), /^export (\*|\{[^}]*\}) from/m, file)
})

test('node:http is imported for its types only, and used by the server, the command line and requests to ClickHouse alone', () => {
  for (const { file, target, isTypeOnly } of imports) {
    if (NODE_HTTP.test(target)) assert.ok(isTypeOnly, file)
    if (target.endsWith('/net/node-http.ts'))
      assert.ok(
        NODE_HTTP_USERS.some((part) => file.startsWith(part)),
        file,
      )
  }
})
