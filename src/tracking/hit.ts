/** A hit: a fetched pixel or a followed link. The port HitLog records them; HitRecorder is its adapter. */
import type { TokenFields } from '../../integrations/haraka/lib/tracking/token.mjs'

export interface Hit extends Readonly<Omit<TokenFields, 'time'>> {
  readonly timeMs: number
  /** The machine's name; absent if the hit may be a person's. */
  readonly machine?: string
}

export interface HitLog {
  /** Resolves when the hit is durable. Rejects if it could not be stored. */
  record(hit: Hit): Promise<void>
}

export function toHit(fields: TokenFields, timeMs: number, machine: string | undefined): Hit {
  const { time: _, ...about } = fields
  return { ...about, timeMs, ...(machine !== undefined && { machine }) }
}

/** As written to the journal; also the record format of POST /ingest/tracking. */
export function toHitRecord({ kind, messageId, domain, recipient, target, timeMs, machine }: Hit): object {
  return { hit: kind, id: messageId, domain, recipient, url: target, time: Math.floor(timeMs / 1000), machine }
}
