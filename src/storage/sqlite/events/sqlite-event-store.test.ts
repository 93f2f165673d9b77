import { openTestStorage } from '../../../../test/harness/sqlite-storage.ts'
import { eventStoreContract } from '../../contract/event-store.contract.ts'

eventStoreContract(() => openTestStorage())
