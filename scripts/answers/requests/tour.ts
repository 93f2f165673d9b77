/** What every group of recorded requests works with. */
import type { Installation } from '../installation.ts'
import type { Normalizer } from '../normalizer.ts'
import type { Recorder } from '../recorder.ts'
import type { Scene } from '../scene.ts'

export interface Tour {
  readonly installation: Installation
  readonly recorder: Recorder
  readonly normalizer: Normalizer
  readonly scene: Scene
  /** Unix seconds of the first event. */
  readonly now: number
}

/** Keys of every kind, and none. */
export const CALLERS = [
  'nobody',
  'acme',
  'acme-logs',
  'acme-domains',
  'acme-stats',
  'bolt',
  'empty',
  'ingest',
  'admin',
  'both',
  'revoked',
] as const

/** One target for each set of parameters. */
export function targets(path: string, queries: readonly string[]): readonly string[] {
  return queries.map((query) => (query === '' ? `GET ${path}` : `GET ${path}?${query}`))
}

/** `name=value` with each value encoded. */
export function each(name: string, values: readonly (string | number)[]): readonly string[] {
  return values.map((value) => `${name}=${encodeURIComponent(value)}`)
}

/** Every pair of two lists, as one query. */
export function pairs(first: readonly string[], second: readonly string[]): readonly string[] {
  return first.flatMap((one) => second.map((other) => `${one}&${other}`))
}
