/** Three servers on one ClickHouse cluster and one PostgreSQL, as behind a load balancer without stickiness. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { EmailEvent } from '../../src/events/event.ts'
import { openControl } from '../../src/storage/postgres/control/open-control.ts'
import { openDnsServer, type Zone } from '../harness/dns/dns-server.ts'
import { EventStream } from '../harness/log/event-stream.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { keepPicture, openBrowser, openVisitor, until } from '../harness/programs/browser.ts'
import { openRoundRobin } from '../harness/programs/round-robin.ts'
import { runCli } from '../harness/programs/run-cli.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'
import { openSeveralServers, type SeveralServers } from '../harness/programs/several-servers.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const CHECKS = /^envelog_domain_checks_total\{trigger="scheduled".*\} (\d+)$/gm
const NOW = Math.floor(Date.now() / 1000)
const DAY = 86_400

let installation: SeveralServers
let clients: readonly LogClient[]
let turn = 0
let messages = 0

before(async () => {
  installation = await openSeveralServers()
  clients = installation.servers.map(({ address }) => new LogClient(address, installation))
})
after(() => installation?.[Symbol.asyncDispose]())

/** The next server, as a balancer would choose it. */
function nextServer(): ServerProcess {
  return installation.servers[++turn % installation.servers.length] ?? assert.fail()
}

function nextClient(): LogClient {
  return clients[++turn % clients.length] ?? assert.fail()
}

function event(changes: Partial<EmailEvent> = {}): EmailEvent {
  const number = ++messages
  return {
    id: `message-${number}`,
    timestamp: NOW - 60 - (number % 7),
    type: 'Delivery',
    domain_name: installation.domains[0],
    recipient: `person${number}@example.net`,
    ...changes,
  }
}

const idsOf = (events: readonly EmailEvent[]) => events.map(({ id }) => id).toSorted()
const request = (server: ServerProcess, path: string, init: RequestInit = {}) => fetch(`${server.address}${path}`, init)
const asAdmin = () => ({ authorization: installation.adminKey })

describe('the log', () => {
  test('an event is stored once, whichever servers get it, also at the same time, and every server counts it at once', async () => {
    const [name] = installation.domains
    const before = (await nextClient().stats())[name]?.delivery ?? 0
    const events = Array.from({ length: 30 }, () => event())
    const answers = await Promise.all(clients.map((client) => client.ingest(events)))
    assert.equal(
      answers.reduce((sum, { stored }) => sum + stored, 0),
      30,
    )
    assert.equal(
      answers.reduce((sum, { duplicates }) => sum + duplicates, 0),
      60,
    )
    for (const client of clients) {
      assert.equal((await client.stats())[name]?.delivery, before + 30)
      const listed = await client.list(name, { limit: '1000' })
      assert.deepEqual(idsOf(listed.events.filter(({ id }) => events.some((one) => one.id === id))), idsOf(events))
    }
  })

  test('pages of a walk that alternates between servers return each event once, while others arrive', async () => {
    const [, name] = installation.domains
    const early = Array.from({ length: 60 }, (_, index) =>
      event({ domain_name: name, timestamp: NOW - 100 - Math.floor(index / 9) * (DAY / 3) }),
    )
    await nextClient().ingest(early)
    for (const limit of ['1', '7', '25']) {
      const window = { start_timestamp: String(NOW - 10 * DAY), end_timestamp: String(NOW) }
      const seen: EmailEvent[] = []
      let page = await nextClient().list(name, { limit, ...window })
      for (let pages = 0; ; pages++) {
        assert.ok(pages < 500)
        seen.push(...page.events)
        if (page.next_token === undefined) break
        // Newer and older ones than the page, through another server.
        if (pages < 6)
          await nextClient().ingest([event({ domain_name: name }), event({ domain_name: name, timestamp: NOW - DAY })])
        page = await nextClient().list(name, { next_token: page.next_token })
      }
      assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length)
      const missing = early.filter(({ id }) => !seen.some((one) => one.id === id))
      assert.deepEqual(missing, [])
    }
  })

  test('a stream that is resumed on other servers misses nothing and repeats nothing', async () => {
    const headers = { authorization: installation.tenantKey }
    const open = (server: ServerProcess, lastEventId: string) =>
      EventStream.open(`${server.address}/v1/events/stream`, {
        ...headers,
        ...(lastEventId && { 'last-event-id': lastEventId }),
      })
    let lastEventId = ''
    {
      await using stream = await open(nextServer(), '')
      lastEventId = (await stream.next())?.id ?? ''
    }
    const sent: EmailEvent[] = []
    const seen: EmailEvent[] = []
    for (let round = 0; round < 6; round++) {
      await using stream = await open(nextServer(), lastEventId)
      const some = Array.from({ length: 5 }, (_, index) =>
        event({ domain_name: installation.domains[index % 2] ?? '', timestamp: NOW - 60 - (index % 3) * DAY }),
      )
      sent.push(...some)
      await nextClient().ingest(some)
      // It disconnects with two events left, which the next server sends.
      const wanted = round === 5 ? sent.length - seen.length : 3
      seen.push(...(await stream.take(wanted)))
      lastEventId = stream.lastEventId
    }
    assert.deepEqual(idsOf(seen), idsOf(sent))
  })
})

