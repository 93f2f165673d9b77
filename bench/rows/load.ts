/** `ingest` and `growth_ingest`: the traffic goes into both sides, part by part in turns, and every part is timed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmailEvent } from '../../src/events/event.ts'
import type { Chunk } from '../chunk.ts'
import { getRequest, HttpConnection, postRequest } from '../http-connection.ts'
import { saturate } from '../http-load.ts'
import type { Installation } from '../installation.ts'
import { median } from '../measure.ts'
import type { Peer } from '../peer/peer.ts'
import { judge, type Row } from '../row.ts'
import type { ServerProcess } from '../server-process.ts'

/** As many as a group commit needs to be worth its name; a sending platform has that many machines. */
const CONNECTIONS = 32
const SEARCHABLE_WITHIN_MS = 5000
/** A server that has used hardly any processor for this long has nothing left to do. */
const QUIET_MS = 300
/** Longer than a day has to be left alone to be at rest. */
const AT_REST_MS = 6000
const POLL_MS = 50
const POLL_BUSY_MS = 10

/** Seconds that each side took for the events of one part. */
export interface LoadedPart {
  readonly events: number
  readonly ours: number
  readonly peer: number | undefined
}

export async function loadChunk(
  chunk: Chunk,
  server: ServerProcess,
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

async function ingest(chunk: Chunk, server: ServerProcess, installation: Installation): Promise<number> {
  // Made when its turn comes: a part of a large log fills much memory as it is.
  const requests = chunk.posts.values().map((body) => postRequest('/ingest/events', installation.ingestKey, body))
  let stored = 0
  const { seconds } = await saturate(
    server.address,
    CONNECTIONS,
    () => requests.next().value,
    (body) => {
      stored += (JSON.parse(body.toString()) as { stored: number }).stored
    },
  )
  if (stored !== chunk.events) throw new Error(`of ${chunk.events} events ${stored} were stored`)
  await requireSearchable(chunk.last, server, installation)
  return seconds + (await workLeft(server)) / 1000
}

/** The newest event is found by a substring of its recipient. */
async function requireSearchable(event: EmailEvent, server: ServerProcess, { tenantKey }: Installation): Promise<void> {
  const { domain_name, recipient, timestamp, id } = event
  const query = new URLSearchParams({
    recipient: recipient.slice(1),
    start_timestamp: String(timestamp),
    end_timestamp: String(timestamp),
  })
  const connection = await HttpConnection.open(server.address)
  const deadline = performance.now() + SEARCHABLE_WITHIN_MS
  try {
    for (;;) {
      const { body } = await connection.send(getRequest(`/webhooks/${domain_name}?${query.toString()}`, tenantKey))
      if (body.includes(id)) return
      if (performance.now() > deadline) throw new Error('an event could not be found 5 s after it was acknowledged')
      await sleep(POLL_MS)
    }
  } finally {
    connection.close()
  }
}

/** A server that is left alone does what it has put off until nobody writes to a day any more, as the peer vacuums. */
export async function untilAtRest(server: ServerProcess): Promise<void> {
  await workLeft(server, AT_REST_MS)
}

/** Processor milliseconds that the server still works after its last answer: put off is not saved, so they count as time. */
async function workLeft(server: ServerProcess, quietMs = QUIET_MS): Promise<number> {
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
  const rates = parts.map(({ events, ours }) => events / ours)
  const peerRates = parts.flatMap(({ events, peer }) => (peer === undefined ? [] : [events / peer]))
  const tenth = Math.ceil(parts.length / 10)
  return [
    ...(peerRates.length > 0 ? [judge('ingest', median(rates), median(peerRates))] : []),
    judge('growth_ingest', rateOf(parts.slice(-tenth)), rateOf(parts.slice(0, tenth))),
  ]
}

/** Events a second over HTTP in posts of 100. */
export function ingestRate(parts: readonly LoadedPart[]): number {
  return median(parts.map(({ events, ours }) => events / ours))
}

function rateOf(parts: readonly LoadedPart[]): number {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return sum(parts.map(({ events }) => events)) / sum(parts.map(({ ours }) => ours))
}
