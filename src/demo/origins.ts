/** Where the demo sends from: three addresses in two pools, one of which has a poor reputation at one provider. */
import type { EventExtension } from '../events/event.ts'

export type Origin = Required<Pick<EventExtension, 'sending_address' | 'sending_source' | 'sending_pool'>>

const ORIGINS: readonly Origin[] = [
  { sending_address: '192.0.2.25', sending_source: 'mta1', sending_pool: 'marketing' },
  { sending_address: '192.0.2.26', sending_source: 'mta2', sending_pool: 'marketing' },
  { sending_address: '198.51.100.40', sending_source: 'mta3', sending_pool: 'transactional' },
]

/** Providers with a reply for this address defer most of its mail; see `throttled` in providers.ts. */
export const THROTTLED_ADDRESS = '192.0.2.26'

/** The same for all events of a message. The last character of an id is a random hexadecimal digit. */
export function originOf(messageId: string): Origin {
  const number = Number.parseInt(messageId.slice(-1), 16) % ORIGINS.length
  const origin = ORIGINS[number]
  if (!origin) throw new Error(`not an id of the demo: ${messageId}`)
  return origin
}
