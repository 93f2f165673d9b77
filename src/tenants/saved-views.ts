/** Use case: saves the search of the log that a page shows, to be opened again in another browser. */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { foldCase } from '../lib/text/case-folding.ts'
import { NAME_LENGTH_MAX, parsePrintableName } from './limits/printable-name.ts'
import type { SavedView, ViewStore } from './view-store.ts'

export const VIEWS_MAX = 50
export const VIEW_QUERY_MAX = 4000
export const VIEW_NAME_MAX = NAME_LENGTH_MAX

export interface SaveViewDeps {
  readonly views: Pick<ViewStore, 'saveView'>
  readonly clock: Clock
}

export interface NewView extends Pick<SavedView, 'name' | 'query'> {
  /** Name of a view that it replaces: its name until now. */
  readonly replaces?: string | undefined
}

/** Throws AppError `invalid_request`, or `conflict` if the key has too many views. */
export async function saveView(
  { views, clock }: SaveViewDeps,
  keyId: string,
  { name, query, replaces }: NewView,
): Promise<SavedView> {
  const view = { name: parseViewName(name), query: parseViewQuery(query), savedAtMs: clock() }
  const saving = await views.saveView(
    keyId,
    view,
    VIEWS_MAX,
    replaces === undefined ? view.name : parseViewName(replaces),
  )
  if (saving === 'full') {
    throw new AppError('conflict', `A key can have at most ${VIEWS_MAX} views. Delete one, or save under its name.`)
  }
  if (saving === 'no_key') throw new AppError('conflict', 'Views belong to an API key, and this caller has none.')
  return view
}

/** Throws AppError `invalid_request`. */
export function parseViewName(text: string): string {
  if (text === '') throw new AppError('invalid_request', 'The name of a view must not be empty')
  // Browsers leave them out of addresses, so such a view could not be deleted.
  if (text === '.' || text === '..') throw new AppError('invalid_request', `A view cannot be named ${text}`)
  return parsePrintableName('a view', text)
}

const PARAMETER_NAME = /^[a-z_]{1,40}$/

/** Written as every other query: values that are equal look the same, and nothing but parameters gets through. */
export function parseViewQuery(text: string): string {
  const params = new URLSearchParams(text)
  const unknown = [...params.keys()].find((name) => !PARAMETER_NAME.test(name))
  if (unknown !== undefined) {
    throw new AppError(
      'invalid_request',
      `query: ${JSON.stringify(unknown.slice(0, 50))} is not the name of a parameter`,
    )
  }
  const query = params.toString()
  if (query.length > VIEW_QUERY_MAX) {
    throw new AppError(
      'invalid_request',
      `query: can have at most ${VIEW_QUERY_MAX} characters when encoded; this one has ${query.length}`,
    )
  }
  return query
}

/** How an address is written in queries and names. Stores ignore the case of ASCII letters only. */
export function textsOfAddress(address: string): readonly string[] {
  const written = [address, foldCase(address), address.toLowerCase(), address.toUpperCase()]
  return [...new Set(written.flatMap((text) => [new URLSearchParams({ q: text }).toString().slice('q='.length), text]))]
}
