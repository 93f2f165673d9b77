/** What a kind of fault gets for one scene: a fresh installation, a number of rounds, chance from the seed. */
import type { SeededRandom } from '../../../src/lib/seeded-random.ts'
import type { Engine, Site } from './engine.ts'

export interface Bench {
  readonly engine: Engine
  readonly site: Site
  /** For everything else of the scene; on the same file system as the data. */
  readonly folder: string
  readonly random: SeededRandom
  readonly rounds: number
  /** Another installation, in the folder. */
  installAnother(folder: string): Promise<Site>
  /** To be called after each round. */
  onRound(): void
  /** Adds to a figure of the summary. */
  count(figure: string, by?: number): void
  /** Prints what it is about to do, or has seen: for scenes of many minutes. */
  report(text: string): void
}

export interface Kind {
  readonly name: string
  /** What is proven, in one sentence. */
  readonly promise: string
  /** In `npm test`, and in `npm run test:faults`. */
  readonly rounds: { readonly quick: number; readonly long: number }
  /** Rounds on one installation, which is then replaced by a new one, so that checking everything stays quick. */
  readonly roundsPerScene: number
  /** A scene that takes longer has failed. Default: 15 minutes. */
  readonly sceneMaxMs?: number
  /** Packages that it needs besides those of the fault layer. */
  readonly packages?: readonly string[]
  /** Throws if the promise is broken. */
  runScene(bench: Bench): Promise<void>
}
