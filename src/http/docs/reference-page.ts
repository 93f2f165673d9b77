/**
 * GET /docs: the API reference as an interactive page.
 *
 * Everything is served by this server. Scripts are separate files, so that the page's policy can forbid inline scripts.
 */
import fastify, { type FastifyInstance } from 'fastify'
import { compressFile, type StaticFile, sendFile } from '../answers/static-file.ts'
import { DOCUMENTS, documentPath } from './openapi.ts'

const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The reference sets styles from its script.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const BUNDLE_PATH = '/docs/scalar.js'
const START_PATH = '/docs/start.js'

const LINKS = DOCUMENTS.map(({ name, title }) => `<li><a href="${documentPath(name)}">${title}</a></li>`).join(
  '\n        ',
)

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Envelog API</title>
  </head>
  <body>
    <div id="app"></div>
    <noscript>
      <p>The reference needs JavaScript. The OpenAPI documents:</p>
      <ul>
        ${LINKS}
      </ul>
    </noscript>
    <script src="${BUNDLE_PATH}"></script>
    <script src="${START_PATH}"></script>
  </body>
</html>
`

/** Settings that keep the reference from loading anything from other servers. */
const SETTINGS = {
  sources: DOCUMENTS.map(({ name, title }) => ({ slug: name, title, url: documentPath(name) })),
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
}

const START_SCRIPT = `Scalar.createApiReference('#app', ${JSON.stringify(SETTINGS)})\n`

const route = { config: { surface: 'docs', access: 'public' }, schema: { hide: true } } as const

export function addReferencePage(scope: FastifyInstance): void {
  let bundle: Promise<StaticFile> | undefined

  for (const path of ['/docs', '/docs/']) {
    scope.get(path, route, async (_request, reply) =>
      reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(PAGE),
    )
  }
  scope.get(START_PATH, route, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(START_SCRIPT),
  )
  scope.get(BUNDLE_PATH, route, async (request, reply) => {
    bundle ??= loadBundle().then((script) => compressFile('text/javascript; charset=utf-8', script))
    return sendFile(request, reply.header('cache-control', 'public, max-age=3600'), await bundle)
  })
}

/**
 * The package provides its script only through a plugin that also adds routes, redirects and an inline script, so the plugin is
 * registered in a temporary app. Loaded on demand because it has four megabytes.
 */
async function loadBundle(): Promise<string> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const scratch = fastify()
  try {
    await scratch.register(apiReference, { routePrefix: '/', configuration: { url: '/' } })
    const answer = await scratch.inject('/js/scalar.js')
    if (answer.statusCode !== 200) throw new Error(`the API reference has no script: ${answer.statusCode}`)
    return answer.body
  } finally {
    await scratch.close()
  }
}
