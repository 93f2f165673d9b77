/** Some of the events that were loaded, evenly spread, to make questions from whose answers are known to exist. */
import type { SeededRandom } from '../src/demo/seeded-random.ts'
import type { EmailEvent } from '../src/events/event.ts'

const SAMPLES = 5000

export class Samples {
  readonly #every: number
  readonly #events: EmailEvent[] = []
  #seen = 0

  constructor(expectedEvents: number) {
    this.#every = Math.max(1, Math.floor(expectedEvents / SAMPLES))
  }

  offer(event: EmailEvent): void {
    if (this.#seen++ % this.#every === 0) this.#events.push(event)
  }

  /** One of them for which the condition holds. */
  pick(random: SeededRandom, condition: (event: EmailEvent) => boolean = () => true): EmailEvent {
    const start = random.below(this.#events.length)
    for (let step = 0; step < this.#events.length; step++) {
      const event = this.#events[(start + step) % this.#events.length]
      if (event && condition(event)) return event
    }
    throw new Error('no sampled event is of the kind that was asked for')
  }
}
