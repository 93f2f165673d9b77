/** Live traffic while the demo runs: new messages, and further events of earlier ones. */
import type { Domain } from '../domains/domain.ts'
import type { EmailEvent } from '../events/event.ts'
import type { EventLog } from '../events/log/event-log.ts'
import { AppError } from '../lib/app-error.ts'
import { createSeededRandom } from '../lib/seeded-random.ts'
import type { Service } from '../open-service.ts'
import { generateMessage } from './generate-message.ts'
import { attribute } from './seed-demo.ts'
import { DEMO_PROFILES } from './sender-profile.ts'

const TICK_MS = 1000
const NEW_MESSAGES_PER_TICK_MAX = 2
/** Events that are kept while none can be stored. */
const WAITING_MAX = 10_000

export interface TrickleDeps extends Pick<Service, 'clock'> {
  readonly storage: { readonly log: Pick<EventLog, 'append'> }
}

export interface LiveTrickle {
  /** Resolves when all pending events are stored. */
  stop(): Promise<void>
}

export function startLiveTrickle(
  { storage, clock }: TrickleDeps,
  domains: readonly Pick<Domain, 'name' | 'number'>[],
  upcoming: readonly EmailEvent[],
): LiveTrickle {
  const random = createSeededRandom(clock())
  let waiting = [...upcoming]
  let storing: Promise<unknown> = Promise.resolve()
  const tick = () => {
    const now = Math.floor(clock() / 1000)
    const count = random.between(1, NEW_MESSAGES_PER_TICK_MAX)
    for (let message = 0; message < count; message++) {
      waiting.push(...generateMessage(random, random.pickWeighted(DEMO_PROFILES), now))
    }
    const { due = [], later = [] } = Object.groupBy(waiting, ({ timestamp }) => (timestamp <= now ? 'due' : 'later'))
    waiting = later
    storing = storing.then(() => store(due))
  }
  const store = async (due: readonly EmailEvent[]) => {
    try {
      await storage.log.append(attribute(due, domains))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // As a mail server does: the file of a day that is being rewritten, for example, takes events again in a moment.
      if (waiting.length < WAITING_MAX) waiting.push(...due)
    }
  }
  const timer = setInterval(tick, TICK_MS)
  return {
    async stop() {
      clearInterval(timer)
      await storing
    },
  }
}
