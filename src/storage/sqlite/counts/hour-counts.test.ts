import { openTestStorage } from '../../../../test/harness/sqlite-storage.ts'
import { seriesContract } from '../../contract/stats-store.contract.ts'

seriesContract(() => openTestStorage())
