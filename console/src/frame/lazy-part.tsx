/**
 * Parts of the console that are loaded when they are first needed. A failed load is retried, now and whenever the part is opened
 * again; React's own `lazy` fails forever.
 */
import { type ComponentType, use } from 'react'
import { ApiError, NO_CONNECTION } from '../api/request.ts'
import { checkVersion } from './version.ts'

interface Part<Props> {
  readonly default: ComponentType<Props>
}

const RETRY_MS = [300, 1500] as const

/** Of the parts whose load has failed: forgets it. */
const failed = new Set<() => void>()

/** To be called once the failure is on the screen: the next attempt to show the part loads it again. */
export function forgetFailures(): void {
  for (const forget of failed) forget()
  failed.clear()
}

export function lazyPart<Props extends object>(load: () => Promise<Part<Props>>): ComponentType<Props> {
  let loading: Promise<Part<Props>> | undefined
  const forget = () => {
    loading = undefined
  }
  // biome-ignore lint/correctness/noComponentHookFactories: called once for each part, when the modules are loaded
  return function LazyPart(props: Props) {
    loading ??= loadPatiently(load).catch((error: unknown) => {
      failed.add(forget)
      throw error
    })
    const Shown = use(loading).default
    return <Shown {...props} />
  }
}

async function loadPatiently<T>(load: () => Promise<T>): Promise<T> {
  for (const pauseMs of RETRY_MS) {
    try {
      return await load()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  try {
    return await load()
  } catch (error) {
    throw await explain(error)
  }
}

/** Why a script could not be loaded: the browser does not say. */
async function explain(error: unknown): Promise<unknown> {
  const served = await checkVersion()
  if (served === 'unreachable') return new ApiError(0, NO_CONNECTION)
  if (served === 'other') return new ApiError(404, 'The console has been updated on the server. Reload the page.')
  return error instanceof TypeError ? new ApiError(0, 'A part of the console could not be loaded. Try again.') : error
}
