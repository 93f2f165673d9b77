/** A data folder with many days of a little mail, made through the store itself. */
import type { AttributedEvent } from '../../src/events/log/event-log.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { createInstallation, type Installation, openFolder } from './installation.ts'

const DAY_SECONDS = 86_400
const EVENTS_PER_DAY = 30
/** Days of one append: few enough to be open for writing at once. */
const DAYS_AT_ONCE = 3

export const HISTORY_DOMAINS = ['one', 'two', 'three', 'four', 'five'].map((name) => `${name}.example`)

/** The last `days` days until today, all of them in the history index. */
export async function createHistory(dataDir: string, days: number): Promise<Installation> {
  const installation = await createInstallation(dataDir, HISTORY_DOMAINS)
  const service = await openFolder(dataDir)
  try {
    const newest = Math.floor(service.clock() / 1000 / DAY_SECONDS) - 1
    for (let day = newest - days + 1; day <= newest; day += DAYS_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(DAYS_AT_ONCE, newest - day + 1) }, (_, more) => day + more)
      await service.storage.log.append(numbers.flatMap((number) => eventsOf(number, installation)))
    }
  } finally {
    await service.close()
  }
  // Opened again, as a server would: nothing is open for writing.
  const reopened = await openFolder(dataDir)
  try {
    await untilIndexed(reopened.storage)
  } finally {
    await reopened.close()
  }
  return installation
}

async function untilIndexed({ capabilities: { history } }: Storage): Promise<void> {
  if (!history) return
  const { promise, resolve } = Promise.withResolvers<void>()
  using _ = history.watch((progress) => {
    if ('remaining' in progress && progress.remaining === 0) resolve()
  })
  if (history.remaining !== 0) await promise
}

/** Two events of each message: received, and delivered or bounced. */
function eventsOf(day: number, { domains }: Installation): readonly AttributedEvent[] {
  return Array.from({ length: EVENTS_PER_DAY }, (_, index): AttributedEvent => {
    const message = Math.floor(index / 2)
    const name = HISTORY_DOMAINS[message % HISTORY_DOMAINS.length] ?? ''
    const type = index % 2 === 0 ? 'Reception' : message % 10 === 0 ? 'Bounce' : 'Delivery'
    const event = {
      id: `${day}-${message}`,
      timestamp: day * DAY_SECONDS + message * 1800 + (index % 2),
      type,
      domain_name: name,
      recipient: `person${message}@mail.example`,
      sender: `bounce@${name}`,
      from: `Sender <hello@${name}>`,
      subject: `Letter ${message} of day ${day}`,
      ...(type !== 'Reception' && {
        response_code: type === 'Bounce' ? 550 : 250,
        provider_name: message % 2 === 0 ? 'Google' : 'Yahoo',
      }),
    } as const
    return { domainNumber: domains.get(name) ?? 0, event }
  })
}
