/** Dialog: the saved views, to open, copy the link of, rename, replace and delete. */
import { useLayoutEffect, useRef, useState } from 'react'
import { Dialog } from '../../kit/overlays/dialog.tsx'
import { Empty, messageOf, QueryState } from '../../kit/states.tsx'
import { printable } from '../../kit/text/printable.ts'
import { useLogSearch } from '../../search/use-log-search.ts'
import { queryOf, useViewChange, useViews, type View, type ViewChange } from './use-views.ts'
import { type RowTask, ViewRow } from './view-row.tsx'
import './views.css'

/** What is being done to one of them. */
interface Doing {
  readonly name: string
  readonly task: RowTask
}

export function ManageViews({ onClose }: { readonly onClose: () => void }) {
  const [search] = useLogSearch()
  const query = useViews()
  const views = query.data?.views ?? []
  const [doing, setDoing] = useState<Doing>()
  const [done, setDone] = useState('')
  const { list, focusAfter } = useFocusAfter()
  const change = useViewChange((made) => {
    setDoing(undefined)
    setDone(describe(made))
    focusAfter('save' in made ? made.save : neighbourOf(views, made.remove))
  })
  const begin = (name: string, task: RowTask | undefined) => {
    change.reset()
    setDone('')
    setDoing(task && { name, task })
    if (!task) focusAfter(name)
  }
  return (
    <Dialog title="Saved views" onClose={onClose}>
      <QueryState query={query} what="the views" />
      {query.data && views.length === 0 && <Empty icon="views" title="No views yet" />}
      <ul ref={list} className="stack views" tabIndex={-1} aria-label="Saved views">
        {views.map((view) => (
          <ViewRow
            key={view.name}
            view={view}
            others={views.filter((other) => other !== view).map(({ name }) => name)}
            task={doing?.name === view.name ? doing.task : undefined}
            onTask={(task) => begin(view.name, task)}
            isBusy={change.isPending}
            error={doing?.name === view.name && change.error ? messageOf(change.error) : undefined}
            onRename={(name) => change.mutate({ save: name, query: view.query, replaces: view.name })}
            onReplace={() => change.mutate({ save: view.name, query: queryOf(search) })}
            onDelete={() => change.mutate({ remove: view.name })}
            onOpened={onClose}
          />
        ))}
      </ul>
      <p className="visually-hidden" role="status">
        {done}
      </p>
    </Dialog>
  )
}

function describe(change: ViewChange): string {
  return 'save' in change ? `Saved ${printable(change.save)}` : `Deleted ${printable(change.remove)}`
}

/** The view that takes its place on the screen. */
function neighbourOf(views: readonly View[], name: string): string | undefined {
  const index = views.findIndex((view) => view.name === name)
  return (views[index + 1] ?? views[index - 1])?.name
}

/** Focuses the link of a view once it is there; the list itself if there is none. */
function useFocusAfter() {
  const list = useRef<HTMLUListElement>(null)
  const [wanted, setWanted] = useState<{ readonly name: string | undefined }>()
  useLayoutEffect(() => {
    if (!wanted) return
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-view]') ?? [])]
    const link = links.find((each) => each.dataset['view'] === wanted.name)
    if (!link && wanted.name !== undefined) return
    ;(link ?? list.current)?.focus()
    setWanted(undefined)
  })
  return { list, focusAfter: (name: string | undefined) => setWanted({ name }) }
}
