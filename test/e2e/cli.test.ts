/** The command line as people and scripts use it: bin/envelog as a process. */
import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { generateEvents } from '../../src/demo/generate-events.ts'
import { DEMO_PROFILES } from '../../src/demo/sender-profile.ts'
import { mintApiKey } from '../../src/tenants/api-key.ts'
import { openDnsServer, type Zone } from '../harness/dns/dns-server.ts'
import { publishRecords } from '../harness/dns/publish-records.ts'
import { CHECKOUT_LAUNCHER } from '../harness/programs/program-files.ts'
import { type CliOptions, runCli } from '../harness/programs/run-cli.ts'
import { type ServerProcess, serveProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

type Json = Record<string, unknown>

/** A folder with a command line in it. */
function openInstallation() {
  const folder = openTemporaryFolder()
  const run = (args: readonly string[], options: Partial<CliOptions> = {}) =>
    runCli(args, { cwd: folder.path, ...options })
  return {
    path: folder.path,
    run,
    /** The one object on stdout of a command that succeeds. */
    async json(args: readonly string[], options: Partial<CliOptions> = {}): Promise<Json> {
      const result = await run([...args, '--json'], options)
      assert.equal(result.exitCode, 0, result.stderr)
      return JSON.parse(result.stdout) as Json
    },
    /** The error message of a command that fails. */
    async failure(
      args: readonly string[],
      options: Partial<CliOptions> = {},
    ): Promise<{ exitCode: number | null; message: string }> {
      const { exitCode, stdout, stderr } = await run(args, options)
      assert.equal(stdout, '')
      return { exitCode, message: stderr }
    },
    write(name: string, content: string | Buffer): string {
      writeFileSync(join(folder.path, name), content)
      return name
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

type Installation = ReturnType<typeof openInstallation>

/** Made once, when it is first needed: every command takes as long as a start of the program. */
let withDomain: Promise<Installation> | undefined
after(async () => (await withDomain)?.[Symbol.dispose]())

async function makeWithDomain(): Promise<Installation> {
  const installation = openInstallation()
  await installation.json(['tenant', 'create', 'Acme'])
  await installation.json(['domain', 'add', 'shop.acme.example', '--tenant', 'Acme', '--active'])
  return installation
}

/** A copy of a stopped installation with a tenant and a domain. */
async function openWithDomain(): Promise<Installation & Disposable> {
  withDomain ??= makeWithDomain()
  const template = await withDomain
  const installation = openInstallation()
  cpSync(join(template.path, 'data'), join(installation.path, 'data'), { recursive: true })
  chmodSync(join(installation.path, 'data'), 0o700)
  return installation
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

function madeUpEvent(fields: Json = {}): Json {
  return {
    id: crypto.randomUUID(),
    timestamp: nowSeconds() - 60,
    type: 'Delivery',
    domain_name: 'shop.acme.example',
    recipient: 'anna@gmail.com',
    ...fields,
  }
}

/** Starting processes is most of the work: several at once use all processors. */
describe('bin/envelog', { concurrency: 3 }, () => {
  describe('the launcher', () => {
    test('runs through a symlink, from any folder, with no Node on the PATH', async () => {
      using installation = openInstallation()
      const link = join(installation.path, 'my-envelog')
      symlinkSync(CHECKOUT_LAUNCHER, link)
      const bin = join(installation.path, 'bin')
      mkdirSync(bin)
      for (const tool of ['dirname', 'readlink']) symlinkSync(`/usr/bin/${tool}`, join(bin, tool))
      const { exitCode, stdout, stderr } = await installation.run(['--version'], { launcher: link, env: { PATH: bin } })
      assert.equal(exitCode, 0, stderr)
      assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
    })

    test('without a recent enough Node, it says what to run', async () => {
      using installation = openInstallation()
      mkdirSync(join(installation.path, 'bin'))
      const oldNode = join(installation.path, 'bin/node')
      writeFileSync(oldNode, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
      // A checkout before npm ci.
      mkdirSync(join(installation.path, 'checkout/bin'), { recursive: true })
      const launcher = join(installation.path, 'checkout/bin/envelog')
      copyFileSync(CHECKOUT_LAUNCHER, launcher)
      mkdirSync(join(installation.path, 'checkout/src/cli'), { recursive: true })
      writeFileSync(join(installation.path, 'checkout/src/cli/main.ts'), '')
      const { exitCode, message } = await installation.failure(['tenant', 'list'], {
        launcher,
        env: { PATH: `${join(installation.path, 'bin')}:${process.env['PATH']}` },
      })
      assert.equal(exitCode, 1)
      assert.match(message, /needs Node 24\.16 or newer.*npm ci/)
    })

    test('a relative data folder starts at the current folder', async () => {
      using installation = openInstallation()
      await installation.json(['tenant', 'create', 'Acme'], { env: { ENVELOG_DATA_DIR: './here' } })
      assert.ok(existsSync(join(installation.path, 'here/control.db')))
    })

    test('a .env file in the current folder configures it, and the environment wins', async () => {
      using installation = openInstallation()
      installation.write('.env', 'ENVELOG_BRAND=acme\nENVELOG_PORT=9999\n')
      const { options } = await installation.json(['config', 'check'], { env: { ENVELOG_PORT: '9000' } })
      const { ENVELOG_BRAND: brand, ENVELOG_PORT: port } = options as Record<string, Json>
      assert.deepEqual(brand, { value: 'acme', isDefault: false, from: '.env' })
      assert.deepEqual(port, { value: '9000', isDefault: false, from: 'environment' })
    })
  })

  describe('wrong use', () => {
    test('ends with exit code 2, a message on stderr and nothing on stdout', async () => {
      using installation = openInstallation()
      const wrong = [
        ['frobnicate'],
        ['tenant'],
        ['tenant', 'create'],
        ['tenant', 'create', 'A', 'B'],
        ['key', 'create'],
        ['key', 'create', '--operator', '--tenant', 'Acme'],
        ['key', 'create', '--operator'],
        ['key', 'create', '--operator', '--scope', 'logs'],
        ['domain', 'add', 'example.com'],
        ['import', '--format', 'telepathy', 'x'],
        ['rejected', 'list', '--limit', '0'],
        ['tenant', 'list', '--nonsense'],
      ]
      for (const args of wrong) {
        const { exitCode, message } = await installation.failure(args)
        assert.equal(exitCode, 2, args.join(' '))
        assert.notEqual(message, '', args.join(' '))
      }
    })

    test('with --json, a failure is also one object on stdout', async () => {
      using installation = openInstallation()
      for (const [args, code, words] of [
        [['frobnicate'], 2, /^unknown command 'frobnicate'/],
        [[], 2, /^A command is missing; .* --help/],
        [['domain', 'add'], 2, /^The domain's name and --tenant NAME are missing/],
        [['key', 'create', '--tenant', 'Nobody'], 1, /contains no data/],
      ] as const) {
        const { exitCode, stdout, stderr } = await installation.run([...args, '--json'])
        assert.equal(exitCode, code)
        const failure = JSON.parse(stdout) as Json
        assert.equal(failure['error'], code)
        assert.match(String(failure['message']), words)
        assert.match(stderr, args.length === 0 ? /^Usage: / : /^envelog: /)
      }
    })

    test('an invalid configuration stops every command, and all problems are listed', async () => {
      using installation = openInstallation()
      const env = { ENVELOG_PORT: 'x', ENVELOG_PROT: '1' }
      for (const args of [['tenant', 'list'], ['config', 'check'], ['serve'], ['demo']]) {
        const { exitCode, message } = await installation.failure(args, { env })
        assert.equal(exitCode, 2, args.join(' '))
        assert.match(message, /Did you mean ENVELOG_PORT\?[\s\S]*"x" is not a whole number/)
      }
      assert.ok(!existsSync(join(installation.path, 'data')))
    })
  })

  describe('tenants and keys', () => {
    test('a tenant is created once and listed', async () => {
      using installation = openInstallation()
      const tenant = await installation.json(['tenant', 'create', 'Acme & Söhne'])
      assert.deepEqual(Object.keys(tenant), ['id', 'clientId', 'name'])
      assert.equal(tenant['name'], 'Acme & Söhne')

      const again = await installation.failure(['tenant', 'create', 'Acme & Söhne'])
      assert.equal(again.exitCode, 1)
      assert.match(again.message, /already/)

      const { tenants } = (await installation.json(['tenant', 'list'])) as { tenants: Json[] }
      assert.deepEqual(Object.keys(tenants[0] ?? {}), [
        'id',
        'clientId',
        'name',
        'createdAt',
        'quotas',
        'suspendedAt',
        'retentionDays',
        'use',
      ])
      assert.equal(tenants[0]?.['id'], tenant['id'])
      assert.match(
        (await installation.run(['tenant', 'list'])).stdout,
        /^NAME +STATE +DOMAINS +KEYS +EVENTS TODAY +RETENTION +CLIENT ID +ID +CREATED\nAcme & Söhne +active +0 +0 +- +- /,
      )
    })

    test('keys are shown once, listed without their secret, and revoked', async () => {
      using installation = openInstallation()
      await installation.json(['tenant', 'create', 'Acme'])
      const key = await installation.json(['key', 'create', '--tenant', 'Acme'])
      assert.deepEqual(Object.keys(key), ['id', 'key', 'scopes'])
      assert.deepEqual(key['scopes'], ['logs', 'domains', 'domainStats'])
      const narrow = await installation.json([
        'key',
        'create',
        '--tenant',
        'Acme',
        '--scope',
        'domainStats',
        '--scope',
        'logs',
      ])
      assert.deepEqual(narrow['scopes'], ['logs', 'domainStats'])
      const operator = await installation.json(['key', 'create', '--operator', '--scope', 'ingest'])
      assert.deepEqual(operator['scopes'], ['ingest'])

      const revoked = await installation.json(['key', 'revoke', String(narrow['id'])])
      assert.match(String(revoked['revokedAt']), ISO_TIME)
      assert.deepEqual(await installation.json(['key', 'revoke', String(narrow['key'])]), revoked)

      const listing = await installation.run(['key', 'list', '--json'])
      for (const created of [key, narrow, operator]) assert.ok(!listing.stdout.includes(String(created['key'])))
      const { keys } = JSON.parse(listing.stdout) as { keys: Json[] }
      assert.deepEqual(
        keys.map(({ id, tenant, revokedAt, lastUsedAt }) => ({
          id,
          tenant,
          lastUsedAt,
          isRevoked: revokedAt !== null,
        })),
        [
          { id: key['id'], tenant: 'Acme', lastUsedAt: null, isRevoked: false },
          { id: narrow['id'], tenant: 'Acme', lastUsedAt: null, isRevoked: true },
          { id: operator['id'], tenant: null, lastUsedAt: null, isRevoked: false },
        ],
      )
    })

    test('a command that needs data says where it looked, and creates no folder', async () => {
      using installation = openInstallation()
      for (const args of [
        ['tenant', 'list'],
        ['key', 'list'],
        ['key', 'create', '--tenant', 'Acme'],
        ['domain', 'list'],
        ['domain', 'add', 'example.com', '--tenant', 'Acme'],
        ['domain', 'verify', 'example.com'],
        ['domain', 'list-keys', 'example.com'],
        ['domain', 'export-key', 'example.com'],
        ['rejected', 'list'],
        ['recount'],
        ['backup', 'copy'],
      ]) {
        const { exitCode, message } = await installation.failure(args)
        assert.equal(exitCode, 1, args.join(' '))
        assert.ok(message.includes(join(installation.path, 'data')), message)
        assert.match(message, /contains no data yet.*ENVELOG_DATA_DIR/)
      }
      assert.deepEqual(readdirSync(installation.path), [])
    })

    test('in a file, a new key is alone; the explanation is on stderr', async () => {
      using installation = openInstallation()
      const { stdout, stderr } = await installation.run(['key', 'create', '--operator', '--scope', 'read'])
      assert.match(stdout, /^env_\w+\n$/)
      assert.match(stderr, /has the scopes: read\.\n.*\n.*key revoke/)
    })

    test('limits of keys are set, shown, changed, and taken over by a key like another', async () => {
      using installation = openInstallation()
      await installation.json(['tenant', 'create', 'Acme', '--max-keys', '2'])
      const limits = ['--name', 'mailer 1', '--expires', '90d', '--network', '192.0.2.0/24', '--network', '::1']
      const { id } = await installation.json(['key', 'create', '--tenant', 'Acme', '--scope', 'ingest', ...limits])
      const like = await installation.json(['key', 'create', '--like', String(id)])
      assert.deepEqual(like['scopes'], ['ingest'])
      const { keys } = (await installation.json(['key', 'list'])) as { keys: Json[] }
      const shown = keys.map(({ name, tenant, networks }) => ({ name, tenant, networks }))
      assert.deepEqual(shown[0], { name: 'mailer 1', tenant: 'Acme', networks: ['192.0.2.0/24', '::1'] })
      assert.deepEqual(shown[1], shown[0])
      for (const { createdAt, expiresAt } of keys)
        assert.equal(Date.parse(String(expiresAt)) - Date.parse(String(createdAt)), 90 * 86_400_000)
      const full = await installation.failure(['key', 'create', '--tenant', 'Acme'])
      assert.match(full.message, /The tenant has 2 keys, and its quota is 2/)

      const changed = await installation.json(['key', 'change', String(id), '--expires', 'never', '--network', 'any'])
      assert.deepEqual([changed['name'], changed['expiresAt'], changed['networks']], ['mailer 1', null, []])
      const { stdout } = await installation.run(['key', 'list'])
      assert.match(stdout, /^ID +NAME +OWNER +SCOPES +NETWORKS +CREATED +EXPIRES +LAST USED +STATE\n/)
      assert.match(stdout, /mailer 1 +Acme +ingest +any +\S+ +never +never +valid/)
      for (const args of [[], ['--expires', '2020-01-01'], ['--network', 'office'], ['--name', 'a\u001b[2J']])
        assert.equal((await installation.failure(['key', 'change', String(id), ...args])).exitCode, 2, args.join(' '))
      assert.match((await installation.failure(['key', 'change', 'x', '--name', 'y'])).message, /No key has the id "x"/)
    })

    test('quotas of tenants are changed by name and listed with their use', async () => {
      using installation = await openWithDomain()
      const changed = await installation.json([
        'tenant',
        'change',
        'Acme',
        '--max-domains',
        '1',
        '--max-events-per-day',
        '2',
      ])
      assert.deepEqual(changed['quotas'], { domains: 1, keys: null, eventsPerDay: 2 })
      const events = [1, 2, 3].map(() => JSON.stringify(madeUpEvent({ timestamp: nowSeconds() }))).join('\n')
      const imported = await installation.json(['import', '-'], { input: events })
      assert.deepEqual([imported['stored'], imported['rejected']], [2, 1])
      assert.match((await installation.run(['tenant', 'list'])).stdout, /Acme +active +1 of 1 +0 +2 of 2 /)
      await installation.json(['tenant', 'change', 'Acme', '--max-events-per-day', 'none'])
      assert.equal((await installation.json(['rejected', 'replay']))['stored'], 1)
      for (const args of [[], ['--max-keys', '-1'], ['--max-keys', 'x'], ['--max-keys', '1e3']])
        assert.equal((await installation.failure(['tenant', 'change', 'Acme', ...args])).exitCode, 2, args.join(' '))
      assert.match(
        (await installation.failure(['tenant', 'change', 'No', '--max-keys', '1'])).message,
        /no tenant named/,
      )
    })

    test('dropping a rejected record that does not exist fails', async () => {
      using installation = await openWithDomain()
      const { exitCode, stdout, stderr } = await installation.run(['rejected', 'drop', '17'])
      assert.equal(exitCode, 1)
      assert.equal(stdout, 'Dropped 0 records.\n')
      assert.match(stderr, /No rejected record has the id 17/)
    })

    test('the error for an unknown tenant or key names the command that helps', async () => {
      using installation = await openWithDomain()
      const tenant = await installation.failure(['key', 'create', '--tenant', 'Nobody'])
      assert.equal(tenant.exitCode, 1)
      assert.match(tenant.message, /envelog tenant create "Nobody"/)
      const key = await installation.failure(['key', 'revoke', 'abc'])
      assert.equal(key.exitCode, 1)
      assert.match(key.message, /envelog key list/)
    })
  })

  describe('domains', () => {
    test('a domain is added with its DNS records, listed, activated and its key exported', async () => {
      using installation = openInstallation()
      await installation.json(['tenant', 'create', 'Acme'])
      const options = ['--description', 'The shop', '--sending-email', 'orders@shop.acme.example']
      const added = await installation.json(['domain', 'add', 'Shop.Acme.EXAMPLE.', '--tenant', 'Acme', ...options], {
        env: { ENVELOG_SPF_INCLUDE: 'spf.sender.example' },
      })
      assert.deepEqual(Object.keys(added), [
        'id',
        'createdAt',
        'updatedAt',
        'name',
        'description',
        'sendingEmail',
        'dnsRecords',
        'isActive',
        'isProven',
        'isApproved',
        'isVerified',
        'lastVerificationErrors',
      ])
      assert.equal(added['name'], 'shop.acme.example')
      assert.equal(added['description'], 'The shop')
      assert.equal(added['isActive'], false)
      const records = added['dnsRecords'] as Json[]
      assert.ok(
        records.some(({ purpose, value }) => purpose === 'SPF' && String(value).includes('include:spf.sender.example')),
      )

      assert.equal((await installation.json(['domain', 'activate', 'shop.acme.example']))['isActive'], true)
      const listed = (await installation.json(['domain', 'list', '--tenant', 'Acme'])) as {
        domains: Json[]
        count: number
      }
      assert.equal(listed.count, 1)
      assert.equal(listed.domains[0]?.['id'], added['id'])

      const exported = await installation.run(['domain', 'export-key', 'shop.acme.example'])
      assert.match(exported.stderr, /Warning: anyone who has this key/)
      const published = createPublicKey(createPrivateKey(exported.stdout))
        .export({ type: 'spki', format: 'der' })
        .toString('base64')
      assert.ok(records.some(({ purpose, value }) => purpose === 'DKIM' && String(value).endsWith(`p=${published}`)))
      const json = await installation.json(['domain', 'export-key', 'shop.acme.example'])
      assert.deepEqual(Object.keys(json), ['name', 'selector', 'privateKey'])
    })

    test('error messages name the problem and what to do', async () => {
      using installation = await openWithDomain()
      const cases: [string[], number, RegExp][] = [
        [['domain', 'add', 'shop.acme.example', '--tenant', 'Acme'], 1, /already/],
        [['domain', 'add', 'co.uk', '--tenant', 'Acme'], 2, /public suffix/],
        [['domain', 'add', 'a.example', '--tenant', 'Nobody'], 1, /tenant create/],
        [['domain', 'list', '--tenant', 'Nobody'], 1, /tenant create/],
        [['domain', 'activate', 'b.example'], 1, /No domain is named "b\.example".*domain add/],
        [['domain', 'verify', 'b.example'], 1, /No domain is named/],
        [['domain', 'export-key', 'b.example'], 1, /No domain is named/],
      ]
      for (const [args, code, words] of cases) {
        const { exitCode, message } = await installation.failure(args)
        assert.equal(exitCode, code, args.join(' '))
        assert.match(message, words)
      }
    })

    test('verify ends with 0 when verified, 1 when not, 2 when DNS could not be queried', async () => {
      using installation = openInstallation()
      await installation.json(['tenant', 'create', 'Acme'])
      const { dnsRecords } = (await installation.json(['domain', 'add', 'shop.acme.example', '--tenant', 'Acme'])) as {
        dnsRecords: { name: string; value: string }[]
      }
      const zone: Zone = { 'spf.example.net': { txt: [['v=spf1 ip4:192.0.2.0/24 -all']] } }
      const dns = await openDnsServer(zone)
      const env = { ENVELOG_DNS_SERVERS: dns.address }
      const verify = async () => {
        const { exitCode, stdout } = await installation.run(['domain', 'verify', 'shop.acme.example', '--json'], {
          env,
        })
        const { report, ...answer } = JSON.parse(stdout) as {
          isVerified: boolean
          verificationErrors?: { type: string }[]
          report?: { outcome: string }
        }
        return { exitCode, ...answer, ...(report && { outcome: report.outcome }) }
      }
      const typesOf = (result: Awaited<ReturnType<typeof verify>>) => [
        ...new Set(result.verificationErrors?.map(({ type }) => type)),
      ]
      try {
        const inactive = await verify()
        assert.deepEqual([inactive.exitCode, typesOf(inactive)], [1, ['CONFIG']])

        await installation.json(['domain', 'activate', 'shop.acme.example'])
        const missing = await verify()
        assert.deepEqual([missing.exitCode, missing.isVerified, typesOf(missing)], [1, false, ['TXT']])

        for (const { name } of dnsRecords) zone[name] = 'servfail'
        const unreachable = await verify()
        assert.deepEqual([unreachable.exitCode, typesOf(unreachable)], [2, ['SYSTEM']])

        publishRecords(zone, dnsRecords)
        const verified = await verify()
        assert.deepEqual(verified, { exitCode: 0, isVerified: true, outcome: 'all_right' })
        const text = await installation.run(['domain', 'verify', 'shop.acme.example'], { env })
        assert.match(
          text.stdout,
          /is verified[\s\S]*✓ DKIM .* correct[\s\S]*expected[\s\S]*found[\s\S]*1 of 10 lookups/,
        )

        for (const { name } of dnsRecords) zone[name] = 'servfail'
        const unasked = await installation.run(['domain', 'verify', 'shop.acme.example'], { env })
        assert.match(unasked.stdout, /^shop\.acme\.example could not be checked: .* It stays verified\.\n/)
      } finally {
        await dns.close()
      }
    })
  })

  describe('import', () => {
    const profiles = DEMO_PROFILES.filter(({ domainName }) => domainName === 'shop.acme.example')
    const window = { startTimestamp: nowSeconds() - 3 * 86_400, endTimestamp: nowSeconds() }
    const events = [...generateEvents({ seed: 1, profiles, messages: 3000, ...window })]
    const ndjson = events.map((event) => `${JSON.stringify(event)}\n`).join('')

    test('reads NDJSON, arrays, gzip, zstd and stdin alike, and recognizes duplicates', async () => {
      using installation = await openWithDomain()
      const files = [
        installation.write('a.ndjson', ndjson),
        installation.write('b.json', JSON.stringify(events, null, 2)),
      ]
      const half = ndjson.indexOf('\n', ndjson.length / 2) + 1
      const parts = [ndjson.slice(0, half), ndjson.slice(half)]
      files.push(installation.write('c.ndjson.gz', Buffer.concat(parts.map((part) => gzipSync(part)))))
      files.push(installation.write('d.zst', Buffer.concat(parts.map((part) => zstdCompressSync(part)))))

      const first = await installation.json(['import', ...files.slice(0, 1)])
      assert.deepEqual(first, { stored: events.length, duplicates: 0, rejected: 0, rejections: [] })
      const rest = await installation.json(['import', ...files.slice(1), '-'], { input: ndjson })
      assert.deepEqual(rest, { stored: 0, duplicates: 4 * events.length, rejected: 0, rejections: [] })
      assert.deepEqual(await installation.json(['recount']), { ok: true, differences: [] })
    })

    test('quarantines records that it cannot store, names their line, and replays them once the reason is resolved', async () => {
      using installation = await openWithDomain()
      const file = installation.write(
        'mixed.ndjson',
        [
          JSON.stringify(madeUpEvent()),
          'not json',
          JSON.stringify(madeUpEvent({ domain_name: 'new.acme.example' })),
          JSON.stringify(madeUpEvent({ timestamp: 1 })),
        ].join('\n'),
      )
      const { rejections, ...counts } = (await installation.json(['import', file])) as {
        rejections: { file: string; line: number }[]
      }
      assert.deepEqual(counts, { stored: 1, duplicates: 0, rejected: 3 })
      assert.deepEqual(
        rejections.map((rejection) => [rejection.file, rejection.line]),
        [
          [file, 2],
          [file, 3],
          [file, 4],
        ],
      )
      const text = await installation.run(['import', file])
      assert.match(
        text.stdout,
        /Stored 0 events; 1 was already stored; 3 records rejected\.\n {2}mixed\.ndjson:2: the record is not valid JSON at character \d+/,
      )
      assert.equal(text.stderr, '')

      const { count, records } = (await installation.json(['rejected', 'list'])) as { count: number; records: Json[] }
      assert.equal(count, 3)
      assert.deepEqual(Object.keys(records[0] ?? {}), [
        'id',
        'rejectedAt',
        'times',
        'format',
        'source',
        'tenant',
        'reason',
        'payload',
      ])
      assert.equal(records[0]?.['payload'], 'not json')
      const shown = await installation.run(['rejected', 'list'])
      assert.match(shown.stdout, /^\d+ {2}\S+Z {2}native from local, 2 times\n {2}.*not valid JSON.*\n {2}not json\n\n/)
      assert.equal(((await installation.json(['rejected', 'list', '--limit', '2']))['records'] as Json[]).length, 2)

      await installation.json(['domain', 'add', 'new.acme.example', '--tenant', 'Acme'])
      assert.deepEqual(await installation.json(['rejected', 'replay']), {
        replayed: 3,
        stored: 1,
        duplicates: 0,
        rejected: 2,
      })
      assert.deepEqual(await installation.json(['rejected', 'replay']), {
        replayed: 2,
        stored: 0,
        duplicates: 0,
        rejected: 2,
      })
      assert.equal((await installation.json(['rejected', 'list']))['count'], 2)
    })

    test('fails when a file cannot be read to its end; the records before that point are stored', async () => {
      using installation = await openWithDomain()
      const cut = gzipSync(ndjson).subarray(0, 100_000)
      const cases: [string, RegExp][] = [
        [installation.write('cut.gz', cut), /cut\.gz: unexpected end of file\nUntil then: stored [1-9]/],
        [
          installation.write('cut.json', `[${JSON.stringify(madeUpEvent())},\n`),
          /the JSON array is incomplete: the file ends at line 2\nUntil then: stored 1 event;/,
        ],
        [installation.write('plain.gz', ndjson), /its content is not compressed/],
        ['missing.ndjson', /missing\.ndjson cannot be read/],
        ['.', /is a folder/],
      ]
      for (const [file, words] of cases) {
        const { exitCode, message } = await installation.failure(['import', file])
        assert.equal(exitCode, 1, file)
        assert.match(message, words)
      }
    })

    test('that could not store anything ends with exit code 1', async () => {
      using installation = openInstallation()
      const { exitCode, stdout } = await installation.run(['import', '-', '--json'], {
        input: JSON.stringify(madeUpEvent()),
      })
      assert.equal(exitCode, 1)
      assert.equal((JSON.parse(stdout) as Json)['rejected'], 1)
    })
  })

  describe('backup', () => {
    test('copies everything; a restore makes a data folder of it, and overwrites nothing', async () => {
      using installation = await openWithDomain()
      await installation.json(['import', '-'], { input: JSON.stringify(madeUpEvent()) })
      const { folder, files } = (await installation.json(['backup', 'backups'])) as { folder: string; files: string[] }
      assert.equal(dirname(folder), join(installation.path, 'backups'))
      assert.equal(files.length, 3)
      assert.ok(readdirSync(folder).includes('master.key'))
      const unused = await installation.failure(['recount'], { env: { ENVELOG_DATA_DIR: folder } })
      assert.match(unused.message, /is a backup.*Restore it first: bin\/envelog restore/)

      const checked = await installation.json(['restore', 'backups', '--check'])
      assert.deepEqual(
        { ...checked, startedAt: '', bytes: 0, secret: null },
        {
          backup: folder,
          folder: null,
          startedAt: '',
          days: 1,
          events: 1,
          bytes: 0,
          secret: null,
          problems: [],
        },
      )
      assert.match((await installation.failure(['restore', 'backups'])).message, /data is not empty: a restore never/)
      assert.equal((await installation.failure(['restore', 'backups', '--check', '--to', 'x'])).exitCode, 2)
      const restored = await installation.run(['restore', folder, '--to', 'restored'])
      assert.equal(restored.exitCode, 0, restored.stderr)
      assert.match(restored.stdout, /^Restored \S+ to \S+\/restored: 1 day with 1 event, /)
      const env = { ENVELOG_DATA_DIR: join(installation.path, 'restored') }
      assert.deepEqual(await installation.json(['recount'], { env }), { ok: true, differences: [] })
      assert.match(
        (await installation.run(['domain', 'export-key', 'shop.acme.example'], { env })).stdout,
        /BEGIN PRIVATE KEY/,
      )
      for (const keep of ['0', 'x', '1.5']) {
        assert.equal((await installation.failure(['backup', 'backups', '--keep', keep])).exitCode, 2)
      }
      const { removed } = await installation.json(['backup', 'backups', '--keep', '1'])
      assert.deepEqual(removed, [folder])
    })
  })

  describe('with a running server', () => {
    const installation = openInstallation()
    let server: ServerProcess
    before(async () => {
      server = await serveProcess({ dataDir: join(installation.path, 'data') })
    })
    after(async () => {
      await server.stop()
      installation[Symbol.dispose]()
    })
    const get = async (path: string, key: unknown) => {
      const response = await fetch(`${server.address}${path}`, { headers: { authorization: String(key) } })
      return { status: response.status, body: (await response.json()) as Json }
    }

    test('a new tenant, key and domain work at once, imported events are counted, a revoked key is refused within 2 s', async () => {
      await installation.json(['tenant', 'create', 'Acme'])
      const { id, key } = await installation.json(['key', 'create', '--tenant', 'Acme'])
      assert.equal((await get('/domain/stats', key)).status, 200)
      await installation.json(['domain', 'add', 'shop.acme.example', '--tenant', 'Acme', '--active'])
      assert.equal((await get('/api/v2/domain', key)).body['count'], 1)

      const event = madeUpEvent()
      await installation.json(['import', '-'], { input: JSON.stringify(event) })
      const stats = (await get('/domain/stats', key)).body['domains'] as Record<string, { counts: Json }>
      assert.deepEqual(stats['shop.acme.example']?.counts, { bounce: 0, delivery: 1, reception: 0 })
      const log = (await get('/webhooks/shop.acme.example', key)).body as { events: Json[] }
      assert.deepEqual(log.events, [event])

      const { folder } = await installation.json(['backup', 'while-running'])
      const refused = await installation.failure(['backup', join(String(folder), 'control.db/below')])
      assert.match(refused.message, /The backup cannot be written: ENOTDIR/)
      await installation.json(['key', 'revoke', String(id)])
      const deadline = performance.now() + 2000
      let status = 200
      while (status === 200 && performance.now() < deadline) status = (await get('/domain/stats', key)).status
      assert.equal(status, 401)
    })

    test('events sent over HTTP and imported from files at the same time are all stored and counted', async () => {
      await installation.json(['tenant', 'create', 'Both'])
      const { key } = await installation.json(['key', 'create', '--tenant', 'Both'])
      const { key: ingestKey } = await installation.json(['key', 'create', '--operator', '--scope', 'ingest'])
      await installation.json(['domain', 'add', 'both.example', '--tenant', 'Both'])
      const events = Array.from({ length: 6000 }, () => madeUpEvent({ domain_name: 'both.example' }))
      const importing = installation.json(['import', '-'], { input: JSON.stringify(events.slice(0, 3000)) })
      for (let at = 3000; at < 6000; at += 100) {
        const response = await fetch(`${server.address}/ingest/events`, {
          method: 'POST',
          headers: { authorization: String(ingestKey), 'content-type': 'application/json' },
          body: JSON.stringify(events.slice(at, at + 100)),
        })
        assert.deepEqual(await response.json(), { stored: 100, duplicates: 0, rejected: [] })
      }
      assert.equal((await importing)['stored'], 3000)
      const stats = (await get('/domain/stats', key)).body['domains'] as Record<string, { counts: Json }>
      assert.equal(stats['both.example']?.counts['delivery'], 6000)
      assert.deepEqual(await installation.json(['recount']), { ok: true, differences: [] })
    })

    test('a second server on the same folder is refused', async () => {
      const { exitCode, message } = await installation.failure(['serve'], { env: { ENVELOG_PORT: '0' } })
      assert.equal(exitCode, 1)
      assert.match(message, /Another Envelog server is using the data folder .*ENVELOG_DATA_DIR/)
    })

    test('a port in use is reported in one sentence, by the demo before it generates events', async () => {
      const { port } = new URL(server.address)
      for (const command of ['serve', 'demo']) {
        const { exitCode, message } = await installation.failure([command], {
          env: { ENVELOG_PORT: port, ENVELOG_DATA_DIR: 'other' },
        })
        assert.equal(exitCode, 1)
        assert.match(message, new RegExp(`^envelog: Port ${port} on 127\\.0\\.0\\.1 is in use.*ENVELOG_PORT`))
      }
    })
  })

  describe('without a server', () => {
    test('concurrent commands wait for each other, and leave no server running', async () => {
      using installation = openInstallation()
      const names = ['A', 'B', 'C', 'D']
      await Promise.all(names.map((name) => installation.json(['tenant', 'create', name])))
      const { tenants } = (await installation.json(['tenant', 'list'])) as { tenants: Json[] }
      assert.deepEqual(
        tenants.map(({ name }) => name),
        names,
      )
      assert.ok(!existsSync(join(installation.path, 'data/control.sock')))
    })
  })

  describe('a server in a folder with a long path', () => {
    test('can still be reached by commands', async () => {
      using installation = openInstallation()
      const env = { ENVELOG_DATA_DIR: join(installation.path, 'a'.repeat(120)) }
      const server = await serveProcess({ dataDir: env.ENVELOG_DATA_DIR })
      try {
        await installation.json(['tenant', 'create', 'Acme'], { env })
        assert.equal(((await installation.json(['tenant', 'list'], { env }))['tenants'] as Json[]).length, 1)
      } finally {
        await server.stop()
      }
    })
  })

  describe('with --url', () => {
    const installation = openInstallation()
    let server: ServerProcess
    let remote: readonly string[]
    /** Runs elsewhere: another data folder, which must stay empty. */
    const elsewhere = { env: { ENVELOG_DATA_DIR: join(installation.path, 'elsewhere') } }
    before(async () => {
      server = await serveProcess({ dataDir: join(installation.path, 'data') })
      const scopes = ['--scope', 'admin', '--scope', 'ingest']
      const { key } = await installation.json(['key', 'create', '--operator', ...scopes])
      remote = ['--url', server.address, '--key-file', installation.write('key', `${String(key)}\n`)]
    })
    after(async () => {
      await server.stop()
      installation[Symbol.dispose]()
    })

    test('commands administer a server elsewhere, and touch no data folder', async () => {
      const run = (...args: readonly string[]) => installation.json([...args, ...remote], elsewhere)
      await run('tenant', 'create', 'Acme')
      await run('domain', 'add', 'shop.acme.example', '--tenant', 'Acme')
      assert.equal((await run('domain', 'list'))['count'], 1)
      const file = installation.write('events.ndjson', JSON.stringify(madeUpEvent()))
      assert.equal((await run('import', file))['stored'], 1)
      assert.deepEqual(await run('recount'), { ok: true, differences: [] })
      assert.match(String((await run('domain', 'export-key', 'shop.acme.example'))['privateKey']), /PRIVATE KEY/)
      assert.ok(!existsSync(elsewhere.env.ENVELOG_DATA_DIR))
    })

    test('advice names the same server again', async () => {
      const { stdout } = await installation.run(['tenant', 'create', 'Advised', ...remote], elsewhere)
      assert.ok(stdout.includes(`bin/envelog --url ${server.address} --key-file key domain add example.com`), stdout)
    })

    test('error messages say which server refused, and why', async () => {
      const { key } = await installation.json(['key', 'create', '--operator', '--scope', 'ingest'])
      const weak = installation.write('weak', String(key))
      const wrong = installation.write('wrong', 'env_nonsense')
      const other = installation.write('other', mintApiKey().key)
      const url = ['--url', server.address]
      const cases: [string[], number, RegExp][] = [
        [['tenant', 'list', ...url, '--key-file', other], 1, /^envelog: http:\S+ refuses the key: /],
        [['tenant', 'list', ...url, '--key-file', wrong], 1, /The key file wrong does not contain an API key/],
        [['tenant', 'list', ...url, '--key-file', weak], 1, /scope read/],
        [['tenant', 'list', ...url, '--key-file', 'missing'], 1, /The key file missing cannot be read/],
        [['tenant', 'list', '--url', 'http://127.0.0.1:1', '--key-file', weak], 1, /cannot be reached: .*ECONNREFUSED/],
        [['tenant', 'list', ...url], 2, /--url needs --key-file/],
        [['backup', 'copy', ...remote], 1, /on the server's machine/],
        [['serve', ...remote], 2, /--url does not apply to serve/],
        [['domain', 'activate', 'b.example', ...remote], 1, /No domain is named "b\.example"/],
      ]
      for (const [args, code, words] of cases) {
        const { exitCode, message } = await installation.failure(args)
        assert.equal(exitCode, code, args.join(' '))
        assert.match(message, words)
      }
      assert.ok(!existsSync(join(installation.path, 'copy')))
    })
  })
})
