/** Erasing while a replica is away: it keeps what is to be erased on its disk. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { startCluster } from '../../../../test/harness/storage/clickhouse/cluster.ts'
import { openUpkeepScene } from '../../../../test/harness/storage/clickhouse/upkeep.ts'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import type { AttributedEvent } from '../../../events/log/event-log.ts'
import { Eraser } from './eraser.ts'

const START = 1_772_323_200

function sent(recipient: string, index: number): AttributedEvent {
  const event = {
    id: `m${index}`,
    timestamp: START + index,
    type: 'Delivery',
    domain_name: 'a.test',
    recipient,
  } as const
  return { domainNumber: 1, event }
}

test('while a replica is away the erasure waits, and it ends when the replica is back', async () => {
  await using cluster = await startCluster()
  await using databases = await PostgresDatabases.start()
  await using scene = await openUpkeepScene(cluster, databases)
  const { db, clickHouse, batches, writer } = scene
  const eraser = new Eraser({ db, clickHouse, batches, access: writer })
  await writer.append([sent('gone.secret@b.test', 0), sent('bob@b.test', 1)])
  const isOnDisk = () =>
    execFileSync('bash', ['-c', `grep -rlaF gone.secret@b.test ${cluster.folder} || true`]).length > 0
  assert.ok(isOnDisk())
  const away = cluster.servers.find(({ shard, replica }) => shard === 1 && replica === 1)?.process
  assert.ok(away)
  await away.stop()
  const gone = { what: 'recipient', address: 'gone.secret@b.test' } as const
  let position: string | undefined
  const attempt = async () => {
    const step = await eraser.erase(gone, position)
    position = step.next
    return step
  }
  for (let steps = 0; steps < 3; steps++) {
    const { removed, isWaiting, next } = await attempt()
    assert.deepEqual([removed, isWaiting], [0, true])
    assert.ok(next !== undefined)
  }
  await away.start()
  for (let hasEnded = false, steps = 0; !hasEnded; steps++) {
    assert.ok(steps < 60)
    hasEnded = (await attempt()).next === undefined
  }
  const left = await clickHouse.select(`SELECT recipient FROM ${clickHouse.readFrom('event')} WHERE domain = 1`)
  assert.deepEqual(left, [['bob@b.test']])
  assert.equal(isOnDisk(), false)
})
