/** Deleting rows of servers that report as a test says: when it is sent, and when it is done. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import type { ClickHouse, Insertion } from '../server/clickhouse.ts'
import { deleteRows } from './delete-rows.ts'
import { FIRST_RESERVED_DOMAIN } from './placeholders.ts'

type Rows = readonly (readonly string[])[]

/** System tables of the only server, or those of all members with host and port first; `count`: rows that are left. */
interface Reports {
  readonly mutations?: readonly (Rows | Error)[]
  readonly replicas?: Rows
  readonly behind?: Rows
  readonly queue?: Rows
  readonly parts?: Rows
  readonly count?: readonly number[]
}

const TAG = 'envelog 1'
const EVENTS = { table: 'event', where: 'domain = 1', partitions: ['2026-03-01'] } as const
const CHANGES = { table: 'domain_change', where: 'domain = 1', partitions: ['tuple()'] } as const
/** From block 7 on of the day, and from block 4 on of the table without partitions. */
const KNOWN: Rows = [['event', '20260228,20260301', '9,7']]
const KNOWN_BOTH: Rows = [...KNOWN, ['domain_change', 'all', '4']]

interface Scene extends Reports {
  readonly version?: readonly [number, number]
  /** Of one shard. */
  readonly members?: number
}

function open({
  version = [24, 8],
  members = 0,
  mutations = [KNOWN],
  replicas,
  behind,
  queue,
  parts,
  count = [0],
}: Scene) {
  const known = [...mutations]
  const counts = [...count]
  const commands: string[] = []
  const inserts: Insertion[] = []
  let looks = 0
  const answer = (sql: string): Rows | Error => {
    if (sql.includes('system.clusters')) return Array.from({ length: members }, (_, index) => [`m${index}`, '1', '1'])
    if (sql.includes('system.mutations')) {
      looks++
      assert.ok(sql.includes(`LIKE '%${TAG}\\'%'`))
      return (known.length > 1 ? known.shift() : known[0]) ?? []
    }
    if (sql.includes('log_pointer')) return behind ?? []
    if (sql.includes('system.replicas')) return replicas ?? []
    if (sql.includes('system.replication_queue')) return queue ?? []
    if (sql.includes('system.parts')) return parts ?? []
    if (sql.includes('count()')) return [[String(counts.length > 1 ? counts.shift() : counts[0])]]
    return []
  }
  const clickHouse: Pick<ClickHouse, 'version' | 'database' | 'cluster' | 'shards' | 'select' | 'command' | 'insert'> =
    {
      version,
      database: 'd',
      cluster: members > 0 ? 'c' : undefined,
      shards: 2,
      async select(sql) {
        const rows = answer(sql)
        if (rows instanceof Error) throw rows
        return rows
      },
      command: async (sql) => void commands.push(sql),
      insert: async (insertion) => void inserts.push(insertion),
    }
  const run = (deletions: Parameters<typeof deleteRows>[1]['deletions'] = [EVENTS], untilMs = -1) =>
    deleteRows(clickHouse as ClickHouse, { deletions, tag: TAG }, { untilMs, onPoll: async () => undefined })
  return { run, commands, inserts, countLooks: () => looks }
}

const away = () => new AppError('storage_unavailable', 'x')

describe('the statement', () => {
  test('is sent for each table, and is done when no row is left', async () => {
    const { run, commands, inserts } = open({ mutations: [[], KNOWN_BOTH] })
    assert.equal(await run([EVENTS, CHANGES]), true)
    assert.deepEqual(commands, [
      "ALTER TABLE `d`.event DELETE WHERE (domain = 1) AND 'envelog 1' != ''",
      "ALTER TABLE `d`.domain_change DELETE WHERE (domain = 1) AND 'envelog 1' != ''",
    ])
    assert.deepEqual(inserts, [])
  })

  test('is not sent if all members that answer know all of it', async () => {
    for (const [replicas, known, isKnown] of [
      [['m0', 'm1'], ['m0', 'm1'], true],
      [['m0'], ['m0', 'm1'], true],
      [['m0', 'm1'], ['m0'], false],
      [['m0', 'm1'], [], false],
    ] as const) {
      const { run, commands } = open({
        members: 2,
        replicas: replicas.map((host) => [host, '1', '1']),
        mutations: [known.flatMap((host) => KNOWN.map((row) => [host, '1', ...row]))],
      })
      await run()
      assert.equal(commands.length, isKnown ? 0 : 1, `${known.join()} of ${replicas.join()}`)
    }
    const { run, commands } = open({
      members: 1,
      replicas: [['m0', '1', '1']],
      mutations: [[['m0', '1', ...(KNOWN[0] ?? [])]]],
    })
    await run([EVENTS, CHANGES])
    assert.equal(commands.length, 2)
  })

  test('is sent again if it was done and rows are left', async () => {
    const { run, commands } = open({ count: [3, 0] })
    assert.equal(await run(), false)
    assert.equal(commands.length, 1)
    const one = open({ count: [1] })
    assert.deepEqual([await one.run(), one.commands.length], [false, 1])
  })

  test('is waited for as long as there is time', async () => {
    const { run, countLooks } = open({ mutations: [[], [], KNOWN] })
    assert.equal(await run([EVENTS], performance.now() + 60_000), true)
    assert.equal(countLooks(), 3)
  })
})