describe('callers', () => {
  test('a session of one server is accepted by the others, and its end by all', async () => {
    const signedIn = await request(nextServer(), '/v1/session', {
      method: 'POST',
      body: JSON.stringify({ key: installation.tenantKey }),
    })
    assert.equal(signedIn.status, 200)
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const { csrfToken } = (await signedIn.json()) as { csrfToken: string }
    for (const server of installation.servers) {
      assert.equal((await request(server, '/v1/session', { headers: { cookie } })).status, 200)
    }
    const server = nextServer()
    const headers = { cookie, 'x-csrf-token': csrfToken, 'sec-fetch-site': 'same-origin', origin: server.address }
    const ended = await request(server, '/v1/session', { method: 'DELETE', headers })
    assert.equal(ended.status, 204, await ended.text())
    await untilAll((one) => request(one, '/v1/session', { headers: { cookie } }), 401)
  })

  test('the end of all sessions is the end on every server', async () => {
    const signedIn = await request(nextServer(), '/v1/session', {
      method: 'POST',
      body: JSON.stringify({ key: installation.tenantKey }),
    })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    await request(nextServer(), '/v1/admin/sessions/end', { method: 'POST', headers: asAdmin() })
    await untilAll((one) => request(one, '/v1/session', { headers: { cookie } }), 401)
  })

  test('a key that is revoked through one server is refused by all', async () => {
    const { stdout } = await installation.cli('--json', 'key', 'create', '--tenant', 'acme')
    const { key, id } = JSON.parse(stdout) as { key: string; id: string }
    const ask = (server: ServerProcess) => request(server, '/domain/stats', { headers: { authorization: key } })
    for (const server of installation.servers) assert.equal((await ask(server)).status, 200)
    const revoked = await request(nextServer(), `/v1/admin/keys/${id}`, { method: 'DELETE', headers: asAdmin() })
    assert.ok(revoked.ok, await revoked.text())
    await untilAll(ask, 401)
  })

  /** Until every server gives this answer; the test's own time limit ends it. */
  async function untilAll(ask: (server: ServerProcess) => Promise<Response>, status: number): Promise<void> {
    for (const server of installation.servers) while ((await ask(server)).status !== status);
  }
})

describe('the console', () => {
  const has = (selector: string) => `document.querySelector(${JSON.stringify(selector)}) !== null`
  const TENANT_PAGES = {
    '/overview': has('.providers'),
    '/log': `${has('[data-log-row]')} && ${has('.histogram rect')}`,
    '/log?q=person1@example.net': has('[data-log-row]'),
    '/domains': has('.domain-name'),
    '/domains/acme.test': has('.dns-record, .record, .spf, main h1'),
  }
  const OPERATOR_PAGES = {
    '/operator/tenants': has('.table tbody tr'),
    '/operator/keys': has('.table tbody tr'),
    '/operator/domains': has('.table tbody tr'),
    '/operator/ingest': has('.tile'),
    '/operator/quarantine': has('main'),
    '/operator/removals': has('.empty'),
    '/operator/storage': has('.table tbody tr'),
  }

  test('every page works behind a load balancer that sends each request to another server', async () => {
    await nextClient().ingest([event({ type: 'Bounce', response_code: 550, provider_name: 'Example' })])
    await using balancer = await openRoundRobin(installation.servers.map(({ address }) => address))
    await using browser = await openBrowser()
    for (const [key, pages] of [
      [installation.tenantKey, TENANT_PAGES],
      [installation.adminKey, OPERATOR_PAGES],
    ] as const) {
      await using visitor = await openVisitor(browser, balancer.address, { key })
      for (const [path, isComplete] of Object.entries(pages)) {
        await visitor.page.goto(`${balancer.address}${path}`)
        await until(visitor.page, `${has('.frame')} && ${isComplete}`)
        await keepPicture(visitor.page, `several-servers${path.replaceAll(/\W+/g, '-')}`)
      }
    }
    assert.ok(
      balancer.requests.every((count) => count > 10),
      balancer.requests.join(),
    )
  })
})

