/** Generates the events of one message: reception, deferrals, delivery or bounce, and what follows. */
import type { EmailEvent } from '../events/event.ts'
import type { SeededRandom } from '../lib/seeded-random.ts'
import { originOf, THROTTLED_ADDRESS } from './origins.ts'
import { CONNECTION_FAILURES, PROVIDERS, type Provider, type Reply } from './providers.ts'
import { makeMailboxName } from './recipients.ts'
import { campaignAt, intensityAt, type SenderProfile } from './sender-profile.ts'

/** Seconds until the next attempt, by the number of attempts made. */
const RETRY_DELAYS_SECONDS = [300, 900, 2700, 7200] as const
const BURST_INTENSITY = 0.35

/** The fields that every event of the message shares. */
type Envelope = Omit<EmailEvent, 'timestamp' | 'type'>
type Details = Partial<EmailEvent>

/** A message in transit; `record` adds an event of the provider `seconds` after the previous one. */
interface Journey {
  readonly random: SeededRandom
  readonly profile: SenderProfile
  readonly provider: Provider
  readonly recipient: string
  readonly peer: string
  readonly ip: string
  attempts: number
  record(seconds: number, type: EmailEvent['type'], details?: Details): void
}

/** Events in order of time, the first one at `receivedAt` (Unix seconds). */
export function generateMessage(
  random: SeededRandom,
  profile: SenderProfile,
  receivedAt: number,
): readonly EmailEvent[] {
  const provider = random.pickWeighted(PROVIDERS)
  const site = random.below(provider.recipientDomains.length)
  const recipient = `${makeMailboxName(random)}@${provider.recipientDomains[site]}`
  const envelope = makeEnvelope(random, profile, recipient, receivedAt)
  const reception = { response_code: 250, response_content: `accepted as ${envelope.id}`, response_enhanced_code: '' }
  const events: EmailEvent[] = [
    { ...envelope, timestamp: receivedAt, type: 'Reception', ...reception, num_attempts: 0 },
  ]
  let timestamp = receivedAt
  const journey: Journey = {
    random,
    profile,
    provider,
    recipient,
    // A company's domain has a server of its own; a large provider's servers accept mail for all of its domains.
    peer: provider.name === 'Other' ? (provider.peers[site] ?? '') : random.pick(provider.peers),
    ip: originOf(envelope.id).sending_address,
    attempts: 0,
    record(seconds, type, details) {
      timestamp += Math.round(seconds)
      events.push({ ...envelope, timestamp, type, provider_name: provider.name, ...details })
    },
  }
  attempt(journey)
  return events
}

function makeEnvelope(random: SeededRandom, profile: SenderProfile, recipient: string, receivedAt: number): Envelope {
  const isBurst = profile.kind === 'newsletter' && intensityAt(profile.kind, receivedAt) >= BURST_INTENSITY
  const subject = random
    .pick(profile.subjects)
    .replace('{number}', String(random.between(100_000, 999_999)))
    .replace('{code}', String(random.between(100_000, 999_999)))
  return {
    id: makeMessageId(random, receivedAt),
    domain_name: profile.domainName,
    recipient,
    sender: `bounces+${random.hex(10)}@${profile.domainName}`,
    from: profile.from,
    subject,
    size: random.between(4, 18) * 1024 + Math.round(random.exponential(20_000)),
    service_message_id: `${random.hex(16)}@${profile.domainName}`,
    direction: 'outbound',
    campaign: isBurst ? campaignAt(receivedAt) : null,
    reception_protocol: random.isLucky(0.8) ? 'HTTP' : 'ESMTP',
  }
}

