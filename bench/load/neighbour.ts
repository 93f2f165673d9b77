/**
 * A tenant that asks for as much as it can: on a thread of its own, so that reading its answers does not delay the measurement.
 * It waits after a refusal, as long as it is asked to.
 */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { Pool } from 'undici'

interface Neighbourhood {
  readonly address: string
  readonly key: string
  /** Each is asked again as soon as it is answered. */
  readonly paths: readonly string[]
}

/** Resolves when the first request is answered; by then all are running or waiting. Dispose of it to end the load. */
export async function startNeighbour(neighbourhood: Neighbourhood): Promise<AsyncDisposable> {
  const worker = new Worker(import.meta.filename, { workerData: neighbourhood })
  await once(worker, 'message')
  return {
    async [Symbol.asyncDispose]() {
      await worker.terminate()
    },
  }
}

/** Asks until the answer is not a refusal: the reads that were asked for before have ended then. */
export async function askPatiently({ address, key, paths }: Neighbourhood): Promise<void> {
  await using pool = openPool(address, 1)
  for (const path of paths) while ((await ask(pool, path, key)) === 429);
}

async function ask(pool: Pool, path: string, key: string): Promise<number> {
  const { statusCode, headers, body } = await pool.request({ method: 'GET', path, headers: { authorization: key } })
  for await (const _piece of body);
  if (statusCode === 429) await sleep(Number(headers['retry-after'] ?? 1) * 1000)
  else if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`)
  return statusCode
}

function openPool(address: string, connections: number): Pool & AsyncDisposable {
  const pool = new Pool(address, { connections, pipelining: 1 })
  return Object.assign(pool, { [Symbol.asyncDispose]: () => pool.destroy() })
}

if (!isMainThread && parentPort) {
  const { address, key, paths } = workerData as Neighbourhood
  const pool = openPool(address, paths.length)
  await Promise.all(
    paths.map(async (path) => {
      for (;;) {
        await ask(pool, path, key)
        parentPort?.postMessage('answered')
      }
    }),
  )
}
