/** The first step: the same mail into both sides, part by part, with a measurement of both after every part. */
import type { EmailEvent } from '../src/events/event.ts'
import { measurePages } from './curve.ts'
import { copyInstallation } from './envelog/installation.ts'
import { type Chunk, createChunkMaker } from './load/chunk.ts'
import { SPARSE_TYPE } from './questions/one-domain.ts'
import { PAGE_EVENTS } from './questions/question.ts'
import type { CurvePoint } from './report/plot.ts'
import { say } from './report/progress.ts'
import { type LoadedPart, loadChunk, untilIdle } from './rows/load.ts'
import type { Run } from './setup.ts'
import { DOMAIN_NAMES, dayBefore, generateTraffic, TrafficCount, type TrafficSummary } from './traffic/traffic.ts'

const PARTS = 20
const SHORT_PARTS = 4
const CURVE_DOMAINS = 100
const SAMPLES = 5000

export interface Loaded {
  /** Including those of the warm-up. */
  readonly events: number
  readonly parts: readonly LoadedPart[]
  readonly curve: readonly CurvePoint[]
  readonly summary: TrafficSummary
  /** Some of the events, evenly spread, to make questions of. */
  readonly samples: readonly EmailEvent[]
  /** Domains that filled a page when the first part was loaded, a twentieth of a whole run. */
  readonly earlyDomains: readonly string[]
}

export async function loadBothSides(run: Run): Promise<Loaded> {
  const { installation, peer, window } = run
  const { events, seed, isShort } = run.options
  const partCount = isShort ? SHORT_PARTS : PARTS
  const server = await run.startServer(installation.dataDir)
  const warmUp = Math.max(1000, Math.round(events / 50))
  const count = new TrafficCount()
  const samples: EmailEvent[] = []
  const sampleEvery = Math.max(1, Math.floor(events / SAMPLES))
  const earlyEvents = new Map<string, number>()
  let seen = 0
  const spans = [[seed + 1, warmUp, dayBefore(window)] as const, [seed, events, window] as const]
  const traffic = spans.values().flatMap((span) => generateTraffic(...span))
  const nextChunk = createChunkMaker(traffic, installation.domains, (event, json) => {
    count.add(event, Buffer.byteLength(json))
    if (event.timestamp < window.startTimestamp) return
    // All of the rarest type, which a sample of a small log may miss.
    if (seen++ % sampleEvery === 0 || event.type === SPARSE_TYPE) samples.push(event)
    if (parts.length === 0) earlyEvents.set(event.domain_name, (earlyEvents.get(event.domain_name) ?? 0) + 1)
  })
  const target = run.pagesOf(server)
  const domains = DOMAIN_NAMES.slice(0, CURVE_DOMAINS)
  const parts: LoadedPart[] = []
  const curve: CurvePoint[] = []
  const load = (chunk: Chunk) => loadChunk(chunk, server, installation, peer, parts.length % 2 === 1)

  await load(nextChunk(warmUp))
  for (let loaded = 0; parts.length < partCount; ) {
    const due = Math.round((events * (parts.length + 1)) / partCount)
    const part = await load(nextChunk(due - loaded))
    loaded = due
    parts.push(part)
    const pageMs = await measurePages(target, peer, domains, window)
    curve.push({ events: loaded, ingest: toRates(part), pageMs })
    if (parts.length === 1) await copyInstallation(installation.dataDir, run.twentiethDir)
    say(describe(loaded, curve.at(-1)))
  }
  if (peer) {
    say('waiting until the server is idle')
    await untilIdle(server, run.options)
  }
  await server.stop()
  const earlyDomains = [...earlyEvents].filter(([, seen]) => seen >= PAGE_EVENTS).map(([name]) => name)
  return { events: events + warmUp, parts, curve, summary: count.summary(), samples, earlyDomains }
}

function toRates({ events, ours, peer }: LoadedPart): CurvePoint['ingest'] {
  return { ours: events / ours, peer: peer === undefined ? null : events / peer }
}

function describe(loaded: number, point: CurvePoint | undefined): string {
  const whole = (value: number | null | undefined) => Math.round(value ?? 0).toLocaleString('en-US')
  const peer = point?.ingest.peer ? `, peer ${whole(point.ingest.peer)}` : ''
  return `${whole(loaded)} events loaded: ${whole(point?.ingest.ours)} events/s${peer}`
}
