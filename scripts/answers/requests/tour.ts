/** What every group of recorded requests works with. */
import type { Answer } from '../exchange.ts'
import type { Installation } from '../installation.ts'
import type { Normalizer } from '../normalizer.ts'
import type { RouteTable } from '../openapi.ts'
import type { AskOptions, Recorder } from '../recorder.ts'
import type { Scene } from '../scene.ts'

export interface Tour {
  readonly installation: Installation
  readonly recorder: Recorder
  readonly routes: RouteTable
  readonly normalizer: Normalizer
  readonly scene: Scene
  /** Unix seconds of the newest event. */
  readonly now: number
}

/** A request that changes something: it gets a time of its own. */
export function askLater(tour: Tour, caller: string, target: string, options: AskOptions = {}): Promise<Answer> {
  tour.installation.step()
  return tour.recorder.ask(caller, target, options)
}
