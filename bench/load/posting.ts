/** Posts events at a fixed rate: on a thread of its own, so that sending them does not delay the measurement of other requests. */
import { once } from 'node:events'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { keepPace, type Pace, postRequest } from './http-load.ts'

interface Posting {
  readonly address: string
  readonly ingestKey: string
  readonly pace: Pace
  readonly bodies: readonly Uint8Array[]
}

/** Resolves when it begins. Await `ended`, which rejects if a post was refused. */
export async function startPosting(posting: Posting): Promise<{ readonly ended: Promise<unknown> }> {
  const worker = new Worker(import.meta.filename, { workerData: posting })
  await once(worker, 'message')
  return { ended: once(worker, 'exit') }
}

if (!isMainThread && parentPort) {
  const { address, ingestKey, pace, bodies } = workerData as Posting
  const posts = bodies.map((body) => postRequest('/ingest/events', ingestKey, Buffer.from(body))).values()
  parentPort.postMessage('begins')
  await keepPace(address, pace, () => posts.next().value)
}
