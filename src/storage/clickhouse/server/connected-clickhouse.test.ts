/** What is sent to which address, without any server: the addresses answer as a test says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { AppError } from '../../../lib/app-error.ts'
import type { Address, ServerRequest } from './address.ts'
import type { Addresses } from './addresses.ts'
import { BudgetError, type Insertion } from './clickhouse.ts'
import { ConnectedClickHouse, type Found } from './connected-clickhouse.ts'

const OLD = [18, 16] as const
const NEW = [24, 8] as const
/** Of the shard with this number, as the configuration has them. */
const OWN = [0, 1].map((shard) => [{ shard }] as unknown as readonly Address[])

const exception = (code: number) => new Error(`Code: ${code}. DB::Exception: x`)
const NOT_IN_QUORUM = exception(289)
const NO_DISK = exception(243)
const TOO_SLOW = exception(159)

interface Asked extends ServerRequest {
  readonly way: 'any' | 'once'
  readonly among: readonly Address[] | undefined
}

interface Scene {
  readonly found?: Partial<Found>
  readonly isCluster?: boolean
  /** To each request in turn; afterwards empty. */
  readonly answers?: readonly (string | Error | Promise<string>)[]
  /** Servers of the shards are known. */
  readonly areShardsKnown?: boolean
}

function open({ found, isCluster = true, answers = [], areShardsKnown = true }: Scene = {}) {
  const asked: Asked[] = []
  const waiting = [...answers]
  let isClosed = false
  let shardsFound = 0
  const answer = (way: Asked['way']) => async (request: ServerRequest, among?: readonly Address[]) => {
    asked.push({ ...request, way, among })
    const next = waiting.shift() ?? ''
    if (next instanceof Error) throw next
    return next
  }
  const addresses: Pick<Addresses, 'size' | 'usable' | 'failovers' | 'any' | 'once' | 'shardsOf' | 'close'> = {
    size: 4,
    usable: 3,
    failovers: 2,
    any: answer('any'),
    once: answer('once'),
    shardsOf: () => {
      shardsFound++
      const own = (shard: number) => (areShardsKnown ? OWN[shard] : undefined)
      const shards = {
        findServers: async (shard: number) => own(shard) && { name: `s${shard}`, addresses: own(shard) },
        listOf: async (shard: number) => own(shard) ?? [],
      }
      return shards as unknown as ReturnType<Addresses['shardsOf']>
    },
    close: () => {
      isClosed = true
    },
  }
  const clickHouse = new ConnectedClickHouse(
    { database: 'd', ...(isCluster && { cluster: 'c' }) },
    addresses as unknown as Addresses,
    { version: NEW, shards: 2, configuredShards: 3, replicas: [2, 2], isSettled: true, ...found },
  )
  const state = () => ({ isClosed, shardsFound })
  return { clickHouse, asked, state }
}

const sqlOf = ({ sql }: Asked) => sql.replaceAll(/\s+/g, ' ')
const isStrict = ({ settings }: Asked) => settings['select_sequential_consistency'] === 1
const codeOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => assert.fail('it succeeded'),
    (thrown: unknown) => thrown,
  )
  return error instanceof BudgetError ? 'budget' : (error as AppError).code
}

test('a connection tells what was found', async () => {
  const { clickHouse, state } = open()
  const { version, database, cluster, shards, configuredShards, figures } = clickHouse
  assert.deepEqual([version, database, cluster, shards, configuredShards], [NEW, 'd', 'c', 2, 3])
  assert.deepEqual(figures, { fallbacks: 0, failovers: 2, addresses: 4, usableAddresses: 3 })
  assert.equal(clickHouse.readFrom('event'), 'event_all_2')
  assert.equal(open({ isCluster: false }).clickHouse.readFrom('event'), 'event')
  assert.equal(open({ isCluster: false }).clickHouse.cluster, undefined)
  await clickHouse.close()
  assert.equal(state().isClosed, true)
})

