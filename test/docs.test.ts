/** Documents are generated or checked: what they name exists, and what they promise in numbers is what the code says. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { generateDocs } from '../scripts/write-docs.ts'
import { createProgram } from '../src/cli/program.ts'
import { OPTION_LIST } from '../src/config/options.ts'
import { RECHECKS_AT_ONCE } from '../src/domains/verification/recheck-due.ts'
import { CHECK_LIMITS, VERIFY_RATE } from '../src/domains/verification/verification-runner.ts'
import { EVENT_TYPES } from '../src/events/event.ts'
import { RECORDS_MAX } from '../src/events/ingest/split-records.ts'
import { DEFAULT_LIMIT, LIMIT_MAX } from '../src/events/log/list-events.ts'
import { listRoutes } from '../src/http/access/access.ts'
import { logEventSchema } from '../src/http/logs/log-event.wire.ts'
import { SERVER_LIMITS } from '../src/http/server/server-limits.ts'
import { REPORT_BYTES_MAX } from '../src/reports/report-intake.ts'
import { SMTP_LIMITS } from '../src/smtp/smtp-limits.ts'
import { type AppFixture, openAppFixture } from './harness/app/app-fixture.ts'
import {
  anchorsIn,
  commandsIn,
  type Document,
  endpointsIn,
  fileNamesIn,
  hostsIn,
  linksIn,
  npmScriptsIn,
  pathsIn,
  ROOT,
  readDocument,
  readDocuments,
  variablesIn,
} from './harness/documents.ts'

const documents = readDocuments()

/** Everything of a kind that all documents name. A pattern that finds less than it surely should has rotted. */
function named<T>(find: (document: Document) => readonly T[], atLeast: number): readonly { in: string; what: T }[] {
  const found = documents.flatMap((document) => find(document).map((what) => ({ in: document.path, what })))
  assert.ok(found.length >= atLeast, `only ${found.length} were found`)
  return found
}

describe('everything that a document names exists', () => {
  test('every path of the repository', () => {
    for (const { in: document, what: path } of named(({ text }) => pathsIn(text), 100)) {
      assert.ok(globSync(path, { cwd: ROOT }).length > 0, `${document} names ${path}`)
    }
  })

  test('every file that is named without its folder', () => {
    const files = globSync(['*', '{src,test,scripts,docs}/**/*'], { cwd: ROOT }).map((path) => basename(path))
    for (const { in: document, what: name } of named(fileNamesIn, 5)) {
      const ending = name.replace(/^\*?(?=\.)/, '')
      const isThere = files.some((file) => (ending.startsWith('.') ? file.endsWith(ending) : file === name))
      assert.ok(isThere, `${document} names ${name}`)
    }
  })

  test('every npm script', () => {
    for (const { in: document, what: script } of named(npmScriptsIn, 15)) {
      assert.ok(Object.hasOwn(packageJson.scripts, script), `${document} names npm run ${script}`)
    }
  })

  test('every command and option of bin/envelog', () => {
    const program = createProgram(packageJson.version)
    for (const { in: document, what: words } of named(commandsIn, 30)) {
      assert.equal(findCommandProblem(program, words), undefined, `${document} names bin/envelog ${words.join(' ')}`)
    }
  })

  test('every environment variable', () => {
    const known: readonly string[] = ['ENVELOG_', ...OPTION_LIST.map((option) => option.env)]
    for (const { in: document, what: variable } of named(variablesIn, 40)) {
      assert.ok(known.includes(variable), `${document} names ${variable}`)
    }
  })

  test('every relative link, its heading included', () => {
    for (const { in: document, what: link } of named(linksIn, 40)) {
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? document : normalize(join(dirname(document), path))
      assert.ok(existsSync(join(ROOT, target)), `${document} links to ${link}`)
      if (anchor !== undefined) assert.ok(anchorsIn(readDocument(target)).includes(anchor), `${document}: ${link}`)
    }
  })

  test('every document that a source file points at', () => {
    const sources = globSync('{src,scripts}/**/*.ts', { cwd: ROOT })
    const pointers = sources.flatMap((source) =>
      pathsIn(readFileSync(join(ROOT, source), 'utf8'))
        .filter((path) => path.startsWith('docs/'))
        .map((path) => ({ source, path })),
    )
    assert.ok(pointers.length > 0)
    for (const { source, path } of pointers)
      assert.ok(globSync(`${path}*`, { cwd: ROOT }).length > 0, `${source}: ${path}`)
  })
})

