/** A bug in one page leaves the frame standing, and the way to the other pages open. */
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
      <Failure what="This page broke" error={this.state.error} onRetry={() => this.setState({ error: undefined })} />
    )
  }
}
