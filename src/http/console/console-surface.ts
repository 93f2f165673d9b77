/**
 * The web console at `/`: one page for all of its addresses, and the files that the page loads.
 *
 * The page contains no data: it signs in and uses /v1 like any other client. Its Content-Security-Policy allows scripts
 * and styles of this server only, none of them inline, so that injected text cannot become code.
 */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { CACHE_BRIEFLY, CACHE_FOREVER, PAGE_POLICY } from '../answers/response-headers.ts'
import { sendFile } from '../answers/static-file.ts'
import type { ConsoleFiles } from './console-files.ts'

/** Addresses of the page. All other unknown paths stay errors, so that a mistyped API path returns 404. */
const MAIL_PATHS = ['/overview', '/log', '/domains', '/domains/:name', '/sending'] as const
const PAGE_PATHS = [
  '/',
  ...MAIL_PATHS,
  '/operator',
  '/operator/:page',
  '/tenant/:id',
  ...MAIL_PATHS.map((path) => `/tenant/:id${path}`),
]

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Envelog</title></head>
  <body>
    <h1>The console is not built</h1>
    <p>Run <code>npm ci</code> and <code>npm run build</code> in the folder of Envelog, then start the server again.</p>
    <p>Everything else works: the <a href="/docs">API reference</a>, ingest, and the command line.</p>
  </body>
</html>
`

const route = { config: { surface: 'console', access: 'public' }, schema: { hide: true } } as const

/** Without files, the page says how to build the console. */
export function addConsoleSurface(scope: FastifyInstance, files: ConsoleFiles | undefined): void {
  const page = files?.get('index.html')
  for (const path of PAGE_PATHS) {
    scope.get(path, route, async (request, reply) => {
      reply.header('content-security-policy', PAGE_POLICY)
      if (!page) return reply.type('text/html; charset=utf-8').send(NOT_BUILT)
      // The page refers to its files by hash: a cached page would load files that no longer exist.
      return sendFile(request, reply.header('cache-control', 'no-cache'), page)
    })
  }
  scope.get<{ Params: { '*': string } }>('/assets/*', route, async (request, reply) => {
    const file = files?.get(`assets/${request.params['*']}`)
    if (!file) throw new AppError('not_found', 'No such file')
    return sendFile(request, reply.header('cache-control', file.isImmutable ? CACHE_FOREVER : CACHE_BRIEFLY), file)
  })
}
