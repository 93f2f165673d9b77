/**
 * Mutations that change nothing a test could see, with the reason. Named by their place and change, without line numbers: an
 * entry that matches no mutation any more is reported. Keep the list short: a mutation that only costs time or memory is not
 * equivalent, it lacks a test.
 */

export interface KnownEquivalent {
  readonly file: string
  /** As the report prints it. */
  readonly change: string
  /** A part of the line, if the same change is possible at several places of the file. */
  readonly within?: string
  readonly reason: string
}

export const KNOWN_EQUIVALENTS: readonly KnownEquivalent[] = [
  {
    file: 'src/dns/wire/query.ts',
    change: '2 → 3',
    within: 'randomBytes(2)',
    reason: 'A random byte that is not read.',
  },
  {
    file: 'src/dns/wire/wire-reader.ts',
    change: '256 → 257',
    reason: 'No byte has the value 256.',
  },
  {
    file: 'src/dns/wire/wire-reader.ts',
    change: '>= → >',
    within: 'length >= NAME_BYTES_MAX',
    reason: 'A name of 255 bytes without the final one is refused when that is added, with the same words.',
  },
  {
    file: 'src/dns/wire/wire-reader.ts',
    change: '>= → >',
    within: 'target >= position',
    reason: 'A pointer to itself is refused as one of too many, with the same words.',
  },
  {
    file: 'src/dns/wire/query.ts',
    change: '1 → 2',
    within: 'random[index]',
    reason: 'Every bit of a random byte is as random as the others.',
  },
  {
    file: 'src/events/replies/mask-reply.ts',
    change: '< → <=',
    within: 'for (let at = 0',
    reason: 'At the end of the text there is no further word.',
  },
  {
    file: 'src/events/ingest/split-records.ts',
    change: '< → <=',
    within: 'for (let start = from',
    reason: 'At the end of the text there is one more line without anything in it, and blank lines are left out.',
  },
  {
    file: 'src/events/retention/retention-time.ts',
    change: '< → <=',
    within: 'offMs < 0',
    reason: 'A clock that is doubted is off by more than a day.',
  },
  {
    file: 'src/events/retention/retention-time.ts',
    change: '0 → 1',
    within: 'offMs < 0',
    reason: 'A clock that is doubted is off by more than a day.',
  },
  {
    file: 'src/http/observation/state-gauges.ts',
    change: '1 → 2',
    within: 'quarantine.usage(1)',
    reason: 'Of the sources that it returns, only the first is used.',
  },
  {
    file: 'src/http/request/expand-body.ts',
    change: '1 → 2',
    within: 'Math.max(1, room)',
    reason: 'A byte too many is refused right after, with the same words.',
  },
  {
    file: 'src/http/routes/refusals.ts',
    change: 'every → some',
    within: 'retryAfterSeconds',
    reason: 'Of the refusals with the same status, all have a time to wait or none has.',
  },
  {
    file: 'src/http/v1/log/following/followers.ts',
    change: '0 → 1',
    within: '#announcements = 0',
    reason: 'Only the difference of two counts is used.',
  },
  {
    file: 'src/http/observation/rendered-metrics.ts',
    change: 'false → true',
    within: '#isRendering = false',
    reason: 'It is read only once there is a text, and set before.',
  },
  {
    file: 'src/http/server/connections.ts',
    change: '< → <=',
    within: 'ORDER[one.state]',
    reason: 'Two states that differ have different places in the order.',
  },
  {
    file: 'src/storage/sqlite/newest/watched-domains.ts',
    change: '< → <=',
    within: 'index < rowsIn(packed)',
    reason: 'After the last row there is no domain, and none is watched.',
  },
  {
    file: 'src/storage/sqlite/text-index/text-candidates.ts',
    change: '0 → 1',
    within: 'toMessageKey(domain, 0), toMessageKey(domain + 1, 0)',
    reason: 'The numbers of messages begin with 1: no key lies between the two.',
  },
  {
    file: 'src/storage/sqlite/days/code-counts.ts',
    change: '0 → 1',
    within: 'let after: Entry = [0, 0, 0]',
    reason: 'The numbers of domains begin with 1, and those of arrival too: nothing lies in between.',
  },
  {
    file: 'src/storage/sqlite/days/code-counts.ts',
    change: '0 → 1',
    within: 'const LAST: Entry',
    reason: 'No code is as large as the one of this entry, and so its position does not matter.',
  },
  {
    file: 'src/storage/clickhouse/server/connected-clickhouse.ts',
    change: '1 → 2',
    within: 'Math.max(1, budgetMs',
    reason: 'What is left of a budget that is used up: a millisecond more is as little.',
  },
  {
    file: 'src/storage/clickhouse/server/connected-clickhouse.ts',
    change: 'ceil → floor',
    within: 'Math.ceil(leftMs)',
    reason: 'It is a whole number of milliseconds, at least one, either way.',
  },
  {
    file: 'src/http/request/expand-body.ts',
    change: 'engine.bytesWritten === 0 → false',
    reason: 'zlib takes a byte at least. It is asked because a version that does not would keep the thread in a loop.',
  },
  {
    file: 'src/storage/clickhouse/writing/encoded-events.ts',
    change: '1 → 2',
    within: 'new Uint32Array(rows.length + 1)',
    reason: 'An entry more that nobody reads.',
  },
  {
    file: 'src/storage/clickhouse/writing/encoded-events.ts',
    change: '0 → 1',
    within: 'arrival: 0',
    reason: 'The number of the event is written over it.',
  },
]
