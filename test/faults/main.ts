/** The long run of the fault laboratory: npm run test:faults -- [--seed N] [--rounds N] [--only KIND] [--jobs N] [--minutes N] */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installServers } from '../../scripts/servers.ts'
import { KINDS } from './kinds.ts'
import type { Kind } from './lab/bench.ts'
import { type KindResult, runKind } from './lab/run-kind.ts'
import { sqliteEngine } from './lab/sqlite-engine.ts'
import { describeFailure, describeResult, summarize } from './lab/summary.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string', multiple: true },
    jobs: { type: 'string', default: '2' },
    minutes: { type: 'string', default: '40' },
  },
})

const engine = sqliteEngine
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : toNumber('seed', values.seed)
const jobs = toNumber('jobs', values.jobs)
const deadlineMs = Date.now() + toNumber('minutes', values.minutes) * 60_000
const known = KINDS.filter(({ name }) => !engine.withoutKinds.has(name))
const unknown = values.only?.find((name) => !known.some((kind) => kind.name === name))
if (unknown !== undefined) {
  throw new Error(`${unknown} is not a kind of fault: ${known.map(({ name }) => name).join(', ')}`)
}
const kinds = known.filter(({ name }) => values.only?.includes(name) ?? true)

function toNumber(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${name} ${text} is not a number`)
  return number
}

const packages = ['gcc', 'libc6-dev', ...kinds.flatMap((kind) => kind.packages ?? [])]
for (const { name, reason } of installServers(packages)) throw new Error(`${name} is missing (${reason})`)

const print = (text: string) => void process.stdout.write(`${text}\n`)
const folder = mkdtempSync(join(tmpdir(), 'envelog-faults-'))
const installed = join(folder, 'template')
mkdirSync(installed)
print(`Faults of the engine ${engine.name}, seed ${seed}, ${jobs} at a time, at most ${values.minutes} minutes`)
const template = await engine.install(installed)

async function run(kind: Kind): Promise<KindResult> {
  const rounds = values.rounds === undefined ? kind.rounds.long : toNumber('rounds', values.rounds)
  print(`${kind.name}: ${rounds} rounds`)
  let done = 0
  const onRound = () => {
    done++
    if (done % 50 === 0) print(`  ${done} of ${rounds}`)
  }
  const onReport = (text: string) => print(`  ${new Date().toISOString().slice(11, 19)} ${text}`)
  const result = await runKind(kind, { engine, template, folder, seed, rounds, jobs, deadlineMs, onRound, onReport })
  print(describeResult(result))
  for (const failure of result.failures) print(describeFailure(failure))
  return result
}

const results: KindResult[] = []
for (const kind of kinds) results.push(await run(kind))
print(summarize(results, seed))
const isComplete = results.every(({ failures, rounds, wanted }) => failures.length === 0 && rounds === wanted)
if (isComplete) rmSync(folder, { recursive: true })
// A scene that hangs would keep it running.
process.exit(isComplete ? 0 : 1)
