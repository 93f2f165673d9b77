/** On a PostgreSQL and a ClickHouse that answer as a test says: which numbers are given out after PostgreSQL has lost some. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scriptClickHouse } from '../../../../test/harness/storage/clickhouse/scripted-clickhouse.ts'
import { AppError } from '../../../lib/app-error.ts'
import type { Postgres, Statements } from '../../postgres/database/postgres.ts'
import { FIRST_RESERVED_DOMAIN } from '../erasing/placeholders.ts'
import { continueNumbers, guardNumbers } from './arrival-guard.ts'
import { DomainNumberGuard } from './domain-number-guard.ts'
import { continueDomains } from './domain-numbers.ts'

interface Scene {
  /** Of the database, and what is recorded in it, at each reading. */
  readonly identities?: readonly (readonly [identity: string | null, recorded: string | null] | Error)[]
  /** The next number of an event, and the last of a domain. */
  readonly next?: number
  readonly lastDomain?: number
  /** Rows that a statement changes. */
  readonly changed?: number
  /** The highest number of an event, and those of domains in three tables, if they are asked for. */
  readonly highest?: Parameters<typeof scriptClickHouse>[0]
}

function open({ identities = [], next = 5, lastDomain = 7, changed = 1, highest = [] }: Scene) {
  const waiting = [...identities]
  const changes: string[] = []
  const statements: Pick<Statements, 'get' | 'number' | 'run'> = {
    async get<T>() {
      const found = waiting.shift()
      if (found instanceof Error) throw found
      return found && ({ identity: found[0], recorded: found[1] } as T)
    },
    number: async (sql) => (sql.includes('arrival') ? next : lastDomain),
    async run(sql, ...values) {
      const [what] = /advisory_xact_lock|setval|INSERT INTO \w+/.exec(sql) ?? []
      changes.push([what, ...values].join(' '))
      return changed
    },
  }
  const transaction = async (work: (own: Statements) => Promise<unknown>) => {
    changes.push('BEGIN')
    await work(statements as Statements)
    changes.push('COMMIT')
  }
  const { clickHouse, asked } = scriptClickHouse(highest)
  return { db: { ...statements, transaction } as unknown as Postgres, clickHouse, asked, changes }
}

describe('a session that decides', () => {
  for (const [what, identities] of [
    ['is the one that was recorded', [['a', 'a']]],
    ['is a standby', [[null, 'a']]],
    ['does not tell', [new Error('no permission')]],
    ['tells nothing', []],
  ] as const) {
    test(`of a database that ${what} changes nothing`, async () => {
      const { db, clickHouse, asked, changes } = open({ identities })
      await guardNumbers(db, clickHouse)
      assert.deepEqual([asked, changes], [[], []])
    })
  }

  test('is refused if the database does not answer', async () => {
    const { db, clickHouse } = open({ identities: [new AppError('storage_unavailable', 'x')] })
    await assert.rejects(guardNumbers(db, clickHouse), { code: 'storage_unavailable' })
  })

  test('of another database continues after all numbers that are stored, far enough for those under way', async () => {
    const highest = [[['90']], [['20']], [['30']], [['8']]] as const
    const { db, clickHouse, asked, changes } = open({
      identities: [
        ['b', 'a'],
        ['b', 'a'],
      ],
      highest,
    })
    await guardNumbers(db, clickHouse)
    const within = `domain > 7 AND domain < ${FIRST_RESERVED_DOMAIN}`
    assert.deepEqual(
      asked.map(({ sql, options }) => [sql.replace(/SELECT max\((\w+)\) FROM/, '$1'), options.mustBeStrict]),
      [
        [`arrival event WHERE arrival >= 5 AND domain < ${FIRST_RESERVED_DOMAIN}`, true],
        [`domain event WHERE ${within}`, true],
        [`domain event_hour WHERE ${within}`, true],
        [`domain domain_change WHERE ${within}`, true],
      ],
    )
    const [begin, lock, numbers, domains, record, commit, ...others] = changes
    assert.match(lock ?? '', /^advisory_xact_lock \d+$/)
    assert.equal(numbers, 'INSERT INTO arrival 91 10000000')
    assert.equal(domains, 'setval 1030')
    assert.equal(record, 'INSERT INTO setting b')
    assert.deepEqual([begin, commit, others], ['BEGIN', 'COMMIT', []])
  })

  test('of a new database keeps its numbers, except for domains that are stored already', async () => {
    const { db, clickHouse, asked, changes } = open({
      identities: [
        ['b', null],
        ['b', null],
      ],
      highest: [[['1']]],
    })
    await guardNumbers(db, clickHouse)
    assert.equal(asked.length, 3)
    assert.deepEqual(changes.slice(2), ['setval 1001', 'INSERT INTO setting b', 'COMMIT'])
    const none = open({
      identities: [
        ['b', null],
        ['b', null],
      ],
      highest: [[['0']], [], [['0']]],
    })
    await guardNumbers(none.db, none.clickHouse)
    assert.deepEqual(none.changes.slice(2), ['INSERT INTO setting b', 'COMMIT'])
  })

  test('changes nothing that another has changed meanwhile', async () => {
    const { db, clickHouse, changes } = open({
      identities: [
        ['b', 'a'],
        ['b', 'b'],
      ],
    })
    await guardNumbers(db, clickHouse)
    assert.deepEqual([changes.length, changes.at(-1)], [3, 'COMMIT'])
  })
})

