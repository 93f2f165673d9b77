/** Generates realistic mail traffic for the demo, tests and benchmarks. Pure: the same options give the same events. */
import type { EmailEvent } from '../events/event.ts'
import { createSeededRandom, type SeededRandom } from '../lib/seeded-random.ts'
import { generateMessage } from './generate-message.ts'
import { intensityAt, type SenderProfile } from './sender-profile.ts'

export interface TrafficOptions {
  readonly seed: number
  readonly profiles: readonly SenderProfile[]
  readonly messages: number
  /** Unix seconds; every message is received between the two, inclusive. */
  readonly startTimestamp: number
  readonly endTimestamp: number
}

/** The events of each message, in order of reception; some may be after `endTimestamp`. */
export function* generateMessages(options: TrafficOptions): Generator<readonly EmailEvent[]> {
  const random = createSeededRandom(options.seed)
  for (const { profile, receivedAt } of planReceptions(random, options))
    yield generateMessage(random, profile, receivedAt)
}

/** Single events up to `endTimestamp`, roughly in order of time, as a log arrives. */
export function* generateEvents(options: TrafficOptions): Generator<EmailEvent> {
  for (const events of generateMessages(options)) {
    for (const event of events) if (event.timestamp <= options.endTimestamp) yield event
  }
}

/** Draws sender and time of every message, then sorts. One number per message saves memory for millions of them. */
function* planReceptions(
  random: SeededRandom,
  { profiles, messages, startTimestamp, endTimestamp }: TrafficOptions,
): Generator<{ profile: SenderProfile; receivedAt: number }> {
  const pickSender = random.weightedPicker(
    profiles.map((profile, index) => ({ profile, index, weight: profile.weight })),
  )
  const plan = new Float64Array(messages)
  for (let message = 0; message < messages; message++) {
    const { profile, index } = pickSender()
    plan[message] = drawTime(random, profile, startTimestamp, endTimestamp) * profiles.length + index
  }
  plan.sort()
  for (const entry of plan) {
    const profile = profiles[entry % profiles.length]
    if (profile) yield { profile, receivedAt: Math.floor(entry / profiles.length) }
  }
}

/** Rejection sampling by the sender's rhythm, bounded for windows in which it hardly sends. */
function drawTime(random: SeededRandom, profile: SenderProfile, start: number, end: number): number {
  let timestamp = start
  for (let tries = 0; tries < 1000; tries++) {
    timestamp = random.between(start, end)
    if (random.isLucky(intensityAt(profile.kind, timestamp))) break
  }
  return timestamp
}
