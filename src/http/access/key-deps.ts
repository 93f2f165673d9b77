/** Checks keys for the HTTP layer: a key that is refused for a reason that its user does not learn is logged and counted. */
import { clientNetworkOf } from '../../lib/net/client-network.ts'
import type { AuthenticateDeps } from '../../tenants/authenticate.ts'
import type { AdministrationDeps } from '../app-deps.ts'

type Deps = Pick<AdministrationDeps, 'storage' | 'keyUses' | 'clock' | 'logger' | 'metrics'>

export function keyDepsOf({ storage, keyUses, clock, logger, metrics }: Deps): AuthenticateDeps {
  return {
    keys: storage.control.keys,
    uses: keyUses,
    clock,
    onRefused(keyId, reason, address) {
      metrics.countKeyRefusal(reason)
      logger.warn({ keyId, reason, ...(address && { network: clientNetworkOf(address) }) }, 'key refused')
    },
  }
}
