/** `dns check` and `domain verify` as processes: output, exit codes, and names that are never queried. */
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createDns } from '../../src/dns/dns.ts'
import { checkDomain } from '../../src/domains/checks/check-domain.ts'
import { requiredRecords } from '../../src/domains/records/required-records.ts'
import { type DnsServer, openDnsServer, type Zone } from '../harness/dns/dns-server.ts'
import { readCase } from '../harness/dns/verification-case.ts'
import { type CliResult, runCli } from '../harness/programs/run-cli.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const DKIM = readCase('001-right').record.value
const KEY = DKIM.slice(DKIM.indexOf('p=') + 2)
const SOA = { minimum: 300, ttl: 900 }
const DKIM_STRINGS = [DKIM.slice(0, 255), DKIM.slice(255)]

const ZONE: Zone = {
  'good.test': { soa: SOA, txt: [['v=spf1 include:spf.operator.test -all']] },
  's1._domainkey.good.test': { txt: [DKIM_STRINGS] },
  '_dmarc.good.test': { txt: [['v=DMARC1; p=reject']] },
  'bad.test': { soa: SOA, txt: [['v=spf1 include:other.test include:spf.operator.test +all']] },
  's1._domainkey.bad.test': { txt: [[DKIM.slice(0, 255)]] },
  'nasty.test': { soa: SOA, txt: [['v=spf1 \u001b[31minclude:x\u0007 -all']] },
  'other.test': { soa: SOA, txt: [['v=spf1 ip4:192.0.2.1 -all']] },
  'spf.operator.test': { soa: SOA, txt: [['v=spf1 ip4:192.0.2.0/24 -all']] },
  'down.test': 'servfail',
  's1._domainkey.down.test': 'servfail',
}

describe('dns check', { concurrency: 2 }, () => {
  let server: DnsServer

  before(async () => {
    server = await openDnsServer(ZONE, { isAuthoritative: false })
  })
  after(() => server.close())

  const check = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CliResult> =>
    runCli(['dns', 'check', ...args], { cwd: tmpdir(), env: { ENVELOG_DNS_SERVERS: server.address, ...env } })

  test('correct records: exit code 0, required and found values, the SPF policy with its lookups', async () => {
    const args = ['good.test', '--selector', 's1', '--include', 'spf.operator.test', '--public-key', KEY]
    const { exitCode, stdout, stderr } = await check(args)
    assert.equal(exitCode, 0, stderr)
    assert.match(stdout, /^✓ DKIM +TXT +s1\._domainkey\.good\.test +required +correct$/m)
    assert.ok(stdout.includes(`expected  ${DKIM}\n`), 'the value cannot be copied whole')
    assert.match(stdout, /└─ -all\n +1 of 10 lookups/)
    assert.match(stdout, /All records are correct\.\n$/)
  })

  test('wrong records: exit code 1, the difference marked, and what to do', async () => {
    const args = ['bad.test', '--selector', 's1', '--include', 'spf.operator.test', '--public-key', KEY]
    const { exitCode, stdout } = await check(args)
    assert.equal(exitCode, 1)
    assert.match(stdout, /^✗ DKIM +TXT +s1\._domainkey\.bad\.test +required +truncated$/m)
    assert.match(stdout, /differs from character 256: expected "\S+…", found nothing more/)
    assert.match(stdout, /What to do\n {2}1\. DKIM: The value at s1\._domainkey\.bad\.test is truncated/)
    assert.match(stdout, /2\. DMARC \(recommended\): _dmarc\.bad\.test does not exist in DNS/)
    assert.match(stdout, /Warnings\n {2}! The SPF record of bad\.test ends in "\+all"/)
  })

  test('failed DNS queries: exit code 2', async () => {
    const { exitCode, stdout } = await check(['down.test', '--selector', 's1'])
    assert.equal(exitCode, 2)
    assert.match(stdout, /^\? SPF/m)
    assert.match(stdout, /The DNS query for the SPF record at down\.test failed: .*SERVFAIL/)
    assert.match(stdout, /^down\.test could not be checked: DNS could not be queried\.\n/)
    assert.doesNotMatch(stdout, /changed/)
  })

  test('without --include, no SPF value is required: the published policy is shown, and whether it works', async () => {
    const [right, wrong] = await Promise.all([check(['good.test']), check(['nasty.test'])])
    assert.match(right.stdout, /^good\.test: all required records are correct\.\n/)
    assert.match(right.stdout, /✓ SPF {2}TXT {2}good\.test\n {4}found/)
    assert.equal(wrong.exitCode, 1)
    assert.match(wrong.stdout, /^nasty\.test: 1 problem found\.\n/)
    assert.match(wrong.stdout, /✗ SPF {2}TXT {2}nasty\.test\n {4}found[\s\S]*--include for SPF/)
  })

  test('--json prints the full report, with the answer of every server and the SPF policy', async () => {
    const { exitCode, stdout } = await check(['--json', 'bad.test', '--selector', 's1', '--public-key', KEY])
    assert.equal(exitCode, 1)
    const report = JSON.parse(stdout) as {
      outcome: string
      records: { purpose: string; diagnosis?: string; error?: { type: string }; evidence: { resolvers: object[] }[] }[]
      spf: { lookups: number; policy: { terms: { text: string; policy?: { domain: string } }[] } }
    }
    assert.equal(report.outcome, 'record_wrong')
    assert.deepEqual(
      report.records.map(({ purpose, diagnosis }) => [purpose, diagnosis]),
      [
        ['DKIM', 'truncated'],
        ['SPF', undefined],
        ['DMARC', 'no_such_name'],
      ],
    )
    assert.equal(report.records[0]?.evidence[0]?.resolvers.length, 1)
    assert.equal(report.spf.lookups, 2)
    assert.equal(report.spf.policy.terms[0]?.policy?.domain, 'other.test')
  })

  test('output is coloured only on request', async () => {
    const piped = await check(['good.test'])
    const forced = await check(['good.test'], { FORCE_COLOR: '1' })
    const refused = await check(['good.test'], { NO_COLOR: '1' })
    assert.ok(!piped.stdout.includes('\u001b['))
    assert.ok(forced.stdout.includes('\u001b[32m✓'))
    assert.ok(!refused.stdout.includes('\u001b['))
  })

  test('published text cannot send control sequences to the terminal', async () => {
    const { stdout } = await check(['nasty.test'])
    assert.ok(!/\p{Cc}/u.test(stdout.replaceAll('\n', '')), JSON.stringify(stdout))
    assert.match(stdout, /\\u\{1b\}/)
  })

  test('an invalid selector, key or include is refused', async () => {
    for (const args of [
      ['--selector', 's 1'],
      ['--selector', '-'],
      ['--public-key', 'p=?'],
      ['--include', 'a..b'],
    ]) {
      const { exitCode, stderr } = await check(['good.test', ...args])
      assert.equal(exitCode, 2, args.join(' '))
      assert.notEqual(stderr, '')
    }
  })
})

