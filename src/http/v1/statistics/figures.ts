/** GET /v1/stats/figures: the definitions of the figures. */
import type { FastifyInstance } from 'fastify'
import { listFigures } from '../../../stats/figures.ts'
import { json, routesOf } from '../../routes/route.ts'
import { FiguresSchema } from './figures.wire.ts'

export function addFigures(scope: FastifyInstance): void {
  routesOf(
    scope,
    'v1',
    'key',
  )('GET /v1/stats/figures', {
    operationId: 'listFigures',
    summary: 'Definitions of the figures',
    description:
      'The figures that `GET /v1/stats/series` counts with `group=figure` and the console shows: which event types each of ' +
      'them counts, and which figures its share is relative to. They change only with the version of the server.',
    answer: json('The figures.', FiguresSchema),
    handle: () => ({ figures: listFigures() }),
  })
}
