/** Where KumoMTA sent a message from, and when it will try again. */
import type { EventExtension } from '../../events/event.ts'
import { toldExtension } from '../shared/told-extension.ts'
import { asRecord, asText, type UntrustedRecord } from '../shared/untrusted.ts'
import { readResponse } from './record-fields.ts'

/** Records of other types are not about sending: the source of a reception would be that of the submitting client. */
const SENDING: readonly string[] = ['Delivery', 'TransientFailure', 'Bounce', 'Expiration', 'AdminBounce']

/** KumoMTA's name of pool and source if none is configured (egress_source.rs). */
const NOT_CONFIGURED = 'unspecified'

export function sendingOf(record: UntrustedRecord, kind: string): { readonly extension?: EventExtension } {
  if (kind === 'Delayed') return toldExtension({ next_attempt: nextAttempt(record) })
  if (!SENDING.includes(kind)) return {}
  return toldExtension({
    // Behind a proxy it is the address that the proxy binds.
    sending_address: asRecord(record['source_address'])['address'],
    sending_source: configured(record['egress_source']),
    sending_pool: configured(record['egress_pool']),
  })
}

function configured(name: unknown): unknown {
  return name === NOT_CONFIGURED ? undefined : name
}

/** `Context: MessageRateThrottle. Next due in 57s at 2026-11-15T00:00:57.440526026Z`: only records of the type Delayed have it. */
function nextAttempt(record: UntrustedRecord): number | undefined {
  const [, time = ''] =
    /\. Next due in [^.]{1,100} at (\S{20,40})$/.exec(asText(readResponse(record['response']).content) ?? '') ?? []
  const timeMs = Date.parse(time)
  return Number.isNaN(timeMs) ? undefined : Math.floor(timeMs / 1000)
}
