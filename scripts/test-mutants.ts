/**
 * Changes the sources in small ways and reports the changes that no test notices:
 *
 *     npm run test:mutants [-- --seed N] [--count N] [--only PATH]... [--time MINUTES] [--jobs N] [--near] [--list]
 *
 * The changes are a random sample of all that scripts/mutants/find-mutations.ts finds in the folders below, or in the paths
 * of --only. They are made in temporary copies of the checkout. For each change, the tests that execute it are run, the closest
 * first, until one fails; with --near, only those in the same folder of src/ and close ones under test/. Tests that start
 * the whole program are not among them. The exit code is 1 if more than 5 % survive, or if nothing was tried.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createSeededRandom } from '../src/lib/seeded-random.ts'
import { findMutations } from './mutants/find-mutations.ts'
import { KNOWN_EQUIVALENTS, type KnownEquivalent } from './mutants/known-equivalents.ts'
import { describeMutation, type Mutation } from './mutants/mutation.ts'
import { reportOutcomes } from './mutants/report-outcomes.ts'
import { TestImports } from './mutants/test-imports.ts'
import { isSurvivor, type Outcome, tryMutations } from './mutants/try-mutations.ts'
import { SUITE_SERVERS } from './testing/suite-servers.ts'
import { LONGEST } from './testing/test-order.ts'

const FOLDERS = ['events', 'storage', 'tenants', 'http', 'dns', 'domains', 'reports'].map((name) => `src/${name}`)
const NOT_MUTATED = /\.(test|contract|fixture)\.ts$|^src\/storage\/contract\//
/** Tests whose imports include one of these start the whole program, which takes too long for every mutation. */
const PROGRAMS = 'test/harness/programs/'
/** Their verdict depends on the time and memory that parsers take, or they are suites of src/ once more. */
const NOT_USED = ['test/parser-growth.test.ts', 'test/e2e/dns-fuzz.test.ts', 'test/engines/http-on-clickhouse.test.ts']
const SURVIVING_MAX = 0.05
const PROGRESS_EVERY = 20

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: join(import.meta.dirname, '..') },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    count: { type: 'string', default: '200' },
    only: { type: 'string', multiple: true, default: FOLDERS },
    time: { type: 'string', default: '30' },
    jobs: { type: 'string' },
    near: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})

// So that copies and tests do not outlive an interrupted run.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
process.exitCode = await main()

async function main(): Promise<number> {
  const { root } = values
  const all = listFiles(root).flatMap((file) => findMutations(file, readFileSync(join(root, file), 'utf8')))
  const unmatched = KNOWN_EQUIVALENTS.filter((known) => {
    return all.some(({ file }) => file === known.file) && !all.some((mutation) => isKnown(mutation, known))
  })
  for (const { file, change } of unmatched)
    print(`not found any more, remove it from the known ones: ${file}  ${change}`)
  const candidates = all.filter((mutation) => !KNOWN_EQUIVALENTS.some((known) => isKnown(mutation, known)))
  const chosen = sample(candidates, Number(values.count), Number(values.seed))
  print(`${all.length} mutations, ${chosen.length} chosen with --seed ${values.seed}`)
  if (values.list) for (const mutation of chosen) print(describeMutation(mutation))
  if (values.list) return 0
  const outcomes = await tryAll(root, chosen)
  const { lines, share } = reportOutcomes(outcomes, { chosen: chosen.length, seed: values.seed, seconds: seconds() })
  for (const line of lines) print(line)
  return outcomes.length === 0 || share > SURVIVING_MAX || unmatched.length > 0 ? 1 : 0
}

function tryAll(root: string, chosen: readonly Mutation[]): Promise<readonly Outcome[]> {
  let tried = 0
  let survived = 0
  return tryMutations(chosen, {
    root,
    tests: listTests(root),
    isNear: values.near,
    costOf: (test) => (LONGEST.includes(test) ? 'long' : test in SUITE_SERVERS ? 'server' : 'little'),
    timeLimitMs: Number(values.time) * 60_000,
    ...(values.jobs !== undefined && { jobs: Number(values.jobs) }),
    onProgress: print,
    onOutcome(outcome) {
      tried++
      if (isSurvivor(outcome)) {
        survived++
        print(`${outcome.verdict}: ${describeMutation(outcome.mutation)}`)
      }
      if (tried % PROGRESS_EVERY === 0) print(`${tried} of ${chosen.length} tried, ${survived} survived`)
    },
  })
}

function listFiles(root: string): readonly string[] {
  const patterns = values.only.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`))
  return globSync(patterns, { cwd: root })
    .filter((file) => !NOT_MUTATED.test(file))
    .sort()
}

function listTests(root: string): readonly string[] {
  const imports = new TestImports(root)
  const startsProgram = (test: string) => imports.closure(test).some((file) => file.startsWith(PROGRAMS))
  return globSync('{src,test}/**/*.test.ts', { cwd: root })
    .filter((test) => !NOT_USED.includes(test) && (test.startsWith('src/') || !startsProgram(test)))
    .sort()
}

function isKnown({ file, change, context }: Mutation, known: KnownEquivalent): boolean {
  return (
    file === known.file && change === known.change && (known.within === undefined || context.includes(known.within))
  )
}

/** Fisher and Yates, up to the number that is needed. */
function sample<T>(items: readonly T[], count: number, seed: number): readonly T[] {
  const random = createSeededRandom(seed)
  const shuffled = [...items]
  for (let index = 0; index < Math.min(count, shuffled.length); index++) {
    const other = random.between(index, shuffled.length - 1)
    ;[shuffled[index], shuffled[other]] = [shuffled[other] as T, shuffled[index] as T]
  }
  return shuffled.slice(0, count)
}

function seconds(): number {
  return Math.round(performance.now() / 1000)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
