/** One saved view in the dialog of all. */
import { useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../kit/button.tsx'
import { CopyButton } from '../../kit/copy-button.tsx'
import { Field } from '../../kit/field.tsx'
import { printable } from '../../kit/text/printable.ts'
import { describeSearch } from '../../search/describe-search.ts'
import { parseLogSearch } from '../../search/log-search.ts'
import { isSameName, linkOf, type View } from './use-views.ts'

export type RowTask = 'rename' | 'replace' | 'delete'

interface ViewRowProps {
  readonly view: View
  /** Names of the other views. */
  readonly others: readonly string[]
  /** What was begun, and has to be confirmed. */
  readonly task: RowTask | undefined
  readonly onTask: (task: RowTask | undefined) => void
  readonly isBusy: boolean
  readonly error: string | undefined
  readonly onRename: (name: string) => void
  readonly onReplace: () => void
  readonly onDelete: () => void
  readonly onOpened: () => void
}

export function ViewRow({ view, task, onTask, ...row }: ViewRowProps) {
  const name = printable(view.name)
  const cancel = () => onTask(undefined)
  const state = { isBusy: row.isBusy, error: row.error, onCancel: cancel }
  return (
    <li className="stack gap-4 view">
      <Link href={linkOf(view)} className="foreign medium view-name" data-view={view.name} onClick={row.onOpened}>
        <bdi>{name}</bdi>
      </Link>
      <span className="muted small foreign">{printable(describeSearch(parseLogSearch(view.query)))}</span>
      {task === undefined && (
        <div className="row wrap gap-2 view-actions">
          <CopyButton label="Copy link" text={() => location.origin + linkOf(view)} hasLabel />
          <Action name={name} label="Rename" onClick={() => onTask('rename')} />
          <Action name={name} label="Replace" onClick={() => onTask('replace')} />
          <Action name={name} label="Delete" onClick={() => onTask('delete')} />
        </div>
      )}
      {task === 'rename' && <Rename {...state} name={view.name} others={row.others} onRename={row.onRename} />}
      {task === 'replace' && (
        <Confirm
          {...state}
          question="Replace it with the search that is shown?"
          action="Replace"
          onConfirm={row.onReplace}
        />
      )}
      {task === 'delete' && (
        <Confirm {...state} question="Delete this view?" action="Delete" look="danger" onConfirm={row.onDelete} />
      )}
    </li>
  )
}

interface ActionProps {
  readonly name: string
  readonly label: string
  readonly onClick: () => void
}

function Action({ name, label, onClick }: ActionProps) {
  return (
    <Button look="quiet" aria-label={`${label} ${name}`} onClick={onClick}>
      {label}
    </Button>
  )
}

interface TaskProps {
  readonly isBusy: boolean
  readonly error: string | undefined
  readonly onCancel: () => void
}

interface ConfirmProps extends TaskProps {
  readonly action: string
  readonly look?: 'strong' | 'danger'
  readonly onConfirm: () => void
  readonly question: string
}

function Confirm({ isBusy, error, onCancel, action, look = 'strong', onConfirm, question }: ConfirmProps) {
  return (
    <div className="row wrap" role="group" aria-label={question}>
      <span role={error && 'alert'} className={error ? 'field-error foreign' : ''}>
        {error ?? question}
      </span>
      <Button look={look} disabled={isBusy} autoFocus onClick={onConfirm}>
        {action}
      </Button>
      <Button onClick={onCancel}>Cancel</Button>
    </div>
  )
}

interface RenameProps extends TaskProps {
  readonly name: string
  readonly others: readonly string[]
  readonly onRename: (name: string) => void
}

function Rename({ isBusy, error, onCancel, name, others, onRename }: RenameProps) {
  const [typed, setTyped] = useState(name)
  const wanted = typed.trim()
  const isTaken = others.some((other) => isSameName(other, wanted))
  const canSubmit = wanted !== '' && !isTaken && !isBusy
  return (
    <form
      className="stack gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (canSubmit) onRename(wanted)
      }}
    >
      <Field
        label="New name"
        required
        maxLength={100}
        autoComplete="off"
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={error ?? (isTaken ? 'Another view has this name.' : undefined)}
      />
      <div className="row">
        <Button look="strong" type="submit" disabled={!canSubmit}>
          Rename
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}
