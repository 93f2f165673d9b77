/** GET /v1/stats/figures: the definitions of the figures in the statistics. */
import { EVENT_TYPES } from '../../../events/event.ts'
import * as t from '../../../lib/json-schema.ts'
import { FIGURE_IDS } from '../../../stats/figures.ts'

export const FigureSchema = t.named('Figure', 'What a figure counts.', {
  id: t.oneOf(FIGURE_IDS, 'Its key with `group=figure`.'),
  title: t.text('For people.'),
  meaning: t.text('What it counts, in words.'),
  types: t.list(t.oneOf(EVENT_TYPES), 'The event types that it counts. Each type belongs to exactly one figure.'),
  shareOf: t.list(
    t.oneOf(FIGURE_IDS),
    'The share of this figure is relative to the sum of these figures. Empty if it is only a count.',
  ),
})
export type Figure = t.Static<typeof FigureSchema>

export const FiguresSchema = t.named('Figures', { figures: t.list(t.ref(FigureSchema)) })
export type Figures = t.Static<typeof FiguresSchema>
