/**
 * The app inside the process of a command, for a data folder without a running server: the routes that commands use, without a
 * port or documentation, and with the caller as the local operator.
 */
import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { LOCAL_TOKEN_HEADER } from './access/local-caller.ts'
import type { AdministrationDeps } from './app-deps.ts'
import { buildBareApp } from './bare-app.ts'
import { addIngest } from './ingest/ingest.ts'
import { readSmallBodies } from './request/json-body.ts'
import { addAdministration } from './v1/administration/administration.ts'

export interface LocalRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface LocalAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Streamed as the route writes it. Read it to its end or destroy it. */
  readonly body: Readable
}

export interface LocalApp {
  request(request: LocalRequest): Promise<LocalAnswer>
  /** Waits for requests in flight. */
  close(): Promise<void>
}

export async function buildLocalApp(deps: Omit<AdministrationDeps, 'localToken'>): Promise<LocalApp> {
  const localToken = randomBytes(32).toString('base64url')
  const app = await buildBareApp({ ...deps, localToken }, (bare) => {
    bare.register(async (scope) => {
      readSmallBodies(scope)
      addAdministration(scope, deps)
    })
    bare.register(async (scope) => addIngest(scope, deps))
  })
  return {
    async request({ method, path, query = {}, headers, body }) {
      const search = new URLSearchParams()
      for (const [name, values] of Object.entries(query))
        for (const value of [values].flat()) search.append(name, value)
      const answer = await app.inject({
        method,
        url: search.size === 0 ? path : `${path}?${search.toString()}`,
        headers: { ...headers, [LOCAL_TOKEN_HEADER]: localToken },
        ...(body !== undefined && { payload: typeof body === 'string' ? body : Buffer.from(body) }),
        payloadAsStream: true,
      })
      return { status: answer.statusCode, headers: answer.headers as IncomingHttpHeaders, body: answer.stream() }
    },
    close: () => app.close(),
  }
}
