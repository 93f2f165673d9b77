/**
 * The peer behind HTTP: the product's own server with one route that asks PostgreSQL. It takes the question as JSON and does
 * not check it.
 *
 *     node bench/peer/peer-server.ts FOLDER    the folder with PostgreSQL's socket
 */

import { connectTo } from '../../test/harness/storage/postgres-process.ts'
import { serveWithRoutes } from '../envelog/serve-with-routes.ts'
import type { Question } from '../questions/question.ts'
import { openPeerLog } from './peer-log.ts'

const [, , folder = ''] = process.argv
const log = await openPeerLog(() => connectTo(folder))

await serveWithRoutes((scope) => {
  scope.get<{ Querystring: { question: string; after?: string } }>(
    '/peer',
    { config: { surface: 'v1', access: { tenant: 'logs' } } },
    async ({ query }, reply) => {
      const prepared = log.prepare(JSON.parse(query.question) as Question, query.after)
      const answer = prepared.read(await prepared.ask())
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer))
    },
  )
  scope.addHook('onClose', () => log.close())
})
