/** Erasing on a real cluster: exactly what was named, nothing left on the disks, whenever it is interrupted. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openCluster, type SharedCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { openUpkeepScene, type UpkeepScene } from '../../../../test/harness/storage/clickhouse/upkeep.ts'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import type { AttributedEvent, Erasure } from '../../../events/log/event-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { Recounter } from '../recount/recounter.ts'
import { BudgetError } from '../server/clickhouse.ts'
import { deleteRows } from './delete-rows.ts'
import { Eraser } from './eraser.ts'
import { checkUnclean } from './unclean-partitions.ts'

const DAY = 86_400
const START = 1_772_323_200

let cluster: SharedCluster
let databases: PostgresDatabases
before(async () => {
  ;[cluster, databases] = await Promise.all([openCluster(), PostgresDatabases.start()])
})
after(async () => {
  await cluster[Symbol.asyncDispose]()
  await databases[Symbol.asyncDispose]()
})

function sent(recipient: string, domainNumber: number, day: number, index = 0): AttributedEvent {
  const event = {
    id: `message-${index}`,
    timestamp: START + day * DAY + index,
    type: 'Delivery',
    domain_name: `d${domainNumber}.test`,
    recipient,
    subject: 'hello',
    provider_name: 'Google',
  } as const
  return { domainNumber, event }
}

const eraserOf = ({ db, clickHouse, batches, writer, ...options }: UpkeepScene & { readonly stepMs?: number }) =>
  new Eraser({ db, clickHouse, batches, access: writer, ...options })

async function eraseAll(scene: UpkeepScene, erasure: Erasure, maxSteps = 100) {
  const eraser = eraserOf(scene)
  const removed: Record<string, number> = {}
  let position: string | undefined
  for (let steps = 0; steps < maxSteps; steps++) {
    const step = await eraser.erase(erasure, position)
    if (step.unit !== undefined && step.removed > 0) removed[step.unit] = (removed[step.unit] ?? 0) + step.removed
    position = step.next
    if (position === undefined) return removed
  }
  assert.fail('the erasure does not end')
}

const recipients = async ({ clickHouse }: UpkeepScene) =>
  (
    await clickHouse.select(
      'SELECT recipient FROM event_all_2 WHERE domain < 1000 ORDER BY recipient, domain, timestamp',
    )
  ).flat()

/** In the files of all servers. Files that are merged meanwhile vanish under grep, which then has to begin again. */
function isOnDisk({ clickHouse }: UpkeepScene, text: string): boolean {
  const { folder } = cluster
  // The databases of other test files are not ours.
  const own = globSync([`${folder}/*/data/data/${clickHouse.database}`, `${folder}/*/{log,errors,output}`])
  const places = [...own, join(folder, 'zookeeper')]
  for (let attempt = 1; attempt <= 50; attempt++) {
    const { status, stdout } = spawnSync('grep', ['-rlaFs', text, ...places], { encoding: 'utf8' })
    if (stdout !== '') return true
    if (status === 1) return false
  }
  assert.fail('the files of the cluster cannot be read')
}

