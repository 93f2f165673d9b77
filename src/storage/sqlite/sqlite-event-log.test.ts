import { openTestStorage } from '../../../test/harness/storage/sqlite-storage.ts'
import { arrivalsContract } from '../contract/arrivals.contract.ts'
import { removalStoreContract, removedDomainsContract } from '../contract/control/removal-store.contract.ts'
import { deliveryTimesContract } from '../contract/delivery-times.contract.ts'
import { erasureContract } from '../contract/erasure.contract.ts'
import { eventLogContract } from '../contract/event-log.contract.ts'
import { findingsContract } from '../contract/findings.contract.ts'
import { shareLog } from '../contract/log-scene.ts'
import { repliesContract } from '../contract/replies.contract.ts'
import { sendingContract } from '../contract/sending.contract.ts'
import { seriesContract } from '../contract/series.contract.ts'

const openEmpty = () => openTestStorage()
const open = shareLog(openEmpty)

eventLogContract(open, { openEmpty })
arrivalsContract(open)
seriesContract(open)
repliesContract(open)
deliveryTimesContract(open)
findingsContract(open)
sendingContract(open)
erasureContract(openEmpty)
removalStoreContract(openEmpty)
removedDomainsContract(openEmpty)