/** UUID version 7 (RFC 9562 section 5.7): ids increase with time, like those of real senders. */
function makeMessageId(random: SeededRandom, receivedAt: number): string {
  const time = (receivedAt * 1000 + random.below(1000)).toString(16).padStart(12, '0')
  const variant = random.pick(['8', '9', 'a', 'b'])
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.hex(3)}-${variant}${random.hex(3)}-${random.hex(12)}`
}

function attempt(journey: Journey): void {
  const { random, profile } = journey
  let wait = 1 + random.exponential(3)
  if (random.isLucky((isThrottled(journey) && profile.health.throttled) || profile.health.deferral)) {
    for (const delay of RETRY_DELAYS_SECONDS) {
      defer(journey, wait, delay)
      wait = delay * (0.9 + random.next() * 0.2)
      if (random.isLucky(0.7)) break
    }
    if (journey.attempts === RETRY_DELAYS_SECONDS.length && random.isLucky(0.3)) {
      expire(journey, wait)
      return
    }
  }
  if (random.isLucky(profile.health.bounce)) refuse(journey, wait)
  else deliver(journey, wait)
}

function isThrottled({ provider, ip }: Journey): boolean {
  return provider.throttled !== undefined && ip === THROTTLED_ADDRESS
}

function defer(journey: Journey, wait: number, delaySeconds: number): void {
  const { random, provider } = journey
  journey.attempts++
  const deferral = random.pickWeighted(provider.deferrals)
  const failure = random.isLucky(0.15)
    ? reply(journey, random.pick(CONNECTION_FAILURES))
    : { ...connection(journey), ...reply(journey, (isThrottled(journey) && provider.throttled) || deferral) }
  journey.record(wait, 'TransientFailure', failure)
  journey.record(1, 'Delayed', {
    response_code: 400,
    response_content: `Deferred after attempt ${journey.attempts}, next attempt in ${delaySeconds / 60} minutes`,
    response_enhanced_code: '',
    num_attempts: journey.attempts,
  })
}

function refuse(journey: Journey, wait: number): void {
  journey.attempts++
  journey.record(wait, 'Bounce', {
    ...connection(journey),
    ...reply(journey, journey.random.pickWeighted(journey.provider.refusals)),
  })
}

function expire(journey: Journey, wait: number): void {
  journey.record(wait, 'Bounce', {
    response_code: 554,
    response_content: `delivery time expired: ${journey.attempts} attempts failed`,
    response_enhanced_code: '5.4.7',
    bounce_classification: 'MessageExpired',
    num_attempts: journey.attempts,
  })
}

function deliver(journey: Journey, wait: number): void {
  const { random, provider, profile } = journey
  journey.attempts++
  journey.record(wait, 'Delivery', {
    ...connection(journey),
    response_code: 250,
    response_content: fill(journey, provider.accepted),
    response_enhanced_code: provider.acceptedEnhanced,
    num_attempts: journey.attempts,
  })
  if (random.isLucky(profile.health.lateBounce)) {
    journey.record(60 + random.exponential(900), 'OOBBounce', {
      ...reply(journey, random.pickWeighted(provider.refusals)),
    })
    return
  }
  if (random.isLucky(profile.health.open)) read(journey)
  if (provider.hasFeedbackLoop && random.isLucky(profile.health.complaint)) {
    journey.record(600 + random.exponential(20_000), 'Feedback', {
      response_content: 'The recipient reported the message as unwanted (feedback type: abuse)',
    })
  }
}

function read(journey: Journey): void {
  const { random, profile } = journey
  journey.record(15 + random.exponential(6000), 'Opened')
  if (random.isLucky(profile.health.click)) {
    journey.record(5 + random.exponential(40), 'Click')
  }
  if (random.isLucky(0.2)) journey.record(60 + random.exponential(30_000), 'Opened')
}

/** Fields that are known only after a connection to the receiver. */
function connection({ random, provider, peer }: Journey): Details {
  const tls = random.pickWeighted(provider.tls)
  return {
    peer_name: peer,
    delivery_protocol: 'ESMTP',
    tls_protocol_version: tls.version,
    tls_cipher: tls.cipher,
  }
}

function reply(journey: Journey, { code, enhanced, text, classification }: Reply): Details {
  return {
    response_code: code,
    response_content: fill(journey, text),
    response_enhanced_code: enhanced,
    bounce_classification: classification,
    num_attempts: journey.attempts,
  }
}

function fill(journey: Journey, text: string): string {
  return text
    .replace('{id}', `${journey.random.hex(12)}.${journey.random.between(10, 99)}`)
    .replace('{host}', journey.peer)
    .replace('{recipient}', journey.recipient)
    .replaceAll('{ip}', journey.ip)
}