describe('erasing', () => {
  test('a recipient goes from all days and shards, its counts stay, and nothing of it is left on any disk', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const others = [0, 1].flatMap((day) => [1, 2].map((domain) => sent('bob@b.test', domain, day, 5)))
    const own = [0, 1].flatMap((day) => [
      sent('anna.secret@b.test', 1, day, 1),
      sent('ANNA.Secret@b.test', 2, day, 2),
      sent('xanna.secret@b.test', 2, day, 3),
    ])
    await scene.writer.append([...others, ...own])
    const hours = await scene.clickHouse.select('SELECT sum(n) FROM event_hour_all_2')
    assert.equal(isOnDisk(scene, 'ANNA.Secret@b.test'), true)
    assert.deepEqual(await eraseAll(scene, { what: 'recipient', address: 'Anna.Secret@B.test' }), {
      '2026-03-01': 2,
      '2026-03-02': 2,
    })
    assert.deepEqual(new Set(await recipients(scene)), new Set(['bob@b.test', 'xanna.secret@b.test']))
    assert.deepEqual(await scene.clickHouse.select('SELECT sum(n) FROM event_hour_all_2'), hours)
    assert.deepEqual(await eraseAll(scene, { what: 'recipient', address: 'bob@b.test' }), {
      '2026-03-01': 2,
      '2026-03-02': 2,
    })
    assert.equal(isOnDisk(scene, 'ANNA.Secret@b.test'), false)
  })

  test('a server that dies after it has decided loses nothing: the next one deletes it, and each event counts as erased once', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { db, clickHouse, writer } = scene
    await writer.append([sent('anna@b.test', 1, 0), sent('bob@b.test', 1, 0, 1), sent('anna@b.test', 2, 0)])
    const dying = Object.create(clickHouse, {
      select: { value: clickHouse.select.bind(clickHouse) },
      insert: { value: clickHouse.insert.bind(clickHouse) },
      command: { value: () => Promise.reject(new Error('killed')) },
    }) as typeof clickHouse
    const anna = { what: 'recipient', address: 'anna@b.test' } as const
    await assert.rejects(eraserOf({ ...scene, clickHouse: dying }).erase(anna), /killed/)
    assert.equal((await recipients(scene)).length, 3)
    // The dead one never gave it back.
    await db.run("UPDATE erasing SET leased_until = clock_timestamp() + interval '1 hour'")
    assert.equal((await eraserOf(scene).erase(anna)).isWaiting, true)
    await db.run('UPDATE erasing SET leased_until = clock_timestamp()')
    assert.deepEqual(await eraseAll(scene, anna), { '2026-03-01': 2 })
    assert.deepEqual(await recipients(scene), ['bob@b.test'])
    const erased = await db.all('SELECT domain_number AS domain, count FROM erased_count ORDER BY 1')
    assert.deepEqual(erased, [
      { domain: 1, count: 1 },
      { domain: 2, count: 1 },
    ])
    const recounter = new Recounter({ db, clickHouse, access: writer })
    assert.deepEqual(await recounter.run(), [])
    // An erased event that is sent again is stored again, and stays.
    assert.equal((await writer.append([sent('anna@b.test', 1, 0)])).stored, 1)
    assert.deepEqual(await recipients(scene), ['anna@b.test', 'bob@b.test'])
    assert.deepEqual(await recounter.run(), [])
  })

  test('servers that answer too late are not taken for servers without days, statements or files', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { db, clickHouse, writer } = scene
    await writer.append([sent('anna@b.test', 1, 0), sent('anna@b.test', 2, 0)])
    const lateAbout = (table: string) =>
      Object.create(clickHouse, {
        select: {
          value: (sql: string, options: object) =>
            sql.includes(`system.${table}`) ? Promise.reject(new BudgetError('late')) : clickHouse.select(sql, options),
        },
        insert: { value: clickHouse.insert.bind(clickHouse) },
        command: { value: clickHouse.command.bind(clickHouse) },
        expectReplicas: { value: clickHouse.expectReplicas.bind(clickHouse) },
      }) as typeof clickHouse
    const isUnavailable = (error: unknown) => error instanceof AppError && error.code === 'storage_unavailable'
    const anna = { what: 'recipient', address: 'anna@b.test' } as const
    const late = { ...scene, clickHouse: lateAbout('parts') }
    await assert.rejects(eraserOf(late).erase(anna), isUnavailable)
    await assert.rejects(new Recounter({ db, clickHouse: late.clickHouse, access: writer }).run(), isUnavailable)
    const deletions = [{ table: 'event', where: 'domain = 9', partitions: ['2026-03-01'] }] as const
    const patience = { untilMs: performance.now(), onPoll: async () => undefined }
    assert.equal(await deleteRows(lateAbout('replication_queue'), { deletions, tag: 'envelog late' }, patience), false)
    await db.run("INSERT INTO unclean_partition VALUES ('event', '2026-03-01', 4000000000)")
    await assert.rejects(checkUnclean(db, late.clickHouse), isUnavailable)
    await db.run('DELETE FROM unclean_partition')
    assert.deepEqual(await eraseAll(scene, anna), { '2026-03-01': 2 })
    assert.deepEqual(await recipients(scene), [])
  })

  test('a deletion that takes longer than a step is begun once, and is done when all members say so', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { database } = scene.clickHouse
    await scene.writer.append([sent('anna@b.test', 1, 0), sent('bob@b.test', 1, 0, 1)])
    const onEach = (sql: string) =>
      Promise.all(cluster.servers.map(async ({ url }) => (await fetch(url, { method: 'POST', body: sql })).text()))
    // They also stop what deletes rows.
    assert.deepEqual(new Set(await onEach(`SYSTEM STOP MERGES ${database}.event`)), new Set(['']))
    const anna = { what: 'recipient', address: 'anna@b.test' } as const
    let position: string | undefined
    const makeStep = async () => {
      const step = await eraserOf({ ...scene, stepMs: 1000 }).erase(anna, position)
      assert.deepEqual([step.removed, step.isWaiting], [0, true])
      position = step.next
    }
    const countStatements = () => onEach(`SELECT count() FROM system.mutations WHERE database = '${database}'`)
    await makeStep()
    // On a busy machine a member may hear of it later; until then it may be sent again.
    while ((await countStatements()).includes('0\n')) await makeStep()
    const begun = await countStatements()
    for (let steps = 0; steps < 3; steps++) await makeStep()
    assert.deepEqual(await countStatements(), begun)
    await onEach(`SYSTEM START MERGES ${database}.event`)
    assert.deepEqual(await eraseAll(scene, anna), { '2026-03-01': 1 })
    assert.deepEqual(await recipients(scene), ['bob@b.test'])
  })

  test('a removed domain goes with its counts; expired are whole days, and their counts stay', async () => {
    await using scene = await openUpkeepScene(cluster, databases)
    const { clickHouse, writer, db } = scene
    await writer.append([0, 1].flatMap((day) => [1, 2, 3].map((domain) => sent('a@b.test', domain, day))))
    const expired = { what: 'expired', domainNumbers: [1, 2], beforeMs: (START + DAY + 60) * 1000 } as const
    assert.deepEqual(await eraseAll(scene, expired), { '2026-03-01': 2 })
    assert.deepEqual(await eraseAll(scene, { what: 'domains', domainNumbers: [2] }), { '2026-03-02': 1 })
    const left = 'SELECT domain, count() FROM event_all_2 WHERE domain < 1000 GROUP BY domain ORDER BY domain'
    assert.deepEqual(await clickHouse.select(left), [
      ['1', '1'],
      ['3', '2'],
    ])
    const counted = 'SELECT domain, sum(n) FROM event_hour_all_2 WHERE domain < 1000 GROUP BY domain ORDER BY domain'
    assert.deepEqual(await clickHouse.select(counted), [
      ['1', '2'],
      ['3', '2'],
    ])
    assert.deepEqual(await new Recounter({ db, clickHouse, access: writer }).run(), [])
  })
})
