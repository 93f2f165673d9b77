/** The product's own server, but with pages read on the serving thread: what reading threads cost is the difference. */
import { loadConfig, serviceMessageIdField } from '../../src/config/load-config.ts'
import { readEnvironment } from '../../src/config/read-environment.ts'
import { greet, serve } from '../../src/main.ts'
import { LogReads } from '../../src/storage/sqlite/read-pool/log-reads.ts'
import { PooledLog } from '../../src/storage/sqlite/read-pool/pooled-log.ts'
import { SEARCH_THRESHOLDS } from '../../src/storage/sqlite/reading/day-plan.ts'

const config = loadConfig(readEnvironment())
await serve(config, {
  onListening: async (...listening) => {
    // The log does not change while pages are measured, so nothing has to be learned.
    const { dataDir } = config
    const field = serviceMessageIdField(config)
    const reads = new LogReads({ dataDir, serviceMessageIdField: field, thresholds: SEARCH_THRESHOLDS })
    PooledLog.prototype.list = (query) => reads.list(query)
    await greet(...listening)
  },
})