describe('the servers', () => {
  test('each is ready, and its metrics say so', async () => {
    for (const server of installation.servers) {
      assert.equal((await request(server, '/readyz')).status, 200)
      assert.match(await (await request(server, '/metrics')).text(), /envelog_storage_writable 1/)
    }
  })

  test('a domain that is due is checked once', async () => {
    const zone: Zone = { 'spf.operator.test': { txt: [['v=spf1 ip4:192.0.2.0/24 -all']] } }
    await using dns = await openDnsServer(zone)
    const others = await Promise.all(
      Array.from({ length: 3 }, () => installation.start({ ENVELOG_DNS_SERVERS: dns.address })),
    )
    // Those of the installation would ask the system's servers.
    await Promise.all(installation.servers.map((server) => server.stop()))
    const control = await openControl({ url: installation.postgresUrl })
    const store = control.stores.domains
    const { domains } = await store.list({ skip: 0, take: 10, orderBy: { field: 'name', direction: 'asc' } })
    const countChecks = async () => {
      const texts = await Promise.all(others.map(async (server) => (await request(server, '/metrics')).text()))
      const counts = texts.flatMap((text) => [...text.matchAll(CHECKS)])
      return counts.reduce((sum, [, count]) => sum + Number(count), 0)
    }
    let expected = 0
    // Each round ends with a further run of a schedule: a second check of a domain would have been counted by then.
    for (let round = 0; round < 4; round++) {
      for (const { id } of domains) await store.saveRecheck(id, { atMs: 1, step: 0 })
      expected += domains.length
      while ((await countChecks()) < expected);
      assert.equal(await countChecks(), expected)
    }
    await control.close()
    await Promise.all(others.map((server) => server.stop()))
  })
})

describe('a server is refused', () => {
  const refused = async (env: Readonly<Record<string, string>>, dataDir?: string) => {
    const error = await installation.start(env, dataDir).then(
      () => assert.fail('it started'),
      (failure: Error) => failure,
    )
    return error.message
  }

  test('with another secret than the others, with the id of the right one', async () => {
    const message = await refused({ ENVELOG_SECRET: randomBytes(32).toString('hex') })
    assert.match(message, /does not belong to the data\. The data needs the secret with the id [0-9a-f]{16}; given/)
  })

  test('on a data folder that another one uses', async () => {
    await using server = await installation.start()
    assert.match(await refused({}, server.dataDir), /Another Envelog server is using the data folder/)
  })

  test('without a schema, with the command, which two machines may run at the same time', async () => {
    const postgresUrl = await installation.postgres.create({ isMigrated: false })
    const { database } = await installation.cluster.createDatabase()
    const changes = { ENVELOG_POSTGRES_URL: postgresUrl, ENVELOG_CLICKHOUSE_DATABASE: database }
    assert.match(
      await refused(changes),
      /has schema 0; this version of Envelog requires \d+\. Run: (?:bin\/)?envelog migrate/,
    )
    using folder = openTemporaryFolder()
    const migrate = () => runCli(['migrate'], { cwd: folder.path, env: { ...installation.env, ...changes } })
    const runs = await Promise.all([migrate(), migrate()])
    assert.deepEqual(
      runs.map(({ exitCode }) => exitCode),
      [0, 0],
      runs.map(({ stderr }) => stderr).join(),
    )
    assert.equal((await migrate()).stdout, 'Both schemas are up to date.\n')
    await using server = await installation.start(changes)
    assert.equal((await request(server, '/readyz')).status, 200)
    const divide = (shards: string) =>
      runCli(['migrate', '--shards', shards], { cwd: folder.path, env: { ...installation.env, ...changes } })
    assert.match((await divide('9')).stderr, /The cluster has 2 shards; 9 were requested/)
    const divided = await divide('1')
    assert.match(divided.stderr, /ClickHouse: 1 shard$/m)
    await using restarted = await installation.start(changes)
    assert.equal((await request(restarted, '/readyz')).status, 200)
  })

  test('without a password or a database in its words or its log', async () => {
    const port = Number(new URL(installation.env['ENVELOG_CLICKHOUSE_URL']?.split(',')[0] ?? '').port)
    const wrong = await refused({
      ENVELOG_CLICKHOUSE_PASSWORD: 'sesame-open',
      ENVELOG_CLICKHOUSE_URL: `http://127.0.0.1:${port}`,
    })
    assert.match(wrong, /ClickHouse/)
    assert.doesNotMatch(wrong, /sesame|please report/)
    const away = await refused({ ENVELOG_POSTGRES_URL: 'postgres://envelog:sesame-open@127.0.0.1:1/envelog' })
    assert.match(away, /PostgreSQL cannot be reached/)
    assert.doesNotMatch(away, /sesame|please report/)
  })
})

describe('commands', () => {
  test('that only a data folder has are refused with the tool that does it here', async () => {
    for (const [args, words] of [
      [['backup', '/tmp/nowhere'], /Use the databases' own tools: BACKUP for ClickHouse first, then pg_dump/],
      [['repair', '2026-01-31'], /ClickHouse repairs/],
      [['days', 'adopt'], /ENVELOG_STORAGE=sqlite/],
    ] as const) {
      const { exitCode, stderr } = await installation.cli(...args)
      assert.equal(exitCode, 1, stderr)
      assert.match(stderr, words)
    }
  })
})
