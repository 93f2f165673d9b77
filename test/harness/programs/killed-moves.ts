/** A move that is killed again and again while events arrive, and the record of what was acknowledged meanwhile. */
import type { SeededRandom } from '../../../src/lib/seeded-random.ts'
import { Ledger } from '../log/ledger.ts'
import { LogClient } from '../log/log-client.ts'
import { createTraffic, type Traffic } from '../log/traffic.ts'
import { type MovingScene, openMovingScene } from './moving-scene.ts'
import type { ServerProcess } from './server-process.ts'

const EVENTS_PER_ROUND = 2000
const EVENTS_PER_REQUEST = 500
/** Some of the time is the start of the program. */
const KILL_AFTER_MS = [500, 6000] as const
/** Comparing both logs takes longer. */
const KILL_LAST_STEP_AFTER_MS = [1500, 9000] as const
const DAYS = [0, 1, 2, 5]
const RETAINED_SECONDS = 20 * 86_400

export class KilledMoves implements AsyncDisposable {
  readonly scene: MovingScene
  readonly ledger: Ledger
  /** Of the old installation. */
  readonly server: ServerProcess
  readonly #client: LogClient
  readonly #traffic: Traffic
  readonly #random: SeededRandom

  private constructor(scene: MovingScene, server: ServerProcess, random: SeededRandom) {
    const { domains } = scene.installation
    const now = Math.floor(Date.now() / 1000)
    this.scene = scene
    this.server = server
    this.ledger = new Ledger(domains, { fromTimestamp: now - RETAINED_SECONDS, toTimestamp: now })
    this.#traffic = createTraffic({ domains, now })
    this.#client = new LogClient(server.address, scene.installation)
    this.#random = random
  }

  static async open(random: SeededRandom): Promise<KilledMoves> {
    const scene = await openMovingScene()
    return new KilledMoves(scene, await scene.installation.start(), random)
  }

  async send(events = EVENTS_PER_REQUEST): Promise<void> {
    for (let sent = 0; sent < events; sent += EVENTS_PER_REQUEST) {
      await this.ledger.send(this.#client, this.#traffic.nextBatch(EVENTS_PER_REQUEST, DAYS))
    }
  }

  /** Events arrive, before the move and while it runs; then it is killed. */
  async killWhileServed(): Promise<void> {
    await this.send(EVENTS_PER_ROUND)
    const killed = this.scene.killMove(this.#random.between(...KILL_AFTER_MS))
    await this.send()
    await killed
  }

  /** When the old server has stopped. True: the move had finished before. */
  async killLastStep(): Promise<boolean> {
    return (await this.scene.killMove(this.#random.between(...KILL_LAST_STEP_AFTER_MS))) === 0
  }

  /** Everything that was acknowledged is in the new log, once. */
  async verify(): Promise<void> {
    await using moved = await this.scene.startNew()
    await this.ledger.verify(new LogClient(moved.address, this.scene.installation))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]()
    await this.scene[Symbol.asyncDispose]()
  }
}
