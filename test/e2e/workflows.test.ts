/** The workflows for contributors: valid YAML, and only wrappers around npm scripts and files that exist. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import packageJson from '../../package.json' with { type: 'json' }
import { ROOT } from '../harness/documents.ts'
import { readYamlTexts } from '../harness/read-yaml.ts'

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, Job>>
}
interface Job {
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> }
  readonly 'timeout-minutes'?: string
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[]
}

const files = globSync('.github/workflows/*.yml', { cwd: ROOT })
const workflows = new Map(files.map((file) => [file, readYamlTexts<Workflow>(join(ROOT, file))]))

/** What a job runs, with the values of its matrix. */
function commandsOf({ strategy, steps }: Job): readonly string[] {
  const matrix = Object.entries(strategy?.matrix ?? {})
  return steps.flatMap(({ run }) => {
    if (run === undefined) return []
    const [, values] = matrix.find(([name]) => run.includes(`\${{ matrix.${name} }}`)) ?? []
    return values ?? [run]
  })
}

const commands = [...workflows.values()].flatMap(({ jobs }) => Object.values(jobs).flatMap(commandsOf))

test('every workflow is limited in rights and time, and every command in it exists', () => {
  assert.deepEqual(files.sort(), ['.github/workflows/nightly.yml', '.github/workflows/tests.yml'])
  for (const [file, { permissions, jobs }] of workflows) {
    assert.deepEqual(permissions, { contents: 'read' }, file)
    for (const [name, job] of Object.entries(jobs)) {
      assert.ok(Number(job['timeout-minutes']) > 0, `${file}: ${name}`)
      assert.ok(
        job.steps.every(({ run, uses }) => run !== undefined || /^[\w-]+\/[\w-]+@v\d+$/.test(uses ?? '')),
        `${file}: ${name}`,
      )
    }
  }
  const known = /^(?:npm (?:ci|run (\S+)(?: -- .+)?)|bash (\S+)|docker build --tag envelog \.|apt-get update && .+)$/
  for (const command of commands) {
    const [found, script, program] = known.exec(command) ?? []
    assert.ok(found !== undefined, `not a wrapper: ${command}`)
    if (script !== undefined) assert.ok(Object.hasOwn(packageJson.scripts, script), command)
    if (program !== undefined) assert.ok(existsSync(join(ROOT, program)), command)
  }
})

test('changes are tested on both architectures and packaged; every night the long runs are made', () => {
  const changes = workflows.get('.github/workflows/tests.yml')
  assert.deepEqual(Object.keys(changes?.on ?? {}), ['push', 'pull_request'])
  assert.deepEqual(changes?.jobs['tests']?.strategy?.matrix['runner'], ['ubuntu-24.04', 'ubuntu-24.04-arm'])
  assert.match(readFileSync(join(ROOT, '.ci/run'), 'utf8'), /^npm test$/m)
  assert.equal(packageJson.scripts.test, 'node scripts/run-tests.ts --lint')
  // `--lint` runs what `npm run lint` runs.
  assert.equal(packageJson.scripts.lint, 'node scripts/lint.ts')
  assert.match(readFileSync(join(ROOT, 'scripts/run-tests.ts'), 'utf8'), /'--lint'\) \? runScript\('lint\.ts'\)/)
  assert.ok('schedule' in (workflows.get('.github/workflows/nightly.yml')?.on ?? {}))
  for (const script of ['package', 'package:deb', 'test:faults', 'test:mutants', 'bench']) {
    assert.ok(
      commands.some((command) => command.split(' ')[2] === script),
      script,
    )
  }
})
