/** A DKIM key is replaced while the server runs: bin/envelog and the server as processes, DNS on loopback. */
import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { describe, test } from 'node:test'
import { openDnsServer, type Zone } from '../harness/dns/dns-server.ts'
import { publishRecords } from '../harness/dns/publish-records.ts'
import { type CliResult, runCli } from '../harness/programs/run-cli.ts'
import { serveProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

interface DnsRecord {
  readonly name: string
  readonly value: string
  readonly purpose: string
  readonly required: boolean
  readonly status: string
}

interface Keys {
  readonly selector?: string
  readonly keys: readonly { readonly selector: string; readonly state: string; readonly dnsRecord: DnsRecord }[]
}

async function openInstallation() {
  const folder = openTemporaryFolder()
  const zone: Zone = { 'spf.operator.test': { txt: [['v=spf1 ip4:192.0.2.0/24 -all']] } }
  const dns = await openDnsServer(zone)
  const env = {
    ENVELOG_DATA_DIR: folder.path,
    ENVELOG_DNS_SERVERS: dns.address,
    ENVELOG_SPF_INCLUDE: 'spf.operator.test',
  }
  const run = (...args: readonly string[]): Promise<CliResult> => runCli(args, { cwd: folder.path, env })
  const json = async <T>(...args: readonly string[]): Promise<T> => {
    const { exitCode, stdout, stderr } = await run(...args, '--json')
    assert.equal(exitCode, 0, stderr)
    return JSON.parse(stdout) as T
  }
  return {
    zone,
    env,
    run,
    json,
    dataDir: folder.path,
    publish(records: readonly DnsRecord[]) {
      publishRecords(zone, records)
    },
    async [Symbol.asyncDispose]() {
      await dns.close()
      folder[Symbol.dispose]()
    },
  }
}

const statesOf = ({ keys }: Keys) => Object.fromEntries(keys.map(({ selector, state }) => [selector, state]))

describe('bin/envelog domain', () => {
  test('rotates a key beside a running server, verified at every step', async () => {
    await using installation = await openInstallation()
    const { run, json, zone } = installation
    await json('tenant', 'create', 'Acme')
    const { key } = await json<{ key: string }>('key', 'create', '--tenant', 'Acme')
    const add = ['domain', 'add', 'acme.example', '--tenant', 'Acme', '--active']
    const added = await json<{ id: string; dnsRecords: DnsRecord[] }>(...add)
    installation.publish(added.dnsRecords)
    const [first] = added.dnsRecords
    assert.ok(first)
    const old = first.name.split('.')[0] ?? ''

    await using server = await serveProcess({ dataDir: installation.dataDir, env: installation.env })
    const verify = async () => {
      const url = `${server.address}/api/v2/domain/${added.id}/verify`
      const response = await fetch(url, { method: 'POST', headers: { authorization: key } })
      return (await response.json()) as { isVerified: boolean }
    }
    const dkimRecords = async () => {
      const response = await fetch(`${server.address}/api/v2/domain`, { headers: { authorization: key } })
      const { domains } = (await response.json()) as { domains: [{ dnsRecords: DnsRecord[] }] }
      return domains[0].dnsRecords
        .filter(({ purpose }) => purpose === 'DKIM')
        .map(({ name, required, status }) => [name.split('.')[0], required, status])
    }
    assert.deepEqual(await verify(), { isVerified: true })

    const made = await run('domain', 'rotate-key', 'acme.example', '--algorithm', 'ed25519')
    assert.equal(made.exitCode, 0, made.stderr)
    assert.match(
      made.stdout,
      /Ed25519.*stays in use[\s\S]*v=DKIM1; k=ed25519; p=[\s\S]*domain promote-key acme\.example/,
    )
    const listed = await json<Keys>('domain', 'list-keys', 'acme.example')
    const next = listed.keys.find(({ state }) => state === 'next')
    assert.ok(next)
    assert.deepEqual(await dkimRecords(), [
      [old, true, 'valid'],
      [next.selector, false, 'pending'],
    ])

    const tooEarly = await run('domain', 'promote-key', 'acme.example', next.selector)
    assert.equal(tooEarly.exitCode, 1)
    assert.match(
      tooEarly.stderr,
      /has not been seen in DNS: no check has looked for it yet.*domain verify acme\.example/,
    )
    installation.publish([next.dnsRecord])
    assert.deepEqual(await verify(), { isVerified: true })

    const promoted = await json<Keys>('domain', 'promote-key', 'acme.example', next.selector)
    assert.deepEqual(statesOf(promoted), { [old]: 'previous', [next.selector]: 'current' })
    assert.deepEqual(await dkimRecords(), [
      [old, false, 'valid'],
      [next.selector, true, 'valid'],
    ])
    const exported = await json<{ selector: string; privateKey: string }>('domain', 'export-key', 'acme.example')
    assert.equal(exported.selector, next.selector)
    const published = createPublicKey(createPrivateKey(exported.privateKey)).export({ format: 'der', type: 'spki' })
    assert.ok(next.dnsRecord.value.endsWith(`p=${published.subarray(-32).toString('base64')}`))
    const other = await json<{ selector: string }>('domain', 'export-key', 'acme.example', '--selector', old)
    assert.equal(other.selector, old)

    const inUse = await run('domain', 'retire-key', 'acme.example', next.selector)
    assert.equal(inUse.exitCode, 1)
    assert.match(inUse.stderr, /is in use.*Promote another key first/)
    delete zone[first.name]
    assert.deepEqual(await verify(), { isVerified: true })
    const retired = await run('domain', 'retire-key', 'acme.example', old)
    assert.equal(retired.exitCode, 0, retired.stderr)
    assert.match(retired.stdout, new RegExp(`^Deleted.*${first.name}`))
    assert.deepEqual(await dkimRecords(), [[next.selector, true, 'valid']])
    const gone = await run('domain', 'export-key', 'acme.example', '--selector', old)
    assert.equal(gone.exitCode, 1)
    assert.match(gone.stderr, new RegExp(`no key with the selector ${old}.*${next.selector} \\(current\\)`))
  })

  test('creates RSA keys by default, one new key at a time, and never prints a private one', async () => {
    await using installation = await openInstallation()
    const { run, json } = installation
    await json('tenant', 'create', 'Acme')
    await json('domain', 'add', 'acme.example', '--tenant', 'Acme')
    const rotated = await json<Keys>('domain', 'rotate-key', 'acme.example')
    const next = rotated.keys.find(({ selector }) => selector === rotated.selector)
    assert.match(next?.dnsRecord.value ?? '', /^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{390,}=*$/)
    assert.doesNotMatch(JSON.stringify(rotated), /PRIVATE|sealed/i)
    const again = await run('domain', 'rotate-key', 'acme.example')
    assert.equal(again.exitCode, 1)
    assert.match(again.stderr, new RegExp(`already has a new key: ${rotated.selector}`))
    const wrong = await run('domain', 'rotate-key', 'acme.example', '--algorithm', 'dsa')
    assert.equal(wrong.exitCode, 2)
    assert.match(wrong.stderr, /Allowed choices are rsa, ed25519/)
    const table = await run('domain', 'list-keys', 'acme.example')
    assert.match(table.stdout, /SELECTOR +ALGORITHM +STATE[\s\S]*current[\s\S]*next/)
    for (const command of ['list-keys', 'rotate-key']) {
      const missing = await run('domain', command, 'b.example')
      assert.equal(missing.exitCode, 1)
      assert.match(missing.stderr, /No domain is named/)
    }
  })
})
