/** One shard with three replicas: an insert needs two of them, so any one may be away. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { LogClient } from '../../harness/log/log-client.ts'
import { createTraffic } from '../../harness/log/traffic.ts'
import { openSeveralServers, type SeveralServers } from '../../harness/programs/several-servers.ts'

const PATIENCE_MS = 60_000

let installation: SeveralServers
let clients: readonly LogClient[]

before(async () => {
  installation = await openSeveralServers({ layout: { shards: 1, replicas: 3 }, servers: 2 })
  clients = installation.servers.map(({ address }) => new LogClient(address, installation))
})
after(() => installation?.[Symbol.asyncDispose]())

test('ingest and reads go on while any one replica is dead, and it has everything when it is back', async () => {
  const { cluster, domains, env } = installation
  const traffic = createTraffic({ domains, now: Math.floor(Date.now() / 1000) })
  let sent = 0
  for (const [index, { process }] of cluster.servers.entries()) {
    await process.kill()
    for (const client of clients) {
      const batch = traffic.nextBatch(100, [0, 1])
      sent += batch.length
      await untilStored(client, batch)
      const listed = await Promise.all(domains.map((domain) => client.listAll(domain)))
      assert.equal(listed.flat().length, sent, `with replica ${index} dead`)
    }
    await process.start()
    await until(async () => (await countRows(cluster.servers[index]?.url ?? '', env)) === sent)
  }
})

/** The quorum of an insert that the dead replica was part of may have to be made up for first. */
async function untilStored(client: LogClient, batch: ReturnType<ReturnType<typeof createTraffic>['nextBatch']>) {
  await until(async () => {
    const { status } = await client.post(JSON.stringify(batch))
    assert(status === 200 || status === 503)
    return status === 200
  })
  assert.deepEqual(await client.ingest(batch), { stored: 0, duplicates: batch.length, rejected: [] })
}

async function countRows(url: string, env: Readonly<Record<string, string>>): Promise<number> {
  const body = `SELECT count() FROM ${env['ENVELOG_CLICKHOUSE_DATABASE']}.event`
  return Number(await (await fetch(url, { method: 'POST', body })).text())
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await isTrue()); await delay(100)) {
    assert(Date.now() < end, 'it did not become true')
  }
}
