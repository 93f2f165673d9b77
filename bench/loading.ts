/** The first step: the same mail into both sides, part by part, with a look at both after every part. */
import type { EmailEvent } from '../src/events/event.ts'
import { type Chunk, ChunkMaker } from './chunk.ts'
import { type CurvePoint, measurePages } from './curve.ts'
import { openFolder } from './installation.ts'
import { say } from './progress.ts'
import { PAGE_EVENTS } from './question.ts'
import { type LoadedPart, loadChunk } from './rows/load.ts'
import type { Run } from './run.ts'
import { Samples } from './samples.ts'
import type { ServerProcess } from './server-process.ts'
import { dayBefore, generateTraffic, PROFILES, TrafficCount, type TrafficSummary } from './traffic.ts'

const PARTS = 20
const CURVE_DOMAINS = 100

export interface Loaded {
  /** All of them, those that got the sides warm included. */
  readonly events: number
  readonly parts: readonly LoadedPart[]
  readonly curve: readonly CurvePoint[]
  readonly summary: TrafficSummary
  readonly samples: Samples
  /** Domains that filled a page when a twentieth was loaded. */
  readonly earlyDomains: readonly string[]
}

export async function loadBothSides(run: Run, server: ServerProcess): Promise<Loaded> {
  const { installation, peer, window } = run
  const { events, seed } = run.options
  const warmUp = Math.max(1000, Math.round(events / 50))
  const count = new TrafficCount()
  const samples = new Samples(events)
  const earlyEvents = new Map<string, number>()
  const traffic = inTurn(generateTraffic(seed + 1, warmUp, dayBefore(window)), generateTraffic(seed, events, window))
  const maker = new ChunkMaker(traffic, installation.domains, count, (event) => {
    if (event.timestamp < window.startTimestamp) return
    samples.offer(event)
    if (parts.length === 0) earlyEvents.set(event.domain_name, (earlyEvents.get(event.domain_name) ?? 0) + 1)
  })
  const target = run.pagesOf(server)
  const domains = PROFILES.slice(0, CURVE_DOMAINS).map(({ domainName }) => domainName)
  const parts: LoadedPart[] = []
  const curve: CurvePoint[] = []
  const load = (chunk: Chunk) => loadChunk(chunk, server, installation, peer, parts.length % 2 === 1)

  await load(maker.next(warmUp))
  for (let loaded = 0; parts.length < PARTS; ) {
    const due = Math.round((events * (parts.length + 1)) / PARTS)
    const part = await load(maker.next(due - loaded))
    loaded = due
    parts.push(part)
    const pageMs = await measurePages(target, peer, domains, window)
    curve.push({ events: loaded, ingest: toRates(part), pageMs })
    if (parts.length === 1) await copyFolder(installation.dataDir, run.twentiethDir)
    say(describe(loaded, curve.at(-1)))
  }
  const earlyDomains = [...earlyEvents].filter(([, seen]) => seen >= PAGE_EVENTS).map(([name]) => name)
  return { events: events + warmUp, parts, curve, summary: count.summary(), samples, earlyDomains }
}

function* inTurn(...sources: readonly Iterable<EmailEvent>[]): Generator<EmailEvent> {
  for (const source of sources) yield* source
}

function toRates({ events, ours, peer }: LoadedPart): CurvePoint['ingest'] {
  return { ours: events / ours, peer: peer === undefined ? null : events / peer }
}

async function copyFolder(dataDir: string, into: string): Promise<void> {
  const service = await openFolder(dataDir)
  try {
    await service.storage.backup(into)
  } finally {
    await service.close()
  }
}

function describe(loaded: number, point: CurvePoint | undefined): string {
  const whole = (value: number | null | undefined) => Math.round(value ?? 0).toLocaleString('en-US')
  const peer = point?.ingest.peer ? `, peer ${whole(point.ingest.peer)}` : ''
  return `${whole(loaded)} events loaded: ${whole(point?.ingest.ours)} events/s${peer}`
}
