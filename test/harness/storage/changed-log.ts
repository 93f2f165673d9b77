/** A storage whose log differs in some methods, such as one that fails. */
import type { Storage } from '../../../src/storage/storage.ts'

export function withChangedLog(storage: Storage, changes: Partial<Storage['log']>): Storage {
  const { log } = storage
  return {
    ...storage,
    log: {
      append: (events) => log.append(events),
      list: (query) => log.list(query),
      listMessage: (query) => log.listMessage(query),
      replies: (query) => log.replies(query),
      deliveryTimes: (query) => log.deliveryTimes(query),
      count: (query) => log.count(query),
      arrivals: log.arrivals,
      removeBefore: (timeMs) => log.removeBefore(timeMs),
      erase: (erasure, after) => log.erase(erasure, after),
      findNewestTimestamp: () => log.findNewestTimestamp(),
      counts: (domains) => log.counts(domains),
      series: (query) => log.series(query),
      ...changes,
    },
  }
}
