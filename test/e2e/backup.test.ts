/** Backups of a server under load, and what is there after everything else was lost. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTokens } from '../../integrations/haraka/lib/tracking/token.mjs'
import type { EmailEvent } from '../../src/events/event.ts'
import { type Batch, Ledger } from '../harness/log/ledger.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { createTraffic } from '../harness/log/traffic.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'
import { eventually } from '../harness/programs/tail-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const DAY = 86_400
const WRITERS = 2
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
const now = Math.floor(Date.now() / 1000)
const window = { fromTimestamp: now - 20 * DAY, toTimestamp: now }

/** Sends batch after batch until it is told to stop; what was acknowledged is in `acknowledged`, the rest in `sent`. */
class Load {
  readonly acknowledged: Batch[] = []
  readonly sent: Batch[] = []
  readonly #traffic
  #isStopped = false
  #writers: Promise<void>[] = []

  constructor(domains: readonly string[]) {
    this.#traffic = createTraffic({ domains, now })
  }

  start(client: LogClient): void {
    this.#isStopped = false
    this.#writers = Array.from({ length: WRITERS }, async () => {
      while (!this.#isStopped) {
        // Today, yesterday, and late events of earlier days.
        const batch = this.#traffic.nextBatch(20, [0, 0, 1, 5, 9])
        this.sent.push(batch)
        await client.ingest(batch)
        this.acknowledged.push(batch)
      }
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#writers)
  }

  async reached(batches: number): Promise<void> {
    await eventually(async () => (this.acknowledged.length >= batches ? undefined : 'too few batches'))
  }
}

/** An open, which is acknowledged once it is in the journal. */
async function openMessage(server: ServerProcess, installation: Installation, recipient: string): Promise<void> {
  const { stdout } = await installation.cli('track', 'secret')
  const token = createTokens(Buffer.from(stdout.trim(), 'base64url')).sign({
    kind: 'open',
    time: now - 100,
    domain: installation.domains[0],
    messageId: 'tracked',
    recipient,
  })
  const answer = await fetch(`${server.address}/t/o/${token}`, { headers: { 'user-agent': BROWSER } })
  assert.equal(answer.headers.get('content-type'), 'image/gif')
}

/** Pages, statistics, series and search agree with each other and with what was sent. */
async function verify(client: LogClient, domains: readonly string[], owed: readonly Batch[], sent: readonly Batch[]) {
  const ledger = new Ledger(domains, window)
  for (const batch of owed) ledger.acknowledge(batch)
  const others = sent.filter((batch) => !owed.includes(batch))
  await ledger.verify(client, others.flat())
  const from = new Date(window.fromTimestamp * 1000).toISOString()
  for (const domain of domains) {
    const events = await client.listAll(domain, { start_timestamp: String(window.fromTimestamp) })
    const answer = await client.get(`/v1/stats/series?bucket=day&group=type&from=${from}&domain=${domain}`)
    const { series } = (await answer.json()) as { series: { key: string; total: number }[] }
    const totals = Object.fromEntries(series.map(({ key, total }) => [key, total]))
    assert.deepEqual(totals, countTypes(events), `series of ${domain}`)
    const { recipient = '' } = owed.at(-1)?.find((event) => event.domain_name === domain) ?? {}
    const found = await client.listAll(domain, { recipient, start_timestamp: String(window.fromTimestamp) })
    const expected = events.filter((event) => event.recipient === recipient)
    assert.deepEqual(found, expected)
    assert(found.length > 0)
  }
}

function countTypes(events: readonly EmailEvent[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1
  return counts
}

test('backup under load, kill, restore, start: everything acknowledged before the backup is there, and agrees', async () => {
  using installation = await openInstallation()
  using folder = openTemporaryFolder()
  const backups = join(folder.path, 'backups')
  const load = new Load(installation.domains)
  const owed: (readonly Batch[])[] = []
  const runs: { readonly folder: string }[] = []
  {
    await using server = await installation.start()
    load.start(new LogClient(server.address, installation))
    for (const batches of [20, 60]) {
      await load.reached(batches)
      await openMessage(server, installation, `opened-${runs.length}@example.org`)
      owed.push([...load.acknowledged])
      const { exitCode, stdout, stderr } = await installation.cli('--json', 'backup', backups)
      assert.equal(exitCode, 0, stderr)
      const run = JSON.parse(stdout) as { folder: string; problems: unknown[] }
      assert.deepEqual(run.problems, [])
      runs.push(run)
    }
    // The second one was made under load too.
    assert(load.acknowledged.length > (owed[1]?.length ?? 0))
    await load.stop()
    await server.kill()
  }
  // Everything else is lost; the older backup is restored last.
  rmSync(installation.dataDir, { recursive: true })
  for (const [index, run] of runs.entries().toArray().toReversed()) {
    const restored = await installation.cli('--json', 'restore', index === 1 ? backups : run.folder)
    assert.equal(restored.exitCode, 0, restored.stderr)
    assert.equal((JSON.parse(restored.stdout) as { backup: string }).backup, run.folder)
    {
      await using server = await installation.start()
      const client = new LogClient(server.address, installation)
      const recipient = `opened-${index}@example.org`
      const start = { recipient, start_timestamp: String(window.fromTimestamp) }
      await eventually(async () => {
        const { length } = await client.listAll('acme.test', start)
        return length === 1 ? undefined : `${length} opens of ${recipient}`
      })
      assert.equal(await server.stop(), 0)
    }
    await using server = await installation.start()
    const client = new LogClient(server.address, installation)
    await verify(client, installation.domains, owed[index] ?? [], load.sent)
    const busy = await installation.cli('restore', backups)
    assert.equal(busy.exitCode, 1)
    assert.match(busy.stderr, /is not empty: a restore never overwrites data/)
    // What is sent again is recognized.
    for (const batch of owed[index]?.slice(-10) ?? []) assert.equal((await client.ingest(batch)).stored, 0)
    await server.stop()
    const recount = await installation.cli('--json', 'recount')
    assert.deepEqual(JSON.parse(recount.stdout), { ok: true, differences: [] })
    rmSync(installation.dataDir, { recursive: true })
  }
})
