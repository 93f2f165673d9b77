import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../test/harness/temporary-folder.ts'
import { ConfigError, type Environment, listConfigWarnings, loadConfig, serviceMessageIdField } from './load-config.ts'

function problemsOf(env: Environment): readonly string[] {
  try {
    loadConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

describe('an empty environment', () => {
  test('gives every option its default', () => {
    assert.deepEqual(loadConfig({}), {
      host: '127.0.0.1',
      port: 8025,
      envFile: resolve('.env'),
      dataDir: resolve('data'),
      secretFile: undefined,
      secret: undefined,
      retentionMs: 90 * 86_400_000,
      auditRetentionMs: 400 * 86_400_000,
      storage: 'sqlite',
      clickhouseUrls: undefined,
      clickhouseUser: 'default',
      clickhousePasswordFile: undefined,
      clickhousePassword: undefined,
      clickhouseDatabase: 'envelog',
      clickhouseCluster: undefined,
      postgresUrlFile: undefined,
      postgresUrl: undefined,
      trustedProxies: undefined,
      dnsServers: undefined,
      showSendingAddresses: 'operator',
      addDomains: 'operator',
      brand: undefined,
      logLevel: 'info',
      logsHost: undefined,
      statsHost: undefined,
      platformHost: undefined,
      spfInclude: 'spf.example.net',
      returnPathHost: undefined,
      returnPathLabel: 'bounces',
      trackMachines: 'mark',
      trackingHost: undefined,
      trackingLabel: 'links',
      mxHost: undefined,
      requireRecords: undefined,
      smtpListen: undefined,
      smtpDomains: undefined,
      smtpCertificate: undefined,
      reportProof: 'signed',
      quarantineMib: 1024,
      queryBudgetMs: 1000,
      readers: undefined,
      readRate: 60_000,
      ingestRate: undefined,
      bounceRules: undefined,
      providers: undefined,
    })
  })

  test('warns that the SPF include is a placeholder; one that is set does not', () => {
    assert.match(listConfigWarnings(loadConfig({})).join(), /ENVELOG_SPF_INCLUDE/)
    assert.deepEqual(listConfigWarnings(loadConfig({ ENVELOG_SPF_INCLUDE: 'spf.acme.com' })), [])
  })
})

describe('receiving reports', () => {
  test('listens on an IPv4 or IPv6 address or a name, with a port', () => {
    const endpointOf = (text: string) => loadConfig({ ENVELOG_SMTP_LISTEN: text }).smtpListen
    assert.deepEqual(endpointOf('127.0.0.1:2525'), { host: '127.0.0.1', port: 2525 })
    assert.deepEqual(endpointOf('[::1]:25'), { host: '::1', port: 25 })
    assert.deepEqual(endpointOf('localhost:0'), { host: 'localhost', port: 0 })
    for (const text of ['25', ':25', '::1:25', '[::1]', '127.0.0.1:70000', 'smtp://127.0.0.1:25', '[nonsense]:25'])
      assert.equal(problemsOf({ ENVELOG_SMTP_LISTEN: text }).length, 1, text)
  })

  test('domains are host names; letter case does not matter', () => {
    const { smtpDomains } = loadConfig({ ENVELOG_SMTP_DOMAINS: 'Bounces.Example.net, fbl.example.net' })
    assert.deepEqual(smtpDomains, ['bounces.example.net', 'fbl.example.net'])
    assert.match(problemsOf({ ENVELOG_SMTP_DOMAINS: 'a.test,' }).join(), /has an empty entry/)
    const warnings = listConfigWarnings(loadConfig({ ENVELOG_SMTP_DOMAINS: 'a.test' })).join()
    assert.match(warnings, /ENVELOG_SMTP_DOMAINS is set, but ENVELOG_SMTP_LISTEN is not/)
  })
})

describe('records of tenants', () => {
  const spf = { ENVELOG_SPF_INCLUDE: 'spf.acme.com' }

  test('several can be required, in any order', () => {
    const { requireRecords } = loadConfig({ ENVELOG_REQUIRE_RECORDS: 'TRACKING, DMARC' })
    assert.deepEqual(requireRecords, ['TRACKING', 'DMARC'])
  })

  test('an unknown record, an empty entry and a label with a dot are refused', () => {
    assert.match(
      problemsOf({ ENVELOG_REQUIRE_RECORDS: 'DMARC,SPF' }).join(),
      /not known: "SPF".*Allowed: one or more of DMARC, RETURN_PATH/,
    )
    assert.match(problemsOf({ ENVELOG_REQUIRE_RECORDS: 'DMARC,' }).join(), /empty entry/)
    assert.match(problemsOf({ ENVELOG_TRACKING_LABEL: 'a.b' }).join(), /not a single DNS label/)
    assert.match(problemsOf({ ENVELOG_RETURN_PATH_LABEL: '-a' }).join(), /not a single DNS label/)
  })

  test('one that is required and has no host is warned about', () => {
    const required = loadConfig({ ...spf, ENVELOG_REQUIRE_RECORDS: 'DMARC,TRACKING' })
    assert.match(listConfigWarnings(required).join(), /names TRACKING, but ENVELOG_TRACKING_HOST is not set/)
    const complete = { ...spf, ENVELOG_REQUIRE_RECORDS: 'TRACKING', ENVELOG_TRACKING_HOST: 'links.acme.com' }
    assert.deepEqual(listConfigWarnings(loadConfig(complete)), [])
  })

  test('two CNAME records at one name are warned about', () => {
    const hosts = { ...spf, ENVELOG_TRACKING_HOST: 'links.acme.com', ENVELOG_RETURN_PATH_HOST: 'return.acme.com' }
    assert.match(listConfigWarnings(loadConfig({ ...hosts, ENVELOG_TRACKING_LABEL: 'bounces' })).join(), /two CNAME/)
    assert.deepEqual(listConfigWarnings(loadConfig(hosts)), [])
  })
})

describe('the secret', () => {
  const SECRET = randomBytes(32).toString('hex')

  test('is a value or a file, not both; the file is checked and read later', () => {
    using folder = openTemporaryFolder()
    const path = join(folder.path, 'secret')
    writeFileSync(path, `${SECRET}\n`)
    assert.deepEqual(loadConfig({ ENVELOG_SECRET: SECRET }).secret, [Buffer.from(SECRET, 'hex')])
    assert.equal(loadConfig({ ENVELOG_SECRET_FILE: path }).secretFile, path)
    const both = { ENVELOG_SECRET: SECRET, ENVELOG_SECRET_FILE: path }
    assert.deepEqual(problemsOf(both), ['ENVELOG_SECRET and ENVELOG_SECRET_FILE are both set. Choose one.'])
    writeFileSync(path, 'rubbish')
    assert.match(problemsOf({ ENVELOG_SECRET_FILE: path }).join(), /is not 64 hexadecimal digits/)
    assert.match(problemsOf({ ENVELOG_SECRET_FILE: folder.path }).join(), /is not a file/)
  })

  test('that is wrong is not repeated in the message', () => {
    const typo = `${SECRET}0`
    const problem = problemsOf({ ENVELOG_SECRET: typo }).join()
    assert.match(problem, /^ENVELOG_SECRET: the value is not 64 hexadecimal digits\. Allowed: /)
    assert(!problem.includes(SECRET.slice(0, 8)))
  })
})

describe('values', () => {
  test('an empty variable counts as unset', () => {
    assert.equal(loadConfig({ ENVELOG_PORT: '', ENVELOG_BRAND: ' ' }).port, 8025)
    assert.equal(loadConfig({ ENVELOG_BRAND: ' ' }).brand, undefined)
  })

  test('a relative data folder starts at the current folder, an absolute one stays', () => {
    assert.equal(loadConfig({ ENVELOG_DATA_DIR: 'x/../y' }).dataDir, resolve('y'))
    assert.equal(loadConfig({ ENVELOG_DATA_DIR: '/srv/mail' }).dataDir, '/srv/mail')
  })

  test('DNS servers take a port, IPv6 with brackets, and spaces after the commas', () => {
    const servers = loadConfig({
      ENVELOG_DNS_SERVERS: '192.0.2.1, 192.0.2.2:5353,2001:db8::1,[2001:db8::2],[2001:db8::3]:53',
    })
    assert.deepEqual(servers.dnsServers, [
      '192.0.2.1',
      '192.0.2.2:5353',
      '2001:db8::1',
      '[2001:db8::2]',
      '[2001:db8::3]:53',
    ])
  })

  for (const bad of [
    'dns.example.com',
    '192.0.2.1:0',
    '192.0.2.1:65536',
    '192.0.2.1:',
    '[192.0.2.1]:53',
    '192.0.2.1,',
    '[::1',
  ]) {
    test(`DNS servers refuse ${bad}`, () => {
      assert.match(problemsOf({ ENVELOG_DNS_SERVERS: bad }).join(), /^ENVELOG_DNS_SERVERS: .+ Allowed: IP addresses/)
    })
  }

  test('a host name is compared in lower case', () => {
    assert.equal(loadConfig({ ENVELOG_LOGS_HOST: 'Logs.Example.COM' }).logsHost, 'logs.example.com')
  })

  for (const bad of ['https://logs.example.com', 'logs.example.com:443', 'logs_example', 'a..b', '-a.com']) {
    test(`a host name is refused as ${bad}`, () => {
      assert.match(problemsOf({ ENVELOG_LOGS_HOST: bad }).join(), /^ENVELOG_LOGS_HOST: .+ Allowed: a host name/)
    })
  }

  test('the brand names the message id field', () => {
    assert.equal(serviceMessageIdField(loadConfig({})), 'service_message_id')
    assert.equal(serviceMessageIdField(loadConfig({ ENVELOG_BRAND: 'acme' })), 'acme_message_id')
    for (const bad of ['Acme', 'ac-me', '1acme', 'a'.repeat(33)])
      assert.equal(problemsOf({ ENVELOG_BRAND: bad }).length, 1)
  })

  test('retention is at least a day and at most what a date can hold', () => {
    assert.equal(loadConfig({ ENVELOG_RETENTION: '24h' }).retentionMs, 86_400_000)
    assert.match(problemsOf({ ENVELOG_RETENTION: '23h' }).join(), /"23h" is too short/)
    assert.match(problemsOf({ ENVELOG_RETENTION: '99999999d' }).join(), /is too long/)
  })

  test('a file of rules or providers is read and checked, and its problems are reported with all others', () => {
    using folder = openTemporaryFolder()
    const write = (name: string, value: object) => {
      const path = join(folder.path, name)
      writeFileSync(path, JSON.stringify(value))
      return path
    }
    const rules = [{ class: 'QuotaIssues', text: 'stuffed' }]
    const providers = [{ name: 'Acme', hosts: 'mx.acme.test' }]
    const config = loadConfig({
      ENVELOG_BOUNCE_RULES: write('rules.json', { rules }),
      ENVELOG_PROVIDERS: write('providers.json', { providers }),
    })
    assert.deepEqual([config.bounceRules, config.providers], [rules, providers])
    const bad = {
      ENVELOG_PORT: 'x',
      ENVELOG_BOUNCE_RULES: write('bad.json', { rules: [{}, { class: 'A', code: '5' }] }),
      ENVELOG_PROVIDERS: join(folder.path, 'missing.json'),
    }
    const [port, ofRules, ofProviders] = problemsOf(bad)
    assert.match(port ?? '', /^ENVELOG_PORT: /)
    assert.match(ofRules ?? '', /^ENVELOG_BOUNCE_RULES: ".+bad\.json" has 3 problems: rules\[0\]: .*rules\[1\]: code/)
    assert.match(ofProviders ?? '', /^ENVELOG_PROVIDERS: ".+" cannot be read: ENOENT/)
  })
})

describe('the databases of several servers', () => {
  const CLICKHOUSE = { ENVELOG_STORAGE: 'clickhouse', ENVELOG_CLICKHOUSE_URL: 'http://a:8123, https://b:8443/' }
  const URL = 'postgres://envelog:sesame@db.example.com/envelog'

  test('are given by value, or those with a password in a file', () => {
    using folder = openTemporaryFolder()
    const write = (name: string, text: string) => {
      writeFileSync(join(folder.path, name), text)
      return join(folder.path, name)
    }
    const byValue = loadConfig({ ...CLICKHOUSE, ENVELOG_POSTGRES_URL: URL, ENVELOG_CLICKHOUSE_PASSWORD: 'a b' })
    const { clickhouseUrls, clickhousePassword, postgresUrl } = byValue
    assert.deepEqual(
      [clickhouseUrls, clickhousePassword, postgresUrl],
      [['http://a:8123', 'https://b:8443'], 'a b', URL],
    )
    const byFile = loadConfig({
      ...CLICKHOUSE,
      ENVELOG_POSTGRES_URL_FILE: write('url', `${URL}\n`),
      ENVELOG_CLICKHOUSE_PASSWORD_FILE: write('password', 'a b\n'),
    })
    assert.deepEqual([byFile.clickhousePasswordFile, byFile.postgresUrlFile], ['a b', URL])
    // A socket instead of a host, as PostgreSQL's own programs write it.
    const local = 'postgres://envelog@/envelog?host=%2Frun%2Fpostgresql'
    assert.equal(loadConfig({ ...CLICKHOUSE, ENVELOG_POSTGRES_URL: local }).postgresUrl, local)
  })

  test('are refused if one is missing, or if they belong to the engine that is not selected', () => {
    assert.deepEqual(problemsOf({ ENVELOG_STORAGE: 'clickhouse', ENVELOG_READERS: '2' }), [
      'ENVELOG_STORAGE is clickhouse, but ENVELOG_CLICKHOUSE_URL is not set.',
      'ENVELOG_STORAGE is clickhouse, but ENVELOG_POSTGRES_URL or ENVELOG_POSTGRES_URL_FILE is not set.',
      'ENVELOG_READERS is only for sqlite, and ENVELOG_STORAGE is clickhouse. Remove one of the two.',
    ])
    assert.deepEqual(problemsOf({ ENVELOG_CLICKHOUSE_CLUSTER: 'main', ENVELOG_CLICKHOUSE_DATABASE: 'envelog' }), [
      'ENVELOG_CLICKHOUSE_CLUSTER is only for clickhouse, and ENVELOG_STORAGE is sqlite. Remove one of the two.',
    ])
  })

  test('no problem repeats a password', () => {
    const wrong = [
      { ENVELOG_CLICKHOUSE_URL: 'http://envelog:sesame@a:8123' },
      { ENVELOG_CLICKHOUSE_URL: 'http://a:8123,envelog:sesame@b' },
      { ENVELOG_POSTGRES_URL: 'mysql://envelog:sesame@a/b' },
      { ENVELOG_POSTGRES_URL: 'postgres://envelog:sesame@a' },
      { ENVELOG_POSTGRES_URL: URL, ENVELOG_POSTGRES_URL_FILE: 'nowhere' },
      { ENVELOG_CLICKHOUSE_PASSWORD: 'sesame', ENVELOG_CLICKHOUSE_PASSWORD_FILE: 'nowhere' },
    ]
    for (const env of wrong) {
      const problems = problemsOf({ ENVELOG_POSTGRES_URL: URL, ...CLICKHOUSE, ...env })
      assert.ok(problems.length > 0, JSON.stringify(env))
      assert.doesNotMatch(problems.join(), /sesame/)
    }
  })
})

describe('problems', () => {
  test('are reported all at once, each with the name, the problem and what is allowed', () => {
    assert.deepEqual(problemsOf({ ENVELOG_PROT: '80', ENVELOG_PORT: '80a', ENVELOG_LOG_LEVEL: 'loud', PATH: '/bin' }), [
      'ENVELOG_PROT is not an option. Did you mean ENVELOG_PORT?',
      'ENVELOG_PORT: "80a" is not a whole number. Allowed: a whole number from 0 to 65535; 0 picks a free port.',
      'ENVELOG_LOG_LEVEL: "loud" is not known. Allowed: fatal, error, warn, info, debug, trace, silent.',
    ])
  })

  test('an unknown variable unlike any option gets the list of options', () => {
    assert.match(
      problemsOf({ ENVELOG_SOMETHING_ELSE: '1' }).join(),
      /is not an option\. Allowed: ENVELOG_HOST, .*ENVELOG_PROVIDERS/,
    )
  })
})