describe('domains of one shard', () => {
  const toSql = ({ from, isThere }: { from: (table: 'event') => string; isThere: string }) => {
    return `SELECT 1 FROM ${from('event')} WHERE ${isThere}`
  }
  const ALL = 'SELECT 1 FROM event_all_2 WHERE 1 FORMAT TabSeparated'

  test('are asked for at its servers, found once, which have to be of the shard', async () => {
    const { clickHouse, asked, state } = open({ answers: ['1\n'] })
    assert.deepEqual(await clickHouse.selectOf([3, 5], toSql), [['1']])
    await clickHouse.selectOf([4], toSql)
    assert.match(asked.map(sqlOf).join('\n'), /FROM event WHERE throwIf\(.*'s1'.*\nSELECT 1 FROM event WHERE .*'s0'/)
    assert.deepEqual([asked[0]?.among, asked[1]?.among], [OWN[1], OWN[0]])
    assert.equal(state().shardsFound, 1)
  })

  for (const [what, scene, domains] of [
    ['domains of two shards', {}, [3, 4]],
    ['a number of shards that was changed', { found: { isSettled: false } }, [3]],
    ['servers that are not known', { areShardsKnown: false }, [3]],
  ] as const) {
    test(`are asked for everywhere: ${what}`, async () => {
      const { clickHouse, asked } = open(scene)
      await clickHouse.selectOf(domains, toSql)
      assert.deepEqual(asked.map(sqlOf), [ALL])
      assert.equal(asked[0]?.among, undefined)
    })
  }

  test('a single server is asked for them as it is', async () => {
    const { clickHouse, asked, state } = open({ isCluster: false, found: { shards: 1 } })
    await clickHouse.selectOf([3], toSql)
    assert.deepEqual(asked.map(sqlOf), ['SELECT 1 FROM event WHERE 1 FORMAT TabSeparated'])
    assert.equal(state().shardsFound, 0)
  })

  test('are asked for elsewhere if its servers cannot be used, within what is left of the budget', async (t) => {
    for (const [tookMs, seconds] of [
      [0, 10],
      [2500, 8],
      [20_000, 1],
    ] as const) {
      let now = 50_000
      const clock = t.mock.method(performance, 'now', () => now)
      const { clickHouse, asked } = open({ answers: [NO_DISK] })
      const reading = clickHouse.selectOf([3], toSql, { budgetMs: 10_000 })
      now += tookMs
      await reading
      clock.mock.restore()
      assert.deepEqual(asked.map(sqlOf).slice(1), [ALL])
      assert.deepEqual(
        asked.map(({ settings }) => settings['max_execution_time']),
        [10, seconds],
      )
    }
    const { clickHouse, asked } = open({ answers: [NO_DISK] })
    await clickHouse.selectOf([3], toSql)
    assert.deepEqual(
      asked.map(({ settings }) => settings['max_execution_time']),
      [30, 30],
    )
  })

  for (const [what, failure, options, code] of [
    ['a budget that is used up', TOO_SLOW, {}, 'budget'],
    ['a statement that is wrong', exception(62), {}, '62'],
    ['a server that is overloaded', exception(202), {}, 'overloaded'],
    ['what is not on enough replicas', NOT_IN_QUORUM, { mustBeStrict: true }, 'storage_unavailable'],
  ] as const) {
    test(`nobody else is asked after ${what}`, async () => {
      const { clickHouse, asked } = open({ answers: [failure] })
      assert.equal(await codeOf(clickHouse.selectOf([3], toSql, options)), code)
      assert.equal(asked.length, 1)
    })
  }

  test('are divided by shard if each domain is on one shard', () => {
    assert.deepEqual(open().clickHouse.divide([1, 2, 3, 4]), [
      [1, 3],
      [2, 4],
    ])
    assert.deepEqual(open({ found: { isSettled: false } }).clickHouse.divide([1, 2, 3]), [[1, 2, 3]])
    assert.deepEqual(open({ isCluster: false }).clickHouse.divide([1, 2, 3]), [[1, 2, 3]])
  })
})

describe('a read', () => {
  test('returns rows as texts, in the database, with the settings of the caller, and is not repeated in vain', async () => {
    const { clickHouse, asked } = open({ answers: ['1\ta\n2\tb\n'] })
    assert.deepEqual(await clickHouse.select('SELECT x', { settings: { max_rows_to_read: 7 } }), [
      ['1', 'a'],
      ['2', 'b'],
    ])
    const [{ way, sql, settings, body, mustBeKilled } = assert.fail()] = asked
    assert.deepEqual([way, sql, body, mustBeKilled], ['any', 'SELECT x\nFORMAT TabSeparated', undefined, false])
    assert.deepEqual([settings['database'], settings['readonly'], settings['max_rows_to_read']], ['d', 2, 7])
    assert.equal(clickHouse.figures.fallbacks, 0)
  })

  test('is ended on servers that would go on with it; a statement is not', async () => {
    const { clickHouse, asked } = open({ found: { version: OLD } })
    await clickHouse.select('SELECT 1')
    await clickHouse.command('ALTER TABLE x')
    assert.deepEqual(
      asked.map(({ mustBeKilled }) => mustBeKilled),
      [true, false],
    )
  })

  test('has the table that is sent with it', async () => {
    const { clickHouse, asked } = open()
    await clickHouse.select('SELECT 1', { sent: { name: 'asked', columns: 'k UInt8', body: Buffer.from('!?') } })
    assert.match(String(asked[0]?.body), /name="asked"[\s\S]*!\?/)
    assert.match(asked[0]?.contentType ?? '', /^multipart\/form-data/)
    assert.equal(asked[0]?.settings['asked_structure'], 'k UInt8')
  })

  test('is strict on a cluster unless the caller does without', async () => {
    const { clickHouse, asked } = open()
    await clickHouse.select('SELECT 1')
    await clickHouse.select('SELECT 1', { isStrict: false })
    await clickHouse.select('SELECT 1', { isStrict: false, mustBeStrict: true })
    assert.deepEqual(asked.map(isStrict), [true, false, true])
    assert.equal(clickHouse.figures.fallbacks, 0)
    const single = open({ isCluster: false })
    await single.clickHouse.select('SELECT 1')
    assert.deepEqual(single.asked.map(isStrict), [false])
  })

  test('falls back, and is counted, for a second after none could be strict, or as long as that took', async (t) => {
    let now = 50_000
    t.mock.method(performance, 'now', () => now)
    for (const [tookMs, relaxedMs] of [
      [0, 1000],
      [400, 1000],
      [4000, 4000],
    ] as const) {
      const { clickHouse, asked } = open({ answers: [NOT_IN_QUORUM] })
      const first = clickHouse.select('SELECT 1')
      now += tookMs
      await first
      now += relaxedMs - 1
      await clickHouse.select('SELECT 1')
      now += 1
      await clickHouse.select('SELECT 1')
      assert.deepEqual(asked.map(isStrict), [true, false, false, true])
      assert.equal(clickHouse.figures.fallbacks, 2)
    }
  })

  test('that must be strict is tried in any case, and is refused if it cannot be', async () => {
    const { clickHouse, asked } = open({ answers: [NOT_IN_QUORUM, '', NOT_IN_QUORUM] })
    await clickHouse.select('SELECT 1')
    assert.equal(await codeOf(clickHouse.select('SELECT 1', { mustBeStrict: true })), 'storage_unavailable')
    assert.deepEqual(asked.map(isStrict), [true, false, true])
    assert.equal(clickHouse.figures.fallbacks, 1)
  })

  test('does not fall back after any other failure', async () => {
    for (const failure of [NO_DISK, exception(62), new Error('socket hang up')]) {
      const { clickHouse, asked } = open({ answers: [failure] })
      await assert.rejects(clickHouse.select('SELECT 1'))
      assert.equal(asked.length, 1)
    }
  })

  test('that takes longer than its budget has used it up; without one the store does not answer', async () => {
    const late = new DOMException('late', 'TimeoutError')
    const error = () => open({ answers: [late as unknown as Error] }).clickHouse
    assert.equal(await codeOf(error().select('SELECT 1', { budgetMs: 5 })), 'budget')
    assert.equal(await codeOf(error().select('SELECT 1')), 'storage_unavailable')
    const { clickHouse } = open({ answers: [new Error('socket hang up')] })
    assert.equal(await codeOf(clickHouse.select('SELECT 1', { budgetMs: 5 })), 'storage_unavailable')
  })

  test('ends with the signal of its caller, for the reason that it gives', async () => {
    const reason = new Error('the caller left')
    const controller = new AbortController()
    const { promise, reject } = Promise.withResolvers<string>()
    const { clickHouse, asked } = open({ answers: [promise] })
    const reading = clickHouse.select('SELECT 1', { signal: controller.signal })
    await turn()
    controller.abort(reason)
    assert.equal(asked[0]?.signal.aborted, true)
    reject(new Error('aborted'))
    await assert.rejects(reading, reason)
    await assert.rejects(clickHouse.select('SELECT 1', { signal: AbortSignal.abort(reason) }), reason)
    assert.equal(asked.length, 1)
  })
})

describe('at a time', () => {
  const never = new Promise<string>(() => {})
  const pending = (count: number) => Array.from({ length: count }, () => never)

  test('24 reads are sent, 2000 wait, and further ones are refused; what is written does not wait for them', async () => {
    const { clickHouse, asked } = open({ answers: pending(36) })
    const failures: unknown[] = []
    for (let count = 0; count < 24 + 2000; count++) clickHouse.select('SELECT 1').catch((error) => failures.push(error))
    await turn()
    assert.deepEqual([asked.length, failures], [24, []])
    assert.equal(await codeOf(clickHouse.select('SELECT 1')), 'overloaded')
    void clickHouse.select('SELECT 2', { mustBeStrict: true })
    void clickHouse.select('SELECT 2', { isOfWriting: true })
    for (let count = 0; count < 20; count++) void clickHouse.insert(insertion())
    await turn()
    assert.equal(asked.length, 24 + 12)
  })

  test('a read whose time is over before it is sent has used up its budget', async () => {
    const { clickHouse } = open({ answers: pending(24) })
    for (let count = 0; count < 24; count++) void clickHouse.select('SELECT 1')
    assert.equal(await codeOf(clickHouse.select('SELECT 1', { budgetMs: 1 })), 'budget')
  })

  test('of those that write, 2000 wait and further ones are refused', async () => {
    const { clickHouse, asked } = open({ answers: pending(12) })
    for (let count = 0; count < 12 + 2000; count++) void clickHouse.insert(insertion())
    await turn()
    assert.equal(asked.length, 12)
    assert.equal(await codeOf(clickHouse.insert(insertion())), 'overloaded')
    await clickHouse.command('ALTER TABLE x')
    assert.equal(asked.length, 13)
  })
})

function insertion(given: Partial<Insertion> = {}): Insertion {
  return { table: 'domain_change', body: Buffer.from('!'), token: 't', timeoutMs: 60_000, shard: 1, ...given }
}

describe('an insert', () => {
  async function insert(given: Partial<Insertion>, found: Partial<Found> = {}, scene: Scene = {}) {
    const { clickHouse, asked } = open({ ...scene, found })
    await clickHouse.insert(insertion(given))
    return asked[0] ?? assert.fail()
  }

  test('is sent once, in the database, with all columns or those that are given', async () => {
    const { way, sql, settings, body, among } = await insert({})
    assert.equal(sql, 'INSERT INTO domain_change_all_2 (domain, changed_at_ms) FORMAT RowBinary')
    assert.deepEqual([way, String(body), among, settings['database']], ['once', '!', undefined, 'd'])
    assert.equal(settings['insert_deduplication_token'], 't')
    const named = await insert({ columns: ['a', 'b'] })
    assert.equal(named.sql, 'INSERT INTO domain_change_all_2 (a, b) FORMAT RowBinary')
    assert.match((await insert({ columns: ['a'], format: 'TabSeparated' })).sql, /\(a\) FORMAT TabSeparated$/)
  })

  test('of one shard goes to its servers where the others would have to take part', async () => {
    const own = await insert({ isOfShard: true }, { version: OLD })
    assert.deepEqual([own.sql.split(' ')[2], own.among], ['domain_change', OWN[1]])
    for (const [given, version, scene] of [
      [{}, OLD, {}],
      [{ isOfShard: true }, NEW, {}],
      [{ isOfShard: true }, OLD, { areShardsKnown: false }],
    ] as const) {
      const { sql, among } = await insert(given, { version }, scene)
      assert.deepEqual([sql.split(' ')[2], among], ['domain_change_all_2', undefined])
    }
    const single = await insert({ isOfShard: true, shard: 0 }, { version: OLD }, { isCluster: false })
    assert.deepEqual([single.sql.split(' ')[2], single.among], ['domain_change', undefined])
  })

  test('is on as many replicas as its shard has, up to two, and if it may go elsewhere on as many as any has', async () => {
    const replicas = [1, 3]
    const quorumOf = ({ settings }: Asked) => settings['insert_quorum']
    for (const version of [OLD, NEW]) {
      assert.equal(quorumOf(await insert({ isOfShard: true }, { version, replicas })), 2)
      assert.equal(quorumOf(await insert({ isOfShard: true, shard: 0 }, { version, replicas })), undefined)
      assert.equal(quorumOf(await insert({}, { version, replicas })), undefined)
      assert.equal(quorumOf(await insert({}, { version, replicas: [2, 3] })), 2)
    }
  })

  test('is refused rather than made with fewer copies, if no address of its shard is known', async () => {
    const unknown = { areShardsKnown: false }
    await assert.rejects(
      insert({ isOfShard: true }, { version: OLD, replicas: [1, 3] }, unknown),
      (error: AppError) => {
        assert.match((error.cause as Error).message, /^No address in ENVELOG_CLICKHOUSE_URL .* shard 2\. At least one/)
        return error.code === 'storage_unavailable'
      },
    )
    const first = { isOfShard: true, shard: 0 }
    assert.equal(
      (await insert(first, { version: OLD, replicas: [1, 3] }, unknown)).settings['insert_quorum'],
      undefined,
    )
    assert.equal(
      (await insert({ isOfShard: true }, { version: OLD, replicas: [2, 3] }, unknown)).settings['insert_quorum'],
      2,
    )
  })

  test('needs replicas that are added, and still those that are gone', async () => {
    const { clickHouse, asked } = open({ found: { replicas: [1, 2] } })
    clickHouse.expectReplicas([2, 1])
    await clickHouse.insert(insertion())
    assert.equal(asked[0]?.settings['insert_quorum'], 2)
  })

  test('that is not answered in time, or needs too much of it, is refused', async () => {
    assert.equal(await codeOf(open({ answers: [TOO_SLOW] }).clickHouse.insert(insertion())), 'storage_unavailable')
    assert.equal(await codeOf(open({ answers: [exception(252)] }).clickHouse.insert(insertion())), 'overloaded')
    const { clickHouse, asked } = open({ answers: [new Promise(() => {})] })
    void clickHouse.insert(insertion({ timeoutMs: 1 }))
    await new Promise((resolve) => asked[0]?.signal.addEventListener('abort', resolve) ?? setTimeout(resolve, 20))
    assert.equal(asked[0]?.signal.aborted, true)
  })
})

describe('a statement', () => {
  test('is sent as it is, with its settings', async () => {
    const { clickHouse, asked } = open()
    await clickHouse.command('DROP x', { a: 1 })
    await clickHouse.command('DROP x')
    assert.deepEqual(
      asked.map(({ sql, settings }) => [sql, settings]),
      [
        ['DROP x', { database: 'd', a: 1 }],
        ['DROP x', { database: 'd' }],
      ],
    )
  })

  test('that members of the cluster have not executed in time is refused', async () => {
    assert.equal(await codeOf(open({ answers: [TOO_SLOW] }).clickHouse.command('DROP x')), 'storage_unavailable')
    assert.equal(await codeOf(open({ answers: [exception(62)] }).clickHouse.command('DROP x')), '62')
  })
})
