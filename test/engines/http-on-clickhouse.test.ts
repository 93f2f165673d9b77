/** Suites of the HTTP API that run on SQLite elsewhere, on ClickHouse and PostgreSQL: the same answers are expected. */
import { join } from 'node:path'
import { after } from 'node:test'
import { setFixtureEngine } from '../harness/app/fixture-engine.ts'
import { shareProcess } from '../harness/share-process.ts'
import { startClickhouseInstallations } from '../harness/storage/clickhouse/installation.ts'

const installations = await startClickhouseInstallations()
after(() => installations[Symbol.asyncDispose]())
setFixtureEngine((options) => installations.open(options))

/** Reading and writing events, who may do it, and the walks and texts that try to break it. */
const SUITES = [
  'src/http/access/isolation.test.ts',
  'src/http/ingest/post-ingest.test.ts',
  'src/http/logs/get-webhooks.test.ts',
  'src/http/stats/get-domain-stats.test.ts',
  'src/http/v1/log/events.test.ts',
  'src/http/v1/log/messages.test.ts',
  'src/http/v1/log/stream.test.ts',
  'src/http/v1/statistics/series.test.ts',
  'src/http/v1/session/session.test.ts',
  'src/http/v1/administration/removal/removals.test.ts',
  'test/e2e/cursor.test.ts',
  'test/e2e/text-filters.test.ts',
]
shareProcess(join(import.meta.dirname, '../..'), SUITES)