describe('it is done', () => {
  for (const [what, reports, isDone] of [
    ['if there is no part', {}, true],
    ['if parts have gone through it', { parts: [['event', '20260301_0_5_1_7']] }, true],
    ['if parts came after it', { parts: [['event', '20260301_8_8_0']] }, true],
    [
      'if the parts of others are older',
      {
        parts: [
          ['event', '20260302_0_5_1'],
          ['sending_hour', '20260301_0_5_1'],
        ],
      },
      true,
    ],
    [
      'not if a part is older',
      {
        parts: [
          ['event', '20260301_8_8_0'],
          ['event', '20260301_0_5_1'],
        ],
      },
      false,
    ],
    ['not if a part has gone through an earlier one', { parts: [['event', '20260301_0_5_1_6']] }, false],
    ['not if an older part is about to come', { queue: [['event', '20260301_0_5_1']] }, false],
    ['if a newer part is about to come', { queue: [['event', '20260301_0_5_1_7']] }, true],
    ['not if a replica does not know yet what there is', { behind: [['1']] }, false],
    ['not if the statement is not known', { mutations: [[]] }, false],
    ['not if the members do not answer', { mutations: [KNOWN, away()] }, false],
    [
      'by the number for all partitions',
      { mutations: [[['event', '', '7']]], parts: [['event', '20260301_6_6_0']] },
      false,
    ],
    [
      'by the last of several statements',
      {
        mutations: [[...KNOWN, ['event', '20260301', '12'], ['event', '20260301', '3']]],
        parts: [['event', '20260301_8_8_0']],
      },
      false,
    ],
  ] as const satisfies readonly (readonly [string, Reports, boolean])[]) {
    test(what, async () => {
      assert.equal(await open(reports).run(), isDone)
    })
  }

  test('of a table without partitions by the number of all', async () => {
    const run = (part: string) =>
      open({ mutations: [KNOWN_BOTH], parts: [['domain_change', part]] }).run([EVENTS, CHANGES])
    assert.deepEqual([await run('all_3_3_0'), await run('all_4_4_0')], [false, true])
  })

  test('if every member knows all statements', async () => {
    const of = (host: string, rows: Rows) => rows.map((row) => [host, '1', ...row])
    const run = (mutations: Rows) => open({ members: 2, mutations: [mutations] }).run([EVENTS, CHANGES])
    assert.equal(await run([...of('m0', KNOWN_BOTH), ...of('m1', KNOWN_BOTH)]), true)
    assert.equal(await run([...of('m0', KNOWN_BOTH), ...of('m1', KNOWN)]), false)
    assert.equal(await run([...of('m0', KNOWN_BOTH), ...of('m0', KNOWN_BOTH)]), false)
  })

  test('by the parts of each member', async () => {
    const mutations = ['m0', 'm1'].flatMap((host) => KNOWN.map((row) => [host, '1', ...row]))
    const run = (host: string) =>
      open({ members: 2, mutations: [mutations], parts: [[host, '1', 'event', '20260301_0_5_1']] }).run()
    assert.deepEqual([await run('m0'), await run('m1'), await run('m2')], [false, false, true])
  })

  test('a failure that is none of the network is thrown', async () => {
    await assert.rejects(open({ mutations: [KNOWN, new Error('bug')] }).run(), /^Error: bug$/)
  })
})

describe('old versions', () => {
  const version = [18, 16] as const

  test('get a placeholder in each partition and shard before the statement, which takes those before it along', async () => {
    const { run, commands, inserts } = open({ version, mutations: [[], KNOWN_BOTH] })
    await run([EVENTS, CHANGES, { ...EVENTS, table: 'event_hour' }])
    assert.equal(
      commands[0],
      `ALTER TABLE \`d\`.event DELETE WHERE ((domain = 1) OR domain >= ${FIRST_RESERVED_DOMAIN}) AND 'envelog 1' != ''`,
    )
    const rows = inserts.map(({ body }) =>
      String(body)
        .trimEnd()
        .split('\n')
        .map((row) => row.split('\t').map(Number)),
    )
    const domains = [FIRST_RESERVED_DOMAIN, FIRST_RESERVED_DOMAIN + 1]
    const day = Date.parse('2026-03-01') / 1000
    assert.deepEqual(
      rows.map((own) => own.map((row) => row.slice(0, -1))),
      [
        domains.map((domain) => [domain, day]),
        domains.map((domain) => [domain]),
        domains.map((domain) => [domain, day / 3600]),
      ],
    )
    assert.deepEqual(
      inserts.map(({ table, columns, format }) => [table, columns?.length, format]),
      [
        ['event', 3, 'TabSeparated'],
        ['domain_change', 2, 'TabSeparated'],
        ['event_hour', 3, 'TabSeparated'],
      ],
    )
    // Never the same twice: it would be taken for a repetition.
    assert.equal(new Set(inserts.map(({ token }) => token)).size, 3)
  })

  test('leave the last part before the statement as it is: it is the placeholder', async () => {
    const run = (...parts: readonly string[]) => open({ version, parts: parts.map((name) => ['event', name]) }).run()
    assert.equal(await run('20260301_6_6_0'), true)
    assert.equal(await run('20260301_0_5_1_7', '20260301_6_6_0', '20260301_8_8_0'), true)
    assert.equal(await run('20260301_5_5_0', '20260301_6_6_0'), false)
    assert.equal(await run('20260301_5_6_1'), false)
    assert.equal(await open({ parts: [['event', '20260301_6_6_0']] }).run(), false)
  })
})
