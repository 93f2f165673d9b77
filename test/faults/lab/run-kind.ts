/** Runs a kind of fault: scene after scene, each on a copy of one installation and with chance of its own from the seed. */
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createSeededRandom } from '../../../src/lib/seeded-random.ts'
import type { Bench, Kind } from './bench.ts'
import type { Engine, Site } from './engine.ts'

export interface RunOptions {
  readonly engine: Engine
  /** Stopped; every scene works on a copy. */
  readonly template: Site
  /** Folders of scenes that failed stay here. */
  readonly folder: string
  readonly seed: number
  readonly rounds: number
  /** Scenes that run at the same time. */
  readonly jobs?: number
  /** No scene is started afterwards. */
  readonly deadlineMs?: number
  readonly onRound?: () => void
  readonly onReport?: (text: string) => void
}

export interface Failure {
  readonly scene: number
  readonly error: unknown
  /** The data, the record of the writers and the journal, as they were. */
  readonly folder: string
}

export interface KindResult {
  readonly kind: Kind
  /** Done, and asked for. */
  readonly rounds: number
  readonly wanted: number
  readonly failures: readonly Failure[]
  readonly figures: ReadonlyMap<string, number>
  readonly seconds: number
}

/** A scene takes a minute or two. One that hangs has failed; its processes end with this one. */
const SCENE_MAX_MS = 900_000

async function inTime<T>(work: Promise<T>, maxMs = SCENE_MAX_MS): Promise<T> {
  const ended = new AbortController()
  const late = delay(maxMs, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new Error(`the scene has not ended after ${maxMs / 60_000} minutes`)
  })
  // Aborted, nobody waits for it.
  late.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    ended.abort()
  }
}

export async function runKind(kind: Kind, options: RunOptions): Promise<KindResult> {
  const { engine, template, seed, rounds, jobs = 1, deadlineMs = Number.POSITIVE_INFINITY } = options
  const started = performance.now()
  const figures = new Map<string, number>()
  const failures: Failure[] = []
  const scenes = Array.from({ length: Math.ceil(rounds / kind.roundsPerScene) }, (_, scene) => scene)
  let done = 0
  const runScene = async (scene: number) => {
    const folder = join(options.folder, `${kind.name}-${scene}`)
    mkdirSync(folder)
    try {
      const bench: Bench = {
        engine,
        site: await engine.copy(template, folder),
        folder,
        random: createSeededRandom(seedOf(seed, kind.name, scene)),
        installAnother: async (target) => engine.copy(await another(options), target),
        rounds: Math.min(kind.roundsPerScene, rounds - scene * kind.roundsPerScene),
        onRound() {
          done++
          options.onRound?.()
        },
        report: (text) => options.onReport?.(text),
        count: (figure, by = 1) => void figures.set(figure, (figures.get(figure) ?? 0) + by),
      }
      await inTime(kind.runScene(bench), kind.sceneMaxMs)
      rmSync(folder, { recursive: true })
    } catch (error) {
      failures.push({ scene, error, folder })
    }
  }
  const work = async () => {
    for (let scene = scenes.shift(); scene !== undefined && Date.now() < deadlineMs; scene = scenes.shift()) {
      await runScene(scene)
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return { kind, rounds: done, wanted: rounds, failures, figures, seconds: (performance.now() - started) / 1000 }
}

const others = new WeakMap<Site, Promise<Site>>()

/** Made once, when it is first needed: installing takes longer than most scenes. */
function another({ engine, template, folder }: RunOptions): Promise<Site> {
  const made = others.get(template)
  if (made) return made
  const path = join(folder, 'other')
  mkdirSync(path)
  const site = engine.install(path)
  others.set(template, site)
  return site
}

/** So that a scene has the same chance whichever others run. */
function seedOf(seed: number, kind: string, scene: number): number {
  return createHash('sha256').update(`${seed} ${kind} ${scene}`).digest().readInt32LE(0)
}
