/** What the members of a cluster are asked, and what follows from their answers: a test answers for them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import { BudgetError, type ClickHouse, type SelectOptions } from '../server/clickhouse.ts'
import { alterTable, Members } from './members.ts'

type Rows = readonly (readonly string[])[]

interface Scene {
  readonly version?: readonly [number, number]
  readonly isCluster?: boolean
  readonly answer?: (sql: string) => Rows | Error
  readonly command?: () => void
}

const CONFIGURED: Rows = [
  ['a', '1', '1'],
  ['b', '1', '1'],
  ['c', '1', '2'],
]
const NEW = [24, 8] as const
const OLD = [18, 16] as const
const away = () => new AppError('storage_unavailable', 'x', { cause: new Error('Code: 279. DB::Exception: x') })

async function open({ version = NEW, isCluster = true, answer = () => [], command }: Scene = {}) {
  const asked: { readonly sql: string; readonly options: SelectOptions }[] = []
  const commands: unknown[][] = []
  const clickHouse: Pick<ClickHouse, 'version' | 'database' | 'cluster' | 'select' | 'command'> = {
    version,
    database: 'd',
    cluster: isCluster ? 'c' : undefined,
    async select(sql, options = {}) {
      if (sql.includes('system.clusters')) return CONFIGURED
      asked.push({ sql, options })
      const answered = answer(sql)
      if (answered instanceof Error) throw answered
      return answered
    },
    async command(...given) {
      commands.push(given)
      command?.()
    },
  }
  const members = await Members.list(clickHouse as ClickHouse)
  return { members, asked, commands, clickHouse: clickHouse as ClickHouse }
}

/** Of an old server: the address that it is to ask. */
const addressIn = (sql: string) => /remote\('([^']*)'/.exec(sql)?.[1]

test('members are those of the configuration; a single server is one', async () => {
  const { members } = await open()
  assert.deepEqual([members.count, members.replicas], [3, [2, 1]])
  const single = await open({ isCluster: false })
  assert.deepEqual([single.members.count, single.members.replicas], [1, []])
})

describe('asked for rows', () => {
  test('a single server is asked once, and is absent without any', async () => {
    const { members, asked } = await open({ isCluster: false, answer: (sql) => (sql.includes('x = 1') ? [['p']] : []) })
    assert.deepEqual([...(await members.ask('parts', 'name', 'x = 1'))], [['', [['p']]]])
    assert.deepEqual([...(await members.ask('parts', 'name', 'x = 2'))], [])
    assert.equal(asked[0]?.sql, "SELECT name FROM system.parts WHERE database = 'd' AND x = 1")
    const { isStrict, budgetMs, settings } = asked[0]?.options ?? {}
    assert.deepEqual([isStrict, budgetMs, settings], [false, 5000, { database: 'system' }])
  })

  test('new members are asked together; that every shard answers is asked for by itself', async () => {
    const rows = [
      ['a', '1', 'p1'],
      ['c', '1', 'p2'],
      ['a', '1', 'p3'],
    ]
    for (const [answering, skips, statements] of [
      ['all', undefined, 1],
      ['shards', 1, 2],
      ['some', 1, 1],
    ] as const) {
      const { members, asked } = await open({ answer: (sql) => (sql.includes('system.parts') ? rows : [['3']]) })
      assert.deepEqual(
        [...(await members.ask('parts', 'name', '1', answering))],
        [
          ['a:1', [['p1'], ['p3']]],
          ['c:1', [['p2']]],
        ],
      )
      assert.deepEqual([asked[0]?.options.settings?.['skip_unavailable_shards'], asked.length], [skips, statements])
    }
    const { members, asked } = await open()
    await members.ask('parts', 'name', '1')
    assert.equal(asked.length, 2)
  })

  test('a shard without an answer is a failure, and so is a member that takes too long', async () => {
    const { members } = await open({ answer: (sql) => (sql.includes('system.one') ? away() : []) })
    await assert.rejects(members.ask('parts', 'name', '1', 'shards'), { code: 'storage_unavailable' })
    const late = await open({ answer: () => new BudgetError('late') })
    await assert.rejects(late.members.ask('parts', 'name', '1', 'some'), { code: 'storage_unavailable' })
    const bug = new Error('bug')
    await assert.rejects((await open({ answer: () => bug })).members.ask('parts', 'name', '1', 'some'), bug)
  })

  for (const [silent, all, shards, some] of [
    [[], true, true, true],
    [['b:1'], false, true, true],
    [['c:1'], false, false, true],
    [['a:1', 'b:1', 'c:1'], false, false, true],
  ] as const) {
    test(`old members are asked one by one, without ${silent.join(', ') || 'any missing'}`, async () => {
      const names: readonly string[] = silent
      const answer = (sql: string) => {
        const address = addressIn(sql) ?? ''
        return names.includes(address) ? away() : address === 'a:1' ? [['p']] : []
      }
      for (const [answering, isEnough] of [
        ['all', all],
        ['shards', shards],
        ['some', some],
      ] as const) {
        const { members, asked } = await open({ version: OLD, answer })
        const asking = members.ask('parts', 'name', '1', answering)
        if (!isEnough) await assert.rejects(asking, { code: 'storage_unavailable' })
        else assert.deepEqual([...(await asking)], names.includes('a:1') ? [] : [['a:1', [['p']]]])
        assert.deepEqual(
          asked.map(({ sql }) => addressIn(sql)),
          ['a:1', 'b:1', 'c:1'],
        )
      }
    })
  }

  test('partitions are those of any member, each once, sorted', async () => {
    const rows = ['2026-01-03', '2026-01-01', '2026-01-03'].map((day) => ['a', '1', day])
    const { members } = await open({ answer: () => rows })
    assert.deepEqual(await members.listPartitions('1'), ['2026-01-01', '2026-01-03'])
  })
})

