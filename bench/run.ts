/** One whole run: load both sides, ask both sides, put our server under load, measure long histories and the parsers. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askBothSides } from './asking.ts'
import { type ServerOptions, startServerProcess } from './envelog/server-process.ts'
import { type Loaded, loadBothSides } from './loading.ts'
import type { BenchOptions } from './options.ts'
import { SETTINGS } from './peer/settings.ts'
import { describeMachine, type Machine } from './report/machine.ts'
import type { CurvePoint } from './report/plot.ts'
import { say } from './report/progress.ts'
import { DAYS_ROWS, ROW_NAMES, type Row, type RowName } from './report/row.ts'
import { measureDays } from './rows/days.ts'
import { ingestRate, judgeLoad } from './rows/load.ts'
import { measureParsers, type ParserWork } from './rows/parsers.ts'
import { loadServer } from './serving.ts'
import { type Run, setUp } from './setup.ts'
import type { TrafficSummary } from './traffic/traffic.ts'

export interface BenchResult {
  readonly events: number
  readonly seed: number
  readonly machine: Machine
  readonly peer: {
    readonly version: string
    readonly settings: Readonly<Record<string, string>>
    readonly loaders: number
  } | null
  /** Null if no row needed it. */
  readonly traffic: TrafficSummary | null
  readonly rows: readonly Row[]
  readonly curve: readonly CurvePoint[]
}

export async function runBench(options: BenchOptions, resources: AsyncDisposableStack): Promise<BenchResult> {
  if ([...options.only].every(isOfDays))
    return toResult({ options, peer: undefined }, undefined, await askDays(options, resources))
  const run = await setUp(options, resources)
  const { peer } = run
  const loaded = await loadBothSides(run)
  say(`traffic: ${JSON.stringify(loaded.summary)}`)
  const rows = [...judgeLoad(loaded.parts)]
  if (peer) rows.push(...(await askBothSides(run, peer, loaded)))
  await peer?.close()
  rows.push(...(await loadServer(run, loaded)))
  rows.push(...measureParsers((name) => run.wants(name), parserWork(options), ingestRate(loaded.parts)))
  if ([...options.only].some(isOfDays)) rows.push(...(await askDays(options, resources)))
  if (options.isKept) say(`kept: ${[run.folder, peer?.postgres.folder].filter(Boolean).join(' ')}`)
  return toResult(run, loaded, rows)
}

function parserWork({ isShort }: BenchOptions): ParserWork {
  return isShort ? { inputs: 500, rounds: 1 } : { inputs: 20_000, rounds: 5 }
}

function isOfDays(name: RowName): boolean {
  return (DAYS_ROWS as readonly RowName[]).includes(name)
}

/** Folders of their own: nothing else needs that many days. */
function askDays({ isShort, only }: BenchOptions, resources: AsyncDisposableStack): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'envelog-bench-days-'))
  resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  const startServer = async (options: ServerOptions) => resources.use(await startServerProcess(options))
  return measureDays({ folder, isShort, wants: (name) => only.has(name), startServer })
}

function toResult(
  { options, peer }: Pick<Run, 'options' | 'peer'>,
  loaded: Loaded | undefined,
  rows: readonly Row[],
): BenchResult {
  const { events, seed, only, loaders } = options
  const wanted = rows.filter(({ name }) => only.has(name))
  return {
    events,
    seed,
    machine: describeMachine(),
    peer: peer ? { version: peer.postgres.version, settings: SETTINGS, loaders } : null,
    traffic: loaded?.summary ?? null,
    rows: wanted.toSorted((a, b) => ROW_NAMES.indexOf(a.name) - ROW_NAMES.indexOf(b.name)),
    curve: loaded?.curve ?? [],
  }
}
