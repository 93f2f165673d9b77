/**
 * GET /docs: the API reference, and below it a page for each part of the API.
 *
 * Rendered when it is first asked for, from the documents that this server serves: the names of fields depend on its configuration.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { madeOnce } from '../../lib/made-once.ts'
import { PAGE_POLICY } from '../answers/response-headers.ts'
import { compressFile, type StaticFile, sendFile } from '../answers/static-file.ts'
import type { ConsoleFiles } from '../console/console-files.ts'
import { DOCUMENTS } from './openapi.ts'
import type { OpenapiDocument } from './reference/openapi-document.ts'
import {
  listReferenceSections,
  partUrl,
  type ReferencePart,
  renderOverview,
  renderPart,
} from './reference/reference-pages.ts'
import { BARE_SITE, REFERENCE_URL, type Site } from './site/site.ts'

const HTML = 'text/html; charset=utf-8'

const route = { config: { surface: 'docs', access: 'public' }, schema: { hide: true } } as const

/** Without files, the pages have neither style nor search. */
export function addReference(scope: FastifyInstance, files: ConsoleFiles | undefined): void {
  const site = readSite(files)
  const parts = madeOnce(async () => readParts(scope))
  const overview = madeOnce(async () => compressFile(HTML, renderOverview(site, await parts())))
  const texts = madeOnce(async () => {
    const sections = listReferenceSections(await parts())
    return compressFile('application/json; charset=utf-8', JSON.stringify(sections))
  })

  for (const path of [REFERENCE_URL, `${REFERENCE_URL}/`]) {
    scope.get(path, route, async (request, reply) => sendPage(request, reply, await overview()))
  }
  for (const { name } of DOCUMENTS) {
    const page = madeOnce(async () => {
      const part = (await parts()).find((candidate) => candidate.name === name)
      if (!part) throw new AppError('not_found', 'No such page of the reference')
      return compressFile(HTML, await renderPart(site, part))
    })
    scope.get(partUrl(name), route, async (request, reply) => sendPage(request, reply, await page()))
  }
  scope.get(`${REFERENCE_URL}/reference/search.json`, route, async (request, reply) =>
    sendFile(request, reply.header('cache-control', 'no-cache'), await texts()),
  )
}

function sendPage(request: FastifyRequest, reply: FastifyReply, page: StaticFile): FastifyReply {
  return sendFile(
    request,
    reply.header('content-security-policy', PAGE_POLICY).header('cache-control', 'no-cache'),
    page,
  )
}

/** The documents, with a turn of the thread for each: the largest takes milliseconds. */
async function readParts(scope: FastifyInstance): Promise<readonly ReferencePart[]> {
  const parts: ReferencePart[] = []
  for (const { name } of DOCUMENTS) {
    const document = scope.openapiDocuments.get(name)?.() as OpenapiDocument | undefined
    if (document) parts.push({ name, document })
    await nextTurn()
  }
  return parts
}

function readSite(files: ConsoleFiles | undefined): Site {
  const file = files?.get('guide/site.json')
  return file ? (JSON.parse(file.identity.toString()) as Site) : BARE_SITE
}
