/** The views of the key: searches of the log that were saved under a name. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { View, Views } from '../../../../src/http/v1/views/views.wire.ts'
import { request } from '../../api/request.ts'
import { type LogSearch, parseLogSearch, writeLogSearch } from '../../search/log-search.ts'

export type { View }

const PATH = '/v1/views'

export function useViews() {
  return useQuery<Views>({ queryKey: [PATH] })
}

export type ViewChange =
  | { readonly save: string; readonly query: string; readonly replaces?: string }
  | { readonly remove: string }

/** `onDone`: the list is up to date. */
export function useViewChange(onDone: (change: ViewChange) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: ViewChange) => {
      if ('remove' in change) return request<unknown>(pathOf(change.remove), { method: 'DELETE' })
      const { save, ...body } = change
      return request<unknown>(pathOf(save), { method: 'PUT', body })
    },
    // Also after a failure: the view may be deleted in another window.
    onSettled: () => client.invalidateQueries({ queryKey: [PATH] }),
    onSuccess: (_, change) => onDone(change),
  })
}

function pathOf(name: string): string {
  return `${PATH}/${encodeURIComponent(name)}`
}

/** What is saved of a search: not which message is open. */
export function queryOf(search: LogSearch): string {
  return writeLogSearch({ ...search, message: undefined, messageDomain: undefined }).slice(1)
}

/** In this console's own words, whoever saved it. */
export function linkOf({ query }: Pick<View, 'query'>): string {
  return `/log${writeLogSearch(parseLogSearch(query))}`
}

/** Whether the page shows the view. One without columns is shown with those of the reader. */
export function isShown({ query }: Pick<View, 'query'>, search: LogSearch): boolean {
  const view = parseLogSearch(query)
  const hasLook = Object.keys(view.look).length > 0
  return queryOf(view) === queryOf({ ...search, look: hasLook ? search.look : {} })
}

/** Names are the same however their letters are composed. */
export function isSameName(a: string, b: string): boolean {
  return a.normalize('NFC') === b.normalize('NFC')
}
