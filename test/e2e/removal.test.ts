/** Removal as people do it, with the command line, killed in between: nothing of it is left, everything else is. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Removal } from '../../src/http/v1/administration/removal/removals.wire.ts'
import { openInstallation } from '../harness/programs/installation.ts'

const ADDRESS = 'anna.erased@example.org'
const DAY = 86_400
const DAYS = 12
const KILLS = 6

function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile() && readFileSync(path, 'latin1').toLowerCase().includes(text))
}

function traffic(domain: string, day: number, now: number) {
  return Array.from({ length: 400 }, (_, at) => ({
    id: `m${day}-${at}`,
    timestamp: now - day * DAY,
    type: 'Delivery',
    domain_name: domain,
    recipient: at % 20 === 0 ? ADDRESS : `user${at}@example.org`,
    subject: `Letter ${at}`,
  }))
}

test(`an erasure that is killed ${KILLS} times is finished by the next server, and only it is gone`, async (t) => {
  using installation = await openInstallation()
  const [domain] = installation.domains
  const now = Math.floor(Date.now() / 1000)
  const post = async (address: string, body: unknown) => {
    const headers = { authorization: installation.ingestKey }
    const response = await fetch(`${address}/ingest/events`, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(response.status, 200)
    return (await response.json()) as { stored: number }
  }
  {
    await using server = await installation.start()
    for (let day = 0; day < DAYS; day++) await post(server.address, traffic(domain, day, now))
    // One record that is quarantined, with the address in it.
    await post(server.address, [{ ...traffic(domain, 0, now)[0], type: 'nonsense' }])
  }
  assert.notDeepEqual(filesWith(installation.dataDir, ADDRESS), [])
  let id = ''
  for (let round = 0; round < KILLS; round++) {
    const server = await installation.start()
    if (round === 0) {
      const begun = await installation.cli('--json', 'erase', ADDRESS, '--yes', '--no-wait')
      assert.equal(begun.exitCode, 0, begun.stderr)
      id = (JSON.parse(begun.stdout) as Removal).id
    }
    // Later in each round: somewhere in the work.
    await delay(round * 30)
    await server.kill()
  }
  await using server = await installation.start()
  let receipt: Removal
  do {
    const shown = await installation.cli('--json', 'removal', 'show', id)
    receipt = JSON.parse(shown.stdout) as Removal
  } while (receipt.state === 'running')
  t.diagnostic(`${receipt.events} events of ${receipt.dayCount} days, ${receipt.quarantined} quarantined`)
  assert.equal(receipt.state, 'finished')
  assert.ok(receipt.events <= DAYS * 20)
  assert.deepEqual(filesWith(installation.dataDir, ADDRESS), [])
  const headers = { authorization: installation.tenantKey }
  const query = `start_timestamp=${now - DAYS * DAY}&end_timestamp=${now}&limit=1000`
  let count = 0
  let next = ''
  do {
    const response = await fetch(`${server.address}/webhooks/${domain}?${next || query}`, { headers })
    const page = (await response.json()) as { count: number; next_token?: string }
    count += page.count
    next = page.next_token === undefined ? '' : `next_token=${encodeURIComponent(page.next_token)}`
  } while (next !== '')
  assert.equal(count, DAYS * 380)
  const recount = await installation.cli('--json', 'recount')
  assert.deepEqual(JSON.parse(recount.stdout), { ok: true, differences: [] })
})

test('without a server, the command itself does all of it; a removal needs the name or --yes', async () => {
  using installation = await openInstallation()
  const [domain] = installation.domains
  const now = Math.floor(Date.now() / 1000)
  {
    await using server = await installation.start()
    const headers = { authorization: installation.ingestKey }
    const body = JSON.stringify(traffic(domain, 0, now))
    assert.equal((await fetch(`${server.address}/ingest/events`, { method: 'POST', headers, body })).status, 200)
  }
  const refused = await installation.cli('erase', ADDRESS)
  assert.equal(refused.exitCode, 2)
  assert.match(refused.stderr, /--yes/)
  const erased = await installation.cli('--json', 'erase', ADDRESS, '--yes')
  assert.equal(erased.exitCode, 0, erased.stderr)
  const receipt = JSON.parse(erased.stdout) as Removal
  assert.deepEqual([receipt.state, receipt.events], ['finished', 20])
  assert.deepEqual(filesWith(installation.dataDir, ADDRESS), [])

  assert.equal((await installation.cli('tenant', 'suspend', 'acme')).exitCode, 0)
  assert.match((await installation.cli('tenant', 'list')).stdout, /suspended/)
  assert.equal((await installation.cli('tenant', 'resume', 'acme')).exitCode, 0)
  assert.equal((await installation.cli('domain', 'deactivate', domain)).exitCode, 0)
  const removed = await installation.cli('--json', 'domain', 'remove', domain, '--yes')
  assert.equal((JSON.parse(removed.stdout) as Removal).events, 380)
  assert.notEqual((await installation.cli('tenant', 'delete', 'acme')).exitCode, 0)
  const deleted = await installation.cli('tenant', 'delete', 'acme', '--yes')
  assert.equal(deleted.exitCode, 0, deleted.stderr)
  assert.match(deleted.stdout, /finished/)
  assert.match((await installation.cli('tenant', 'list')).stdout, /No tenants yet/)
})
