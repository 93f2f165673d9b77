/** Ingest: the same mail into both engines over HTTP, part by part in turns, timed and with the processor time of every process. */
import type { EmailEvent } from '../../src/events/event.ts'
import type { Installation } from '../envelog/installation.ts'
import { createChunkMaker } from '../load/chunk.ts'
import { Figures } from '../load/figures.ts'
import type { BenchOptions } from '../options.ts'
import { SPARSE_TYPE } from '../questions/one-domain.ts'
import { say } from '../report/progress.ts'
import { type LoadedServer, loadChunk } from '../rows/load.ts'
import { dayBefore, generateTraffic, type Window } from '../traffic/traffic.ts'
import type { EngineRow } from './engines-table.ts'

export interface Engine {
  readonly installation: Installation
  /** Its processor time is that of all processes of the engine: what is left to do after the last response counts for all of them. */
  readonly server: LoadedServer
  /** By process. */
  readonly processorMs: () => Readonly<Record<string, number>>
}

export interface EnginesLoad {
  /** Including those of the warm-up. */
  readonly events: number
  readonly rows: readonly EngineRow[]
  /** Some of the events, evenly spread. */
  readonly samples: readonly EmailEvent[]
}

/** Events of a post. Parts have the one or the other, in turns. */
const POST_SIZES = [100, 1000]
const PARTS_MAX = 10
/** Enough for some posts of every connection. */
const PART_EVENTS = 10_000
const WARM_UP_EVENTS = 5000
const SAMPLES = 5000

/** What the parts of one size of posts took. */
class Measured {
  readonly rates: number[] = []
  readonly #ms = new Map<string, number>()
  #events = 0

  add(events: number, seconds: number, before: Readonly<Record<string, number>>, after: typeof before): void {
    this.rates.push(events / seconds)
    this.#events += events
    for (const [name, ms] of Object.entries(after)) this.#ms.set(name, this.ms(name) + ms - (before[name] ?? 0))
  }

  ms(name: string): number {
    return this.#ms.get(name) ?? 0
  }

  get processes(): readonly string[] {
    return [...this.#ms.keys()]
  }

  /** Processor time of one process, or of all. */
  perEventUs(name?: string): number {
    const names = name === undefined ? this.processes : [name]
    return (names.reduce((sum, one) => sum + this.ms(one), 0) * 1000) / this.#events
  }
}

export async function loadEngines(
  { events, seed }: BenchOptions,
  window: Window,
  ours: Engine,
  embedded: Engine,
): Promise<EnginesLoad> {
  const samples: EmailEvent[] = []
  const every = Math.max(1, Math.floor(events / SAMPLES))
  let seen = 0
  const spans = [[seed + 1, WARM_UP_EVENTS, dayBefore(window)] as const, [seed, events, window] as const]
  const traffic = spans.values().flatMap((span) => generateTraffic(...span))
  const nextChunk = createChunkMaker(traffic, new Map(), (event) => {
    if (event.timestamp < window.startTimestamp) return
    // All of the rarest type, which a sample of a small log may miss.
    if (seen++ % every === 0 || event.type === SPARSE_TYPE) samples.push(event)
  })
  const warmUp = nextChunk(WARM_UP_EVENTS)
  for (const { server, installation } of [ours, embedded])
    await loadChunk(warmUp, server, installation, undefined, false)

  const sizes = POST_SIZES.map((posted) => ({ posted, ours: new Measured(), embedded: new Measured() }))
  const parts = sizes.length * Math.max(1, Math.min(PARTS_MAX, Math.floor(events / PART_EVENTS)) >> 1)
  for (let part = 0, loaded = 0; part < parts; part++) {
    const due = Math.round((events * (part + 1)) / parts)
    const size = sizes[part % sizes.length] as (typeof sizes)[number]
    const chunk = nextChunk(due - loaded, size.posted)
    loaded = due
    const sides = [[ours, size.ours] as const, [embedded, size.embedded] as const]
    // Twice in this order, then twice in the other: each size of posts gets both.
    for (const [{ server, installation, processorMs }, measured] of part % 4 < 2 ? sides : sides.toReversed()) {
      const before = processorMs()
      const { ours: seconds } = await loadChunk(chunk, server, installation, undefined, false)
      measured.add(chunk.events, seconds, before, processorMs())
    }
    const rates = sides.map(([, { rates }]) => Math.round(rates.at(-1) ?? 0)).join(' and ')
    say(`${loaded} events loaded: ${rates} events/s in posts of ${size.posted}`)
  }
  return { events: events + WARM_UP_EVENTS, samples, rows: sizes.flatMap(toRows) }
}

function toRows({ posted, ours, embedded }: { posted: number; ours: Measured; embedded: Measured }): EngineRow[] {
  const name = `ingest, posts of ${posted.toLocaleString('en-US')}`
  return [
    {
      name,
      unit: 'events/s',
      clickhouse: Figures.of(ours.rates).median,
      embedded: Figures.of(embedded.rates).median,
    },
    {
      name: '  processor time',
      unit: 'µs/event',
      clickhouse: ours.perEventUs(),
      embedded: embedded.perEventUs(),
    },
    ...ours.processes.map((process) => ({
      name: `    ${process}`,
      unit: 'µs/event' as const,
      clickhouse: ours.perEventUs(process),
      ...(embedded.processes.includes(process) && { embedded: embedded.perEventUs(process) }),
    })),
  ]
}