describe('asked for a count', () => {
  for (const [what, scene, sources] of [
    ['a single server', { isCluster: false }, ['d.event']],
    ['new members', {}, ["clusterAllReplicas('c', d.event)"]],
    ['old members', { version: OLD }, ['a:1', 'b:1', 'c:1'].map((address) => `remote('${address}', d.event)`)],
  ] as const) {
    test(`${what} have all that they have together`, async () => {
      const { members, asked } = await open({ ...scene, answer: () => [['2'], ['3']] })
      assert.equal(await members.countRows('event', 'x = 1'), 5 * sources.length)
      assert.deepEqual(
        asked.map(({ sql }) => sql),
        sources.map((source) => `SELECT count() FROM ${source} WHERE x = 1`),
      )
      const { budgetMs, settings } = asked[0]?.options ?? {}
      assert.deepEqual([budgetMs, settings], [60_000, { database: 'system', max_query_size: 16_777_216 }])
    })
  }
})

test('silent are those that cannot be reached, unless that is all of them; one that refuses is not', async () => {
  const refuses = new Error('Code: 516. DB::Exception: x')
  const silentOf = async (failures: Readonly<Record<string, Error>>) => {
    const { members } = await open({ answer: (sql) => failures[addressIn(sql) ?? ''] ?? [['1']] })
    return members.listSilent()
  }
  assert.deepEqual(await silentOf({}), [])
  assert.deepEqual(await silentOf({ 'b:1': away(), 'c:1': refuses }), ['b:1'])
  assert.deepEqual(await silentOf({ 'a:1': away(), 'b:1': away() }), ['a:1', 'b:1'])
  assert.deepEqual(await silentOf({ 'a:1': away(), 'b:1': away(), 'c:1': away() }), [])
})

test('a statement about a table is one of all members, and goes on when nobody waits for it any more', async () => {
  const { clickHouse, commands } = await open()
  await alterTable(clickHouse, 'event', 'DROP x')
  assert.deepEqual(commands, [['ALTER TABLE `d`.event ON CLUSTER `c` DROP x', { distributed_ddl_task_timeout: 5 }]])
  const single = await open({ isCluster: false })
  await alterTable(single.clickHouse, 'event', 'DROP x')
  assert.deepEqual(single.commands, [['ALTER TABLE `d`.event DROP x', {}]])
  const failing = (error: Error) => {
    const command = () => {
      throw error
    }
    return open({ command }).then(({ clickHouse: failed }) => alterTable(failed, 'event', 'DROP x'))
  }
  const timeout = new Error('Code: 159. DB::Exception: x')
  await failing(new AppError('storage_unavailable', 'x', { cause: timeout }))
  await assert.rejects(failing(away()), { code: 'storage_unavailable' })
  await assert.rejects(failing(timeout), timeout)
})
