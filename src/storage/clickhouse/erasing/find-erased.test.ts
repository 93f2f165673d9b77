import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scriptClickHouse } from '../../../../test/harness/storage/clickhouse/scripted-clickhouse.ts'
import type { Postgres } from '../../postgres/database/postgres.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { concerns, findErased } from './find-erased.ts'
import { checkUnclean, listUnclean } from './unclean-partitions.ts'

const DAY = '1970-01-02'
const DAY_MS = 86_400_000

describe('events of a day that are to be erased', () => {
  test('of an expiry are those of days that are over before it, and not before its beginning', () => {
    const isConcerned = (beforeMs: number, fromMs?: number) =>
      concerns({ what: 'expired', domainNumbers: [1], beforeMs, ...(fromMs !== undefined && { fromMs }) }, DAY)
    assert.deepEqual([isConcerned(2 * DAY_MS), isConcerned(2 * DAY_MS - 1)], [true, false])
    assert.deepEqual([isConcerned(3 * DAY_MS, 2 * DAY_MS - 1), isConcerned(3 * DAY_MS, 2 * DAY_MS)], [true, false])
    assert.ok(concerns({ what: 'domains', domainNumbers: [1] }, DAY))
    assert.ok(concerns({ what: 'recipient', address: 'a@a.test' }, DAY))
  })

  test('of a recipient are named by their numbers, without the address', async () => {
    const { clickHouse, asked } = scriptClickHouse([
      [
        [1, 10],
        [2, 11],
        [1, 12],
      ],
    ])
    const found = await findErased(clickHouse, { what: 'recipient', address: "O'A@a.test" }, DAY, 99)
    assert.deepEqual(
      found?.counts,
      new Map([
        [1, 2],
        [2, 1],
      ]),
    )
    assert.match(found?.where ?? '', /^domain IN \(1, 2\) AND .* AND arrival < 99 AND arrival IN \(10, 11, 12\)$/)
    assert.equal(found?.isAll, true)
    assert.match(asked[0]?.sql ?? '', /= 'o\\'a@a\.test' LIMIT 2000$/)
    assert.equal(asked[0]?.options.mustBeStrict, true)
  })

  test('of domains are those up to the newest of each', async () => {
    const { clickHouse, asked } = scriptClickHouse([
      [
        [1, 5, 70],
        [3, 2, 80],
      ],
    ])
    const found = await findErased(clickHouse, { what: 'domains', domainNumbers: [1, 2, 3] }, DAY, 99)
    assert.deepEqual(
      found?.counts,
      new Map([
        [1, 5],
        [3, 2],
      ]),
    )
    assert.match(
      found?.where ?? '',
      /^domain IN \(1, 3\) .*transform\(domain, \[1, 3\], \[toUInt64\(70\), toUInt64\(80\)\], toUInt64\(0\)\)$/,
    )
    assert.deepEqual(
      [asked[0]?.options.mustBeStrict, asked[0]?.options.settings],
      [true, { max_query_size: 16_777_216 }],
    )
  })

  test('are not all if as many were found as are named at once', async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, index) => [index + 1, 1, 1])
    const isAll = async (erasure: Parameters<typeof findErased>[1], count: number) => {
      return (await findErased(scriptClickHouse([rows(count)]).clickHouse, erasure, DAY, 9))?.isAll
    }
    const recipient = { what: 'recipient', address: 'a@a.test' } as const
    const domains = { what: 'domains', domainNumbers: [1] } as const
    assert.deepEqual([await isAll(recipient, 1999), await isAll(recipient, 2000)], [true, false])
    assert.deepEqual([await isAll(domains, 999), await isAll(domains, 1000)], [true, false])
    assert.equal(await findErased(scriptClickHouse([]).clickHouse, domains, DAY, 9), undefined)
    assert.equal(await findErased(scriptClickHouse([]).clickHouse, recipient, DAY, 9), undefined)
  })
})

describe('files that are out of use', () => {
  const single = (parts: readonly (readonly string[])[]) => {
    const select = async () => parts
    return { cluster: undefined, version: [24, 8], database: 'd', select } as unknown as ClickHouse
  }

  test('may have the rows if they are as old as the deletion', async () => {
    const deletions = [{ table: 'event', where: '1', partitions: ['a', 'b'] }] as const
    const parts = [
      ['a', '5'],
      ['b', '9'],
      ['a', '7'],
      ['a', '6'],
    ]
    assert.deepEqual(await listUnclean(single(parts), deletions), [
      { table: 'event', partition: 'a', newest: 7 },
      { table: 'event', partition: 'b', newest: 9 },
    ])
  })

  test('are waited for until they are gone', async () => {
    const check = async (
      parts: readonly (readonly string[])[],
      unclean = [{ table: 'event', partition: 'a', newest: 7 }],
    ) => {
      const removed: unknown[] = []
      const db = { all: async () => unclean, run: async (_: string, ...values: unknown[]) => void removed.push(values) }
      return [await checkUnclean(db as unknown as Postgres, single(parts)), removed]
    }
    const gone = [true, [['event', 'a', 7]]]
    assert.deepEqual(await check([['event', 'a', '7']]), [false, []])
    assert.deepEqual(await check([['event', 'a', '8']]), gone)
    assert.deepEqual(
      await check([
        ['event', 'b', '7'],
        ['event_hour', 'a', '7'],
      ]),
      gone,
    )
    assert.deepEqual(await check([], []), [true, []])
    const two = [
      { table: 'event', partition: 'a', newest: 7 },
      { table: 'event', partition: 'b', newest: 7 },
    ]
    assert.deepEqual(await check([['event', 'a', '7']], two), [false, [['event', 'b', 7]]])
  })
})