/** NUL cannot be an argument of a process, so it is tested below the command line. */
const HOSTILE: readonly string[] = [
  '',
  ' ',
  'exam ple.com',
  'example.com ',
  'exam\tple.com',
  'example.com\n',
  '..',
  'a..b.com',
  '.example.com',
  'localhost',
  'com',
  '127.0.0.1',
  '0x7f.1',
  '::1',
  '[2001:db8::1]',
  '192.0.2.1:53',
  `${'a.'.repeat(125)}test`,
  `${'a'.repeat(64)}.com`,
  'p\u0430ypal.com',
  '\u0430\u0440\u0440\u04cf\u0435.com',
  'xn--pypal-4ve.com',
  'exam\u202eple.com',
  'example.com/../x',
  'http://example.com',
  '$(id).com',
  '_dmarc.example.com',
]

describe('hostile names', () => {
  test('the command line refuses them before any packet is sent', async () => {
    await using server = await openDnsServer(ZONE)
    using folder = openTemporaryFolder()
    const env = { ENVELOG_DNS_SERVERS: server.address, ENVELOG_DATA_DIR: join(folder.path, 'data') }
    const refuse = async (name: string): Promise<void> => {
      const args = ['dns', 'check', '--selector', 's1', '--', name]
      const { exitCode, stderr } = await runCli(args, { cwd: folder.path, env })
      assert.equal(exitCode, 2, JSON.stringify(name))
      assert.match(stderr, /cannot be used as a domain name/, JSON.stringify(name))
    }
    for (let at = 0; at < HOSTILE.length; at += 4) await Promise.all(HOSTILE.slice(at, at + 4).map(refuse))
    assert.deepEqual(server.queries, [])
  })

  test('a check of one that was stored by mistake ends without a packet, as a failed query', async () => {
    await using server = await openDnsServer(ZONE)
    const dns = createDns({ servers: [server.address] })
    const names = ['exam\0ple.com', 'exam ple.com', 'a..com', 'x.localhost', '1.2.3.4', `${'a.'.repeat(130)}com`]
    for (const name of names) {
      const records = requiredRecords(name, { selector: 's1', publicKey: KEY }, { spfInclude: 'spf.operator.test' })
      const report = await checkDomain({ domainName: name, records }, dns, { deadlineMs: 5000 })
      for (const { record, error } of report.records) {
        assert.equal(record.status, 'unknown', JSON.stringify(name))
        assert.equal(error?.type, 'SYSTEM')
      }
    }
    assert.deepEqual(server.queries, [])
  })
})
