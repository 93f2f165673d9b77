/** What stands where nothing else does yet: waiting, nothing there, and what went wrong. */
import type { ReactNode } from 'react'
import { ApiError } from '../api/request.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import './states.css'

/** Grey bars in the place of what comes, so that nothing jumps when it does. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div className="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have nothing else, and never change places
        <div key={index} className="skeleton-bar" />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** Whether it is all there is on the page. */
  readonly isWholePage?: boolean
  readonly children?: ReactNode
}

export function Empty({ icon, title, isWholePage = false, children }: EmptyProps) {
  return (
    <div className="empty">
      <Icon name={icon} />
      {isWholePage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  )
}

interface FailureProps {
  readonly error: unknown
  /** What could not be done, such as "The log could not be read". */
  readonly what: string
  readonly onRetry?: () => void
}

export function Failure({ error, what, onRetry }: FailureProps) {
  return (
    <div className="failure" role="alert">
      <Icon name="quarantine" />
      <div>
        <h2>{what}</h2>
        <p className="foreign">{messageOf(error)}</p>
        {onRetry && (
          <Button icon="refresh" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  return 'Something went wrong in this page. Nothing on the server has changed.'
}