describe('after an older copy was restored', () => {
  test('events are numbered after those that are stored', async () => {
    const { db, clickHouse, changes } = open({ highest: [[['90']]] })
    assert.equal(await continueNumbers(db, clickHouse, 'event'), 91)
    assert.deepEqual(changes, ['INSERT INTO arrival 91'])
    const one = open({ highest: [[['1']]], changed: 2 })
    assert.equal(await continueNumbers(one.db, one.clickHouse, 'event'), 2)
  })

  test('numbers stay if none is stored, or PostgreSQL knows a higher one', async () => {
    for (const highest of [[[['0']]], []] as const) {
      const { db, clickHouse, changes } = open({ highest })
      assert.deepEqual([await continueNumbers(db, clickHouse, 'event'), changes], [undefined, []])
    }
    const { db, clickHouse } = open({ highest: [[['90']]], changed: 0 })
    assert.equal(await continueNumbers(db, clickHouse, 'event'), undefined)
  })

  test('domains are numbered after the highest of any table', async () => {
    const { db, clickHouse, changes } = open({ highest: [[['8']], [['30']], [['20']]] })
    assert.equal(await continueDomains(db, clickHouse, (table) => table), 31)
    assert.deepEqual(changes, ['setval 30'])
    const one = open({ highest: [[['1']]] })
    assert.equal(await continueDomains(one.db, one.clickHouse, (table) => table), 2)
    const none = open({})
    assert.deepEqual([await continueDomains(none.db, none.clickHouse, (table) => table), none.changes], [undefined, []])
  })
})

test('before the first domain of a server ClickHouse is asked, afterwards only if the database is another', async () => {
  const same = ['a', 'a'] as const
  const identities = [new AppError('storage_unavailable', 'x'), same, same, same, ['b', 'a'], ['b', 'a']] as const
  const failing = [new AppError('storage_unavailable', 'x')]
  const { db, clickHouse, asked, changes } = open({ identities, highest: [...failing, [['9']]] })
  const guard = new DomainNumberGuard(db, clickHouse)
  await assert.rejects(guard.check())
  assert.equal(asked.length, 0)
  await assert.rejects(guard.check())
  assert.equal(asked.length, 1)
  await guard.check()
  assert.deepEqual([asked.length, changes], [4, ['setval 9']])
  await guard.check()
  assert.equal(asked.length, 4)
  await guard.check()
  assert.equal(asked.length, 8)
})
