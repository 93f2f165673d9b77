/** An image that was fetched or a link that was followed. Port for those who write it down; the adapter is record-hits.ts. */
import type { HitKind, TokenFields } from './token.ts'

export interface Hit {
  readonly kind: HitKind
  readonly messageId: string
  readonly domain: string
  readonly recipient: string
  /** Of clicks. */
  readonly target?: string
  readonly timeMs: number
  /** What machine it was; absent where it may have been a person. */
  readonly machine?: string
}

export interface HitLog {
  /** Resolves when the hit survives a power cut. Rejects when it could not be kept. */
  record(hit: Hit): Promise<void>
}

export function toHit(fields: TokenFields, timeMs: number, machine: string | undefined): Hit {
  const { kind, messageId, domain, recipient, target } = fields
  return {
    kind,
    messageId,
    domain,
    recipient,
    ...(target !== undefined && { target }),
    timeMs,
    ...(machine !== undefined && { machine }),
  }
}

/** As it is written down; also what POST /ingest/tracking takes. */
export function toHitRecord({ kind, messageId, domain, recipient, target, timeMs, machine }: Hit): object {
  return { hit: kind, id: messageId, domain, recipient, url: target, time: Math.floor(timeMs / 1000), machine }
}
