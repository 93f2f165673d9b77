/** /v1/views: searches of the log that were saved under a name. */
import { toIsoTime } from '../../../lib/clock.ts'
import * as t from '../../../lib/json-schema.ts'
import { VIEW_NAME_MAX, VIEW_QUERY_MAX, VIEWS_MAX } from '../../../tenants/saved-views.ts'
import type { SavedView } from '../../../tenants/view-store.ts'

export const ViewSchema = t.named('View', 'A search of the log, saved under a name.', {
  name: t.text('Unique for the key.'),
  query: t.text('The query string of the log page of the console, such as `type=Bounce&last=24h`.'),
  savedAt: t.time('When it was saved.'),
})
export type View = t.Static<typeof ViewSchema>

export const ViewsSchema = t.named('Views', 'The views of a key.', {
  views: t.list(t.ref(ViewSchema), `By name; at most ${VIEWS_MAX}.`),
})
export type Views = t.Static<typeof ViewsSchema>

export const ViewParams = t.object({ name: t.text(`The name: at most ${VIEW_NAME_MAX} printable characters.`) })

export const ViewBody = t.object({
  query: t.text(
    `The query string of the log page: filters, window, columns. At most ${VIEW_QUERY_MAX} characters. It may be empty.`,
  ),
  replaces: t.optional(t.text('Name of a view that this one replaces: to give it another name in one step.')),
})

export function toWireView({ name, query, savedAtMs }: SavedView): View {
  return { name, query, savedAt: toIsoTime(savedAtMs) }
}
