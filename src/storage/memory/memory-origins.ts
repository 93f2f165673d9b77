/** By which origin the events of a domain are counted: the first ones of each day. */
import { type EventExtension, OTHER_ORIGINS } from '../../events/event.ts'
import { ORIGINS_PER_DAY, type SendingGroup, type SeriesFilters } from '../../stats/series.ts'
import type { Counted, MemoryState } from './memory-state.ts'

export type Origin = Readonly<Record<SendingGroup, string>>

const OTHERS: Origin = { sending_address: OTHER_ORIGINS, sending_source: OTHER_ORIGINS, sending_pool: OTHER_ORIGINS }

/** Undefined if nothing of it is known. */
function originOf(extension: EventExtension = {}): Origin | undefined {
  const { sending_address = '', sending_source = '', sending_pool = '' } = extension
  return sending_address + sending_source + sending_pool === ''
    ? undefined
    : { sending_address, sending_source, sending_pool }
}

/** To be called for each event that is stored, in order. */
export function countOrigin({ countedOrigins }: MemoryState, { domainNumber, day, extension }: Counted): void {
  const origin = originOf(extension)
  if (!origin) return
  const key = keyOf(domainNumber, day)
  const counted = countedOrigins.get(key) ?? new Set()
  if (counted.size < ORIGINS_PER_DAY) countedOrigins.set(key, counted.add(JSON.stringify(origin)))
}

export function findCountedOrigin(
  { countedOrigins }: MemoryState,
  { domainNumber, day, extension }: Counted,
): Origin | undefined {
  const origin = originOf(extension)
  return origin && !countedOrigins.get(keyOf(domainNumber, day))?.has(JSON.stringify(origin)) ? OTHERS : origin
}

export function forgetOrigins({ countedOrigins }: MemoryState, domainNumber: number): void {
  for (const key of countedOrigins.keys()) if (key.startsWith(`${domainNumber} `)) countedOrigins.delete(key)
}

export function isSentFrom(origin: Origin, filters: SeriesFilters): boolean {
  const isAmong = (wanted: readonly string[] | undefined, part: string) =>
    wanted === undefined || (origin !== OTHERS && wanted.includes(part))
  return (
    isAmong(filters.sendingAddresses, origin.sending_address) &&
    isAmong(filters.sendingSources, origin.sending_source) &&
    isAmong(filters.sendingPools, origin.sending_pool)
  )
}

function keyOf(domainNumber: number, day: string): string {
  return `${domainNumber} ${day}`
}
