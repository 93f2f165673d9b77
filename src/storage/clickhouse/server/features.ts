/** What a version of ClickHouse has, for the schema and for the settings of requests: a server refuses settings that it does not know. */

export type Version = readonly [number, number]

/** The newest features that we use came with 24.8, a version with long-term support. */
const NEW: Version = [24, 8]

/** Codecs, LowCardinality, skip indexes, tokens of inserts, syncing of inserts, deduplication without replication. */
export function isNew(version: Version): boolean {
  return !isOlder(version, NEW)
}

export function isOlder(a: Version, b: Version): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
}

/**
 * How a page of events is filtered: with PREWHERE, the columns of the conditions are read first, and the others only around rows that match. New
 * versions decide that themselves, column by column.
 */
export function eventFilter(version: Version): 'WHERE' | 'PREWHERE' {
  return isNew(version) ? 'WHERE' : 'PREWHERE'
}

/** `18.16.1` or `24.8.4.13` */
export function parseVersion(text: string): Version {
  const numbers = text.split('.').map(Number)
  return [numbers[0] ?? 0, numbers[1] ?? 0]
}
