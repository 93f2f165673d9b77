/**
 * GET /docs/guide: the documents of this version as pages, and the files that they load. The build renders them
 * (scripts/guide/); here they are only served.
 */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { CACHE_BRIEFLY, CACHE_FOREVER, PAGE_POLICY } from '../answers/response-headers.ts'
import { sendFile } from '../answers/static-file.ts'
import type { ConsoleFiles } from '../console/console-files.ts'
import { GUIDE_URL } from './site/site.ts'

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><title>Envelog</title></head>
  <body>
    <h1>The guide is not built</h1>
    <p>Run <code>npm ci</code> and <code>npm run build</code> in the folder of Envelog, then start the server again.</p>
    <p>The same documents are in its folder <code>docs</code>, and the <a href="/docs">API reference</a> works.</p>
  </body>
</html>
`

/** Files that pages load; everything else below /docs/guide/ is the name of a page. */
const FILE = /^(?:assets|images)\/[^/]+$|^search\.json$/

const route = { config: { surface: 'docs', access: 'public' }, schema: { hide: true } } as const

/** Without files, the first page says how to build them. */
export function addGuide(scope: FastifyInstance, files: ConsoleFiles | undefined): void {
  for (const path of [GUIDE_URL, `${GUIDE_URL}/`]) {
    scope.get(path, route, async (request, reply) => {
      reply.header('content-security-policy', PAGE_POLICY)
      const page = files?.get('guide/pages/index.html')
      if (!page) return reply.type('text/html; charset=utf-8').send(NOT_BUILT)
      return sendFile(request, reply.header('cache-control', 'no-cache'), page)
    })
  }
  scope.get<{ Params: { '*': string } }>(`${GUIDE_URL}/*`, route, async (request, reply) => {
    const name = request.params['*']
    const isFile = FILE.test(name)
    const file = files?.get(isFile ? `guide/${name}` : `guide/pages/${name}.html`)
    if (!file) throw new AppError('not_found', isFile ? 'No such file' : 'No such page of the guide')
    if (isFile) return sendFile(request, reply.header('cache-control', cachingOf(name)), file)
    return sendFile(
      request,
      reply.header('content-security-policy', PAGE_POLICY).header('cache-control', 'no-cache'),
      file,
    )
  })
}

/** Only the names of assets have a hash. The texts of the search belong to the pages, which are asked for anew each time. */
function cachingOf(name: string): string {
  if (name === 'search.json') return 'no-cache'
  return name.startsWith('assets/') ? CACHE_FOREVER : CACHE_BRIEFLY
}
