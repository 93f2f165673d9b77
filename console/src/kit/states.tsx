/** What is shown in place of content: loading, empty, failed. */
import type { ReactNode } from 'react'
import { ApiError } from '../api/request.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './marks/icon.tsx'
import './states.css'

/** Grey bars where the content will be, so that the page does not jump. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div className="stack gap-12 skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike and never reordered
        <div key={index} className="skeleton-bar" />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** Whether nothing else is on the page. */
  readonly isWholePage?: boolean
  readonly children?: ReactNode
}

export function Empty({ icon, title, isWholePage = false, children }: EmptyProps) {
  return (
    <div className="stack soft empty">
      <Icon name={icon} />
      {isWholePage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  )
}

interface FailureProps {
  readonly error: unknown
  /** What failed, such as "Could not load the log". */
  readonly what: string
  readonly onRetry?: () => unknown
}

export function Failure({ error, what, onRetry }: FailureProps) {
  return (
    <div className="failure" role="alert">
      <Icon name="quarantine" />
      <div className="stack gap-4">
        <h2>{what}</h2>
        <p className="foreign">{messageOf(error)}</p>
        {onRetry && (
          <Button icon="refresh" onClick={() => void onRetry()}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  return 'This is a bug in the console. Nothing on the server has changed. Reload the page to continue.'
}

interface QueryStateProps {
  readonly query: { readonly data: unknown; readonly error: Error | null; readonly refetch: () => unknown }
  /** What is being loaded, such as "the keys". */
  readonly what: string
  readonly lines?: number
}

/** The error of a query, or grey bars until its first answer. */
export function QueryState({ query: { data, error, refetch }, what, lines = 4 }: QueryStateProps) {
  if (error) return <Failure what={`Could not load ${what}`} error={error} onRetry={refetch} />
  return data === undefined ? <Skeleton lines={lines} /> : null
}
