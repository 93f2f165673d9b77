/** `ingest` and `growth_ingest`: the traffic is loaded into both sides, part by part in turns, and every part is timed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmailEvent } from '../../src/events/event.ts'
import type { Installation } from '../envelog/installation.ts'
import type { Chunk } from '../load/chunk.ts'
import { Figures } from '../load/figures.ts'
import { postRequest, saturate } from '../load/http-load.ts'
import type { Peer } from '../peer/peer.ts'
import { judge, type Row } from '../report/row.ts'

/** Enough for group commits; a sending platform has about as many machines. */
const CONNECTIONS = 32
const SEARCHABLE_WITHIN_MS = 5000
/** A server that has used hardly any processor time for this long has no work left. */
const QUIET_MS = 300
/** Longer than a day must be idle before its compaction starts. */
const IDLE_MS = 6000
const POLL_MS = 50
const POLL_BUSY_MS = 10

export interface LoadedServer {
  readonly address: string
  /** If several servers share the load, all of them. */
  readonly addresses?: readonly [string, ...string[]]
  /** Processor time of all processes so far. */
  processorMs(): number
}

/** Seconds that each side needed for the events of one part. */
export interface LoadedPart {
  readonly events: number
  readonly ours: number
  readonly peer: number | undefined
}

export async function loadChunk(
  chunk: Chunk,
  server: LoadedServer,
  installation: Installation,
  peer: Peer | undefined,
  isPeerFirst: boolean,
): Promise<LoadedPart> {
  const peers = async () => {
    if (!peer) return undefined
    const started = performance.now()
    await peer.load(chunk.copies)
    return (performance.now() - started) / 1000
  }
  const before = isPeerFirst ? await peers() : undefined
  const ours = await ingest(chunk, server, installation)
  return { events: chunk.events, ours, peer: isPeerFirst ? before : await peers() }
}

async function ingest(chunk: Chunk, server: LoadedServer, installation: Installation): Promise<number> {
  const requests = chunk.posts.values().map((body) => postRequest('/ingest/events', installation.ingestKey, body))
  let stored = 0
  const { seconds } = await saturate(
    server.addresses ?? server.address,
    CONNECTIONS,
    () => requests.next().value,
    (body) => {
      stored += (JSON.parse(body) as { stored: number }).stored
    },
  )
  if (stored !== chunk.events) throw new Error(`only ${stored} of ${chunk.events} events were stored`)
  await requireSearchable(chunk.last, server, installation)
  return seconds + (await workLeft(server)) / 1000
}

/** Waits until the newest event is found by a substring of its recipient. */
async function requireSearchable(event: EmailEvent, server: LoadedServer, { tenantKey }: Installation): Promise<void> {
  const { domain_name, recipient, timestamp, id } = event
  const query = new URLSearchParams({
    recipient: recipient.slice(1),
    start_timestamp: String(timestamp),
    end_timestamp: String(timestamp),
  })
  const url = `${server.address}/webhooks/${domain_name}?${query.toString()}`
  const deadline = performance.now() + SEARCHABLE_WITHIN_MS
  for (;;) {
    const response = await fetch(url, { headers: { authorization: tenantKey } })
    if ((await response.text()).includes(id)) return
    if (performance.now() > deadline) throw new Error('an event could not be found 5 s after it was acknowledged')
    await sleep(POLL_MS)
  }
}

/** Lets the server finish compaction, as the peer is vacuumed. A short run does not wait until that begins. */
export async function untilIdle(server: LoadedServer, { isShort }: { readonly isShort: boolean }): Promise<void> {
  await workLeft(server, isShort ? QUIET_MS : IDLE_MS)
}

/** Processor milliseconds that the server uses after its last response: deferred work counts as time, too. */
async function workLeft(server: LoadedServer, quietMs = QUIET_MS): Promise<number> {
  const atAnswer = server.processorMs()
  let used = atAnswer
  let quietSince = performance.now()
  while (performance.now() - quietSince < quietMs) {
    await sleep(POLL_MS)
    const now = server.processorMs()
    if (now - used > POLL_BUSY_MS) quietSince = performance.now()
    used = now
  }
  return used - atAnswer
}

export function judgeLoad(parts: readonly LoadedPart[]): readonly Row[] {
  const peerRates = parts.flatMap(({ events, peer }) => (peer === undefined ? [] : [events / peer]))
  const tenth = Math.ceil(parts.length / 10)
  return [
    ...(peerRates.length > 0 ? [judge('ingest', ingestRate(parts), Figures.of(peerRates).median)] : []),
    judge('growth_ingest', rateOf(parts.slice(-tenth)), rateOf(parts.slice(0, tenth))),
  ]
}

/** Events per second over HTTP in posts of 100. */
export function ingestRate(parts: readonly LoadedPart[]): number {
  return Figures.of(parts.map(({ events, ours }) => events / ours)).median
}

function rateOf(parts: readonly LoadedPart[]): number {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return sum(parts.map(({ events }) => events)) / sum(parts.map(({ ours }) => ours))
}
