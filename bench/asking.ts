/** The second step: both sides idle, the same questions to both. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createSeededRandom } from '../src/lib/seeded-random.ts'
import { openDirectLog } from './envelog/direct-log.ts'
import { createInstallation, openFolder } from './envelog/installation.ts'
import { V1, WEBHOOKS } from './envelog/surfaces.ts'
import type { Loaded } from './loading.ts'
import type { Peer } from './peer/peer.ts'
import { PEER } from './peer/peer-surface.ts'
import { HttpSide, type Surface } from './questions/http-side.ts'
import { MANY_ROWS, makeManyQuestions } from './questions/many-domains.ts'
import { makeQuestions, QUERY_ROWS, type QuestionSource } from './questions/one-domain.ts'
import type { Question, Side } from './questions/question.ts'
import { say } from './report/progress.ts'
import { ONE_DOMAIN_ROWS, type Row, type RowName } from './report/row.ts'
import { compareDisk } from './rows/disk.ts'
import { compareAnswers } from './rows/queries.ts'
import { BUDGET_MS, measureShortNeedle } from './rows/short-needle.ts'
import type { Run } from './setup.ts'

/** The longest budget that can be set: every answer is complete. */
const WHOLE_ANSWERS = { ENVELOG_QUERY_BUDGET: '60s' }
const SHORT_ANSWERS = { ENVELOG_QUERY_BUDGET: `${BUDGET_MS}ms` }
/** Enough to warm up both sides: code is compiled, plans are cached. */
const ROUNDS = { rounds: 75, enoughMs: 15_000 }
const SHORT_ROUNDS = { rounds: 1 }
const STATS_QUESTIONS = Array.from({ length: 20 }, (): Question => ({ kind: 'stats' }))

type OpenSide = (server: { readonly address: string }, key: string, surface: Surface) => HttpSide

export async function askBothSides(run: Run, peer: Peer, loaded: Loaded): Promise<readonly Row[]> {
  say('maintenance of the peer: counts, vacuum, analyze')
  await peer.settle()
  const rows: Row[] = []
  if (run.wants('disk')) rows.push(await compareDisk(run.installation.dataDir, peer, loaded.events))
  const ask = run.options.isDirect ? askDirectly : askOverHttp
  rows.push(...(await ask(run, peer, loaded)))
  return rows
}

/** The store in this process, PostgreSQL over its socket. */
async function askDirectly(run: Run, peer: Peer, loaded: Loaded): Promise<readonly Row[]> {
  const service = await openFolder(run.installation.dataDir)
  const { storage } = service
  try {
    const rows = await askInterface(run, openDirectLog(storage, run.installation), peer.log, loaded)
    const budgeted = openDirectLog(storage, run.installation, BUDGET_MS)
    if (run.wants('short_needle')) rows.push(await measureShortNeedle(budgeted, peer.log, run))
    return rows
  } finally {
    await service.close()
  }
}

/** Both sides as servers, over one keep-alive connection each. */
async function askOverHttp(run: Run, peer: Peer, loaded: Loaded): Promise<readonly Row[]> {
  await using stack = new AsyncDisposableStack()
  const openSide: OpenSide = ({ address }, key, surface) => stack.use(new HttpSide(address, key, surface))
  const { dataDir, tenantKey } = run.installation
  const theirs = await openPeerSide(run, peer, openSide)
  const rows: Row[] = []

  const server = await run.startServer(dataDir, { environment: WHOLE_ANSWERS })
  const webhooks = openSide(server, tenantKey, WEBHOOKS)
  const v1 = openSide(server, tenantKey, V1)
  rows.push(...(await askInterface(run, webhooks, theirs, loaded)))
  rows.push(...(await askRows(run, ONE_DOMAIN_ROWS, oneDomainQuestions(run, loaded), v1, webhooks)))
  if (MANY_ROWS.some((row) => run.wants(row))) {
    say('indexes of the peer for questions over many domains')
    await peer.indexForManyDomains()
    const source = makeSource(run, loaded)
    rows.push(...(await askRows(run, MANY_ROWS, (row) => makeManyQuestions(row, source), v1, theirs)))
  }
  await server.stop()

  if (run.wants('short_needle')) {
    await using hurried = await run.startServer(dataDir, { environment: SHORT_ANSWERS })
    rows.push(await measureShortNeedle(openSide(hurried, tenantKey, WEBHOOKS), theirs, run))
  }
  return rows
}

/** The peer's server has a data folder of its own, for its key. */
async function openPeerSide(run: Run, peer: Peer, openSide: OpenSide): Promise<Side> {
  const dataDir = join(run.folder, 'peer')
  mkdirSync(dataDir)
  const { tenantKey } = await createInstallation(dataDir, [])
  const program = [join(import.meta.dirname, 'peer/peer-server.ts'), peer.postgres.folder] as const
  return openSide(await run.startServer(dataDir, { program }), tenantKey, PEER)
}

async function askInterface(run: Run, ours: Side, theirs: Side, loaded: Loaded): Promise<Row[]> {
  const source = makeSource(run, loaded)
  return [
    ...(await askRows(run, QUERY_ROWS, (row) => makeQuestions(row, source), ours, theirs)),
    ...(await askRows(run, ['stats'], () => STATS_QUESTIONS, ours, theirs)),
  ]
}

async function askRows<Name extends RowName>(
  run: Run,
  names: readonly Name[],
  make: (name: Name) => readonly Question[],
  ours: Side,
  theirs: Side,
): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const name of names) {
    // Made for every row, so that a row asks the same whichever others are requested.
    const questions = make(name)
    if (!run.wants(name)) continue
    say(name)
    rows.push(await compareAnswers(name, questions, ours, theirs, run.options.isShort ? SHORT_ROUNDS : ROUNDS))
  }
  return rows
}

/** The questions of the row after which `v1_one_…` is named. */
function oneDomainQuestions(run: Run, loaded: Loaded): (row: (typeof ONE_DOMAIN_ROWS)[number]) => readonly Question[] {
  const source = makeSource(run, loaded)
  const questions = new Map<string, readonly Question[]>()
  for (const row of QUERY_ROWS) questions.set(`v1_one_${row}`, makeQuestions(row, source))
  return (row) => questions.get(row) ?? []
}

function makeSource({ window, options }: Run, { samples }: Loaded): QuestionSource {
  return { samples, window, random: createSeededRandom(options.seed) }
}
