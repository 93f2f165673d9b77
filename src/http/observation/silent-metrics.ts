/** Metrics for a process that is never scraped, such as a command. Counts nothing and loads no library. */
import { IngestMinutes } from '../../events/ingest/ingest-minutes.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Metrics } from './metrics.ts'

export function createSilentMetrics(clock: Clock): Metrics {
  const ignore = () => undefined
  return {
    observeRequest: ignore,
    countRefusedConnection: ignore,
    countClosedConnection: ignore,
    countIngest: ignore,
    ingestMinutes: new IngestMinutes(clock),
    countReport: ignore,
    countCheck: ignore,
    countHit: ignore,
    countLostAudit: ignore,
    countKeyRefusal: ignore,
    countStreams: ignore,
    render: async () => ({ contentType: 'text/plain', text: '' }),
  }
}