/** Walks down the groups as the program does; options are looked up in the help that it would print. */
function findCommandProblem(program: Command, words: readonly string[]): string | undefined {
  let command = program
  let rest = words.filter((word) => word !== '…')
  while (command.commands.length > 0 && rest[0] !== undefined && !rest[0].startsWith('-')) {
    const next = command.commands.find((candidate) => candidate.name() === rest[0])
    if (!next) return `there is no command ${rest[0]}`
    command = next
    rest = rest.slice(1)
  }
  if (command !== program && command.commands.length > 0) return `${command.name()} is a group and no command`
  const help = command.helpInformation()
  const unknown = rest.find((word) => word.startsWith('--') && !help.includes(`${word} `))
  return unknown === undefined ? undefined : `there is no option ${unknown}`
}

describe('the interface in the documents is the one that is served', () => {
  let fixture: AppFixture

  before(async () => {
    fixture = await openAppFixture()
  })
  after(() => fixture[Symbol.asyncDispose]())

  test('every endpoint that a document names is a route', () => {
    const routes = listRoutes(fixture.app)
    for (const { in: document, what } of named(endpointsIn, 30)) {
      const isServed = routes.some(
        ({ method, url }) => (!what.method || [method].flat().includes(what.method)) && isSamePath(url, what.path),
      )
      assert.ok(isServed, `${document} names ${what.method ?? ''} ${what.path}`)
    }
  })

  test('every documented route is in docs/api.md', () => {
    const { spans } = readDocument('docs/api.md')
    const routes = listRoutes(fixture.app).filter(({ method, schema }) => method !== 'HEAD' && schema?.hide !== true)
    assert.ok(routes.length >= 9)
    for (const { method, url } of routes) {
      const name = `${String(method)} ${url.replaceAll(/:(\w+)/g, '{$1}')}`
      assert.ok(spans.includes(name), name)
    }
  })

  test('docs/operations.md lists exactly the metrics that are served', async () => {
    const { body } = await fixture.get('/metrics', null)
    const served = [...body.matchAll(/^# TYPE (envelog_\w+)/gm)].map(([, name = '']) => name)
    const listed = readDocument('docs/operations.md').spans.filter((span) => span.startsWith('envelog_'))
    assert.ok(served.length > 0)
    assert.deepEqual([...new Set(listed)].sort(), served.sort())
  })
})

/** `{id}`, `:id` and `$ID` stand for anything. */
function isSamePath(url: string, path: string): boolean {
  const [a, b] = [url.split('/'), path.split('/')]
  const isVariable = (part: string | undefined) => part !== undefined && /^[:{$]/.test(part)
  return a.length === b.length && a.every((part, index) => part === b[index] || (isVariable(part) && b[index] !== ''))
}

describe('numbers and names are those of the code', () => {
  test('docs/ingest.md has every field, every event type and the limits', () => {
    const { text, spans } = readDocument('docs/ingest.md')
    for (const field of Object.keys(logEventSchema('service_message_id').properties))
      assert.ok(spans.includes(field), field)
    for (const type of EVENT_TYPES) assert.ok(spans.includes(type), type)
    const { bodyBytes, bodyMemoryBytes, requestTimeoutMs } = SERVER_LIMITS
    for (const limit of [
      `after decompression | ${bodyBytes / 2 ** 20} MiB |`,
      `records in one request | ${RECORDS_MAX.toLocaleString('en-US')} |`,
      `all requests together | ${bodyMemoryBytes / 2 ** 20} MiB,`,
      `to arrive | ${requestTimeoutMs / 1000} seconds |`,
    ]) {
      assert.ok(text.includes(limit), limit)
    }
  })

  test('docs/connectors/reports.md has the limits for reports, and the number of samples', () => {
    const { text } = readDocument('docs/connectors/reports.md')
    const { connections, connectionMs, idleMs, messages, recipients, work, messageBytes } = SMTP_LIMITS
    const samples = globSync('src/connectors/report/testdata/*.eml', { cwd: ROOT }).length
    for (const limit of [
      `over SMTP ${messageBytes / 2 ** 20} MiB |`,
      `the first ${REPORT_BYTES_MAX / 1024} KiB |`,
      `${connections.total}, ${connections.perNetwork} of one client network, ${connectionMs / 60_000} minutes each, ${idleMs / 1000} seconds`,
      `${messages.burst} at once, ${messages.perMinute} a minute`,
      `${recipients.burst} at once, ${recipients.perMinute} a minute`,
      `${work.burstMs / 1000} seconds at once, ${work.perMinuteMs / 1000} seconds a minute`,
      `has ${samples}\nsamples`,
    ]) {
      assert.ok(text.includes(limit), limit)
    }
  })

  test('docs/api.md has the page sizes', () => {
    const { text } = readDocument('docs/api.md')
    assert.ok(text.includes(`page size, ${DEFAULT_LIMIT} unless given; above ${LIMIT_MAX} it counts as ${LIMIT_MAX}`))
  })

  test('docs/api.md and docs/operations.md have the limits of verification', () => {
    const { burst, perMinute } = VERIFY_RATE
    const words = new RegExp(`${burst} checks at once and\\s${perMinute}\\sa minute`)
    for (const path of ['docs/api.md', 'docs/operations.md']) assert.match(readDocument(path).text, words)
    const { runningMax, waitingMax } = CHECK_LIMITS
    const { text } = readDocument('docs/operations.md')
    for (const limit of [
      `At most ${runningMax} checks run at a time, ${waitingMax} wait`,
      `at most ${RECHECKS_AT_ONCE} checks`,
    ]) {
      assert.ok(text.includes(limit), limit)
    }
  })
})

test('generated documents are what the generator writes (npm run docs)', () => {
  for (const [path, text] of generateDocs()) assert.equal(readFileSync(join(ROOT, path), 'utf8'), text, path)
})

test('README.md begins with the two commands; it and ARCHITECTURE.md are short', () => {
  const readme = readDocument('README.md')
  assert.deepEqual(readme.blocks.slice(0, 2), ['npm ci && npm start\n', 'npm test\n'])
  assert.ok(readme.text.split('\n').length <= 151)
  assert.ok(readDocument('ARCHITECTURE.md').text.split('\n').length <= 201)
})

test('decisions are numbered without gaps, and the index lists all of them', () => {
  const files = globSync('docs/decisions/[0-9]*.md', { cwd: ROOT }).map((path) => basename(path))
  const index = linksIn(readDocument('docs/decisions/README.md'))
  assert.deepEqual(files.sort(), index)
  assert.deepEqual(
    files.map((file) => Number.parseInt(file, 10)),
    files.map((_, place) => place + 1),
  )
})

test('no document names a path of a developer’s machine, or a host other than those of the examples', () => {
  for (const { path, text } of documents) {
    assert.doesNotMatch(text, /(^|[\s`'"(=])\/(work|tmp|home|root|mnt|Users)\b/m, path)
    assert.doesNotMatch(text, /\b(registry|packages?|artifactory)\.[\w-]+\.[a-z]{2,}|npmjs/i, path)
  }
  for (const { in: document, what: host } of named(hostsIn, 5))
    assert.match(host, /^(?:127\.0\.0\.1|(?:[\w-]+\.)?example\.(?:com|org|net)|s1\.operator\.test,?)$/, document)
})
