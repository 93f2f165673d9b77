/** Automatic checks of domains: the server as a process, over restarts, with DNS on loopback. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts'
import { openDnsServer, type Zone } from '../harness/dns/dns-server.ts'
import { publishRecords } from '../harness/dns/publish-records.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'

interface WireDomain {
  readonly id: string
  readonly name: string
  readonly isVerified: boolean
  readonly lastVerificationCheckedAt?: string
  readonly lastVerificationErrors: readonly { readonly type: string }[]
  readonly dnsRecords: readonly { readonly name: string; readonly value: string }[]
}

async function listDomains({ tenantKey }: Installation, { address }: ServerProcess): Promise<readonly WireDomain[]> {
  const response = await fetch(`${address}/api/v2/domain?orderBy={"name":"asc"}`, {
    headers: { authorization: tenantKey },
  })
  return ((await response.json()) as { domains: WireDomain[] }).domains
}

/** Makes the next check due, as if time had passed while no server was running. */
async function makeDue({ dataDir }: Installation): Promise<void> {
  const storage = await openSqliteStorage({
    dataDir,
    clock: () => Date.now(),
    serviceMessageIdField: 'service_message_id',
  })
  const { domains } = await storage.control.domains.list({
    skip: 0,
    take: 10,
    orderBy: { field: 'name', direction: 'asc' },
  })
  for (const { id } of domains) await storage.control.domains.saveRecheck(id, { atMs: 1, step: 0 })
  await storage.close()
}

async function untilChecked(installation: Installation, server: ServerProcess): Promise<readonly WireDomain[]> {
  for (;;) {
    const domains = await listDomains(installation, server)
    if (domains.every((domain) => domain.lastVerificationCheckedAt !== undefined)) return domains
  }
}

describe('the schedule of a server', () => {
  test('checks domains that became due while it was down, once, and counts them in the metrics', async () => {
    using installation = await openInstallation()
    const zone: Zone = { 'spf.operator.test': { txt: [['v=spf1 ip4:192.0.2.0/24 -all']] } }
    await using dns = await openDnsServer(zone)
    const { stdout } = await installation.cli('--json', 'domain', 'list')
    const [first] = (JSON.parse(stdout) as { domains: WireDomain[] }).domains
    publishRecords(zone, first?.dnsRecords ?? [])
    await makeDue(installation)
    const asked = dns.nextQuery()
    await using server = await installation.start({ ENVELOG_DNS_SERVERS: dns.address })
    await asked
    const checked = await untilChecked(installation, server)
    assert.deepEqual(
      checked.map(({ isVerified }) => isVerified),
      [true, false],
    )
    assert.ok(checked[1]?.lastVerificationErrors.every(({ type }) => type === 'TXT'))
    const metrics = await (await fetch(`${server.address}/metrics`)).text()
    for (const line of [
      'envelog_domain_checks_total{trigger="scheduled",outcome="all_right"} 1',
      'envelog_domain_checks_total{trigger="scheduled",outcome="record_wrong"} 1',
      'envelog_domains{state="verified"} 1',
      'envelog_domains{state="unverified"} 1',
    ]) {
      assert.ok(metrics.includes(`${line}\n`), `${line} is missing`)
    }
  })

  test('SIGTERM while DNS is silent ends the server, and leaves the domain unchanged and still due', async () => {
    using installation = await openInstallation()
    const zone: Zone = {}
    await using dns = await openDnsServer(zone, { isAuthoritative: false })
    for (const name of ['test', 'acme.test', 'news.acme.test']) zone[name] = 'silent'
    await makeDue(installation)
    const asked = dns.nextQuery()
    const server = await installation.start({ ENVELOG_DNS_SERVERS: dns.address })
    const before = await listDomains(installation, server)
    await asked
    assert.equal(await server.stop(), 0)
    assert.doesNotMatch(server.logs(), /"level":[56]0/)

    await using again = await installation.start({ ENVELOG_DNS_SERVERS: dns.address })
    assert.deepEqual(await listDomains(installation, again), before)
    await dns.nextQuery()
  })
})
