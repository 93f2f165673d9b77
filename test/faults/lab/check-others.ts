/** The check for an installation of which some days cannot be used: every other day is complete, and nothing shown is wrong. */
import assert, { AssertionError } from 'node:assert/strict'
import type { EmailEvent } from '../../../src/events/event.ts'
import { type Batch, fingerprint, type Ledger } from '../../harness/log/ledger.ts'
import { countEvents } from '../../harness/log/log-client.ts'
import type { Window } from './check-log.ts'
import { TENANTS } from './engine.ts'
import type { LabClient } from './lab-client.ts'

/** A read that meets a damaged page for the first time may be refused; then the day is known. */
const TRIES = 5

export interface Others {
  /** YYYY-MM-DD: days whose events may be missing. */
  readonly days: readonly string[]
  /** One bit of an event may be another: only a checksum would tell. Returned, not refused. */
  readonly canBeAltered?: boolean
}

/** Returns the events of the days that are shown and were never sent like this. */
export async function checkOthers(
  client: LabClient,
  ledger: Ledger,
  window: Window,
  { days, canBeAltered = false }: Others,
): Promise<Batch> {
  const isAside = ({ timestamp }: EmailEvent) => days.includes(dayOf(timestamp))
  const acknowledged = ledger.acknowledged.flat()
  const altered: EmailEvent[] = []
  const stats = await patiently(() => client.stats())
  for (const domain of TENANTS.flatMap(({ domains }) => domains)) {
    const isOwn = (event: EmailEvent) => event.domain_name === domain
    const owed = new Set(acknowledged.filter((event) => isOwn(event) && !isAside(event)).map(fingerprint))
    const possible = new Set([...acknowledged, ...ledger.unanswered.flat()].filter(isOwn).map(fingerprint))
    const events = await patiently(() =>
      client.listAll(domain, {
        start_timestamp: String(window.fromTimestamp),
        end_timestamp: String(window.toTimestamp),
      }),
    )
    for (const event of events) {
      const mark = fingerprint(event)
      owed.delete(mark)
      if (possible.delete(mark)) continue
      assert(canBeAltered && isAside(event), `shown under ${domain}, and never sent for it: ${JSON.stringify(event)}`)
      altered.push(event)
    }
    assert.equal(owed.size, 0, `${owed.size} acknowledged events of other days are missing under ${domain}`)
    if (canBeAltered) continue
    const most = countEvents([...acknowledged, ...ledger.unanswered.flat()].filter(isOwn))
    const least = countEvents(acknowledged.filter((event) => isOwn(event) && !isAside(event)))
    for (const name of ['bounce', 'delivery', 'reception'] as const) {
      const counted = stats[domain]?.[name] ?? -1
      assert(counted >= least[name] && counted <= most[name], `${counted} events of ${name} counted for ${domain}`)
    }
  }
  return altered
}

export function dayOf(timestamp: number): string {
  return new Date(timestamp * 1000).toISOString().slice(0, 10)
}

async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read()
    } catch (error) {
      if (tries === TRIES || !(error instanceof AssertionError) || error.actual !== 503) throw error
    }
  }
}
