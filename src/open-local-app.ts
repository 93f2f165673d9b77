/** The app for one command, on a service that the command has opened: the same routes and handlers as in a server, no port. */
import { destination, pino } from 'pino'
import { openRemovals } from './background/open-removals.ts'
import { VerificationRunner } from './domains/verification/verification-runner.ts'
import { buildLocalApp, type LocalApp } from './http/local-app.ts'
import { openAudit } from './http/observation/audit.ts'
import { createSilentMetrics } from './http/observation/silent-metrics.ts'
import { eraseHitsOnDisk } from './open-hit-recorder.ts'
import type { Service } from './open-service.ts'
import { KeyUses } from './tenants/key-uses.ts'

/** Close it before the service, which it leaves open. */
export async function openLocalApp(service: Service): Promise<LocalApp> {
  const { storage, dns, clock } = service
  const verifications = new VerificationRunner({ domains: storage.control.domains, dns, clock })
  const metrics = createSilentMetrics(clock)
  // The command prints refusals itself; bugs are logged with their stack.
  const logger = pino({ level: 'error', base: null }, destination({ fd: 2, sync: true }))
  const audit = openAudit({ storage, clock, metrics, logger })
  const eraseHits = (address: string) => eraseHitsOnDisk(service.config.dataDir, address)
  const removals = openRemovals({ storage, clock, audit, logger, eraseHits })
  const app = await buildLocalApp({
    ...service,
    keyUses: new KeyUses(storage.control.keys),
    audit,
    metrics,
    verifications,
    removals,
    logger,
  })
  return {
    request: (request) => app.request(request),
    async close() {
      await app.close()
      await verifications.close()
      await removals.stop()
      await audit.flush()
    },
  }
}
