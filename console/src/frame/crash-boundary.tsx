/** A crash in one page leaves the frame, and the navigation to the other pages, in place. */
import { Component, type ReactNode } from 'react'
import { ApiError } from '../api/request.ts'
import { Failure } from '../kit/states.tsx'
import { forgetFailures } from './lazy-part.tsx'

interface CrashProps {
  /** The address: another one is another attempt. */
  readonly at: string
  readonly children: ReactNode
}

interface CrashState {
  readonly at: string
  readonly error: unknown
}

export class CrashBoundary extends Component<CrashProps, CrashState> {
  override state: CrashState = { at: this.props.at, error: undefined }

  static getDerivedStateFromError(error: unknown): Partial<CrashState> {
    return { error }
  }

  static getDerivedStateFromProps({ at }: CrashProps, state: CrashState): Partial<CrashState> | null {
    return at === state.at ? null : { at, error: undefined }
  }

  override componentDidCatch() {
    forgetFailures()
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    const what = error instanceof ApiError ? 'Could not load the page' : 'This page crashed'
    return <Failure what={what} error={error} onRetry={() => this.setState({ error: undefined })} />
  }
}
