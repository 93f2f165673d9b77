/** A crash in one page leaves the frame, and the navigation to the other pages, in place. */
import { Component, type ReactNode } from 'react'
import { Failure } from '../kit/states.tsx'

interface CrashState {
  readonly error: unknown
}

export class CrashBoundary extends Component<{ readonly children: ReactNode }, CrashState> {
  override state: CrashState = { error: undefined }

  static getDerivedStateFromError(error: unknown): CrashState {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <Failure what="This page crashed" error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
    )
  }
}
