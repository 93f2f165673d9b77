/** Removals over a storage: they write to the audit log when they are finished. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { AuditTrail } from '../audit/audit-trail.ts'
import type { Removal } from '../events/removal/removal.ts'
import { Removals } from '../events/removal/removals.ts'
import type { Clock } from '../lib/clock.ts'
import type { Storage } from '../storage/storage.ts'
import { LOCAL_OPERATOR } from '../tenants/principal.ts'
import { textsOfAddress } from '../tenants/saved-views.ts'

export interface OpenRemovalsDeps {
  readonly storage: Pick<Storage, 'log' | 'control' | 'shared'>
  readonly clock: Clock
  readonly audit: Pick<AuditTrail, 'record'>
  readonly logger: Pick<Logger, 'info' | 'error'>
  readonly eraseHits: (address: string) => Promise<number>
}

/** Of several servers, the one that erases. Longer than a step takes; if the server dies, another one continues afterwards. */
const LEASE = 'removals'
const LEASE_MS = 600_000

export function openRemovals({ storage, clock, audit, logger, eraseHits }: OpenRemovalsDeps): Removals {
  const { removals: store, quarantine, views } = storage.control
  const leases = storage.shared?.leases
  return new Removals({
    ...(leases && {
      lease: { claim: () => leases.claim(LEASE, LEASE_MS), release: () => leases.release(LEASE) },
    }),
    store,
    log: storage.log,
    quarantine,
    eraseHits,
    eraseViews: (address) => views.removeViewsWith(textsOfAddress(address)),
    clock,
    pause: (ms, signal) => delay(ms, undefined, { signal, ref: false }).catch(() => undefined),
    async onFinished(removal) {
      const { id, kind, result } = removal
      const { events, quarantined, hits, units } = result
      logger.info({ removal: id, kind, events, quarantined, hits, days: units.length }, 'removal finished')
      await audit.record({
        kind: 'administration',
        actor: actorOf(removal),
        action: 'finishRemoval',
        object: `${id} ${kind}: ${events} events of ${units.length} days, ${quarantined} quarantined, ${hits} hits`,
        outcome: result.problems.length === 0 ? 'success' : 'failed',
        status: 200,
        requestId: id,
      })
    },
    onFailure: (removal, error) =>
      logger.error({ err: error, removal: removal?.id }, 'removal failed; it will be retried automatically'),
  })
}

function actorOf({ requestedBy: id }: Removal) {
  return { type: id === LOCAL_OPERATOR.keyId ? 'local' : 'operator', id } as const
}
