/** Where records go: into the data folder of this machine, or over HTTP to a server on another one. */
import { readFileSync } from 'node:fs'
import { zstdCompressSync } from 'node:zlib'
import { ingestRecords } from '../../events/ingest-events.ts'
import { toRawRecord } from '../../events/raw-record.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Service } from '../../open-service.ts'
import { ingestDependencies } from '../import/import-records.ts'

export interface SendResult {
  readonly stored: number
  readonly duplicates: number
  /** Reasons, one for each record that was put into quarantine. */
  readonly rejected: readonly string[]
}

export interface Destination {
  /**
   * Resolves when everything is durable, or in quarantine. Rejects with AppError `storage_unavailable` or `overloaded`
   * where the same records may be accepted later.
   */
  send(connector: string, records: readonly Buffer[], signal: AbortSignal): Promise<SendResult>
}

export function localDestination(service: Service): Destination {
  const dependencies = ingestDependencies(service)
  return {
    async send(name, records) {
      const connector = service.connectors.get(name)
      if (!connector) throw new Error(`there is no connector named ${name}`)
      const { stored, duplicates, rejected } = await ingestRecords(dependencies, connector, records.map(toRawRecord))
      return { stored, duplicates, rejected: rejected.map(({ error }) => error) }
    },
  }
}

export interface RemoteOptions {
  /** Of the server, such as https://envelog.example.com */
  readonly url: string
  /** Holds an operator's key with the scope ingest. Read at every request, so that it can be replaced. */
  readonly keyFile: string
}

const REQUEST_TIMEOUT_MS = 60_000

export function remoteDestination({ url, keyFile }: RemoteOptions): Destination {
  const base = url.replace(/\/+$/, '')
  return {
    async send(connector, records, signal) {
      const address = `${base}/ingest/${connector}`
      const answer = await post(address, readKey(keyFile), records, signal)
      // A proxy, a wrong key, a server that starts or is full: all of them pass, or somebody mends them.
      if (answer.status !== 200) throw notNow(`${address} answered ${answer.status} ${await shortText(answer)}`)
      const { stored, duplicates, rejected } = (await answer.json()) as {
        readonly stored: number
        readonly duplicates: number
        readonly rejected: readonly { readonly error: string }[]
      }
      return { stored, duplicates, rejected: rejected.map(({ error }) => error) }
    },
  }
}

async function post(address: string, key: string, records: readonly Buffer[], signal: AbortSignal): Promise<Response> {
  const body = new Uint8Array(zstdCompressSync(Buffer.concat(records.flatMap((record) => [asJson(record), NEWLINE]))))
  try {
    return await fetch(address, {
      method: 'POST',
      body,
      headers: { authorization: key, 'content-type': 'application/x-ndjson', 'content-encoding': 'zstd' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    })
  } catch (error) {
    const { cause } = error as Error
    throw notNow(`${address} cannot be reached: ${cause instanceof Error ? cause.message : String(error)}`, error)
  }
}

const NEWLINE = Buffer.from('\n')

/** A request in which nothing is JSON is refused whole, so a line that is none travels as a JSON text. */
function asJson(record: Buffer): Buffer {
  const text = record.toString('utf8')
  try {
    JSON.parse(text)
    return record
  } catch {
    return Buffer.from(JSON.stringify(text))
  }
}

function readKey(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw notNow(
      `the key file ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      error,
    )
  }
}

function notNow(words: string, cause?: unknown): AppError {
  return new AppError('storage_unavailable', words, { cause })
}

async function shortText(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => '')
  return text.slice(0, 200).replaceAll(/\s+/g, ' ')
}
