import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, test } from 'node:test'
import type { Dns, DnsAnswer, DnsRecordType, DnsResolver } from '../dns-resolver.ts'
import { requiredRecords } from '../records/required-records.ts'
import { checkDomain } from './check-domain.ts'
import { judgeReport, listBlockingErrors, listCheckedRecords } from './domain-report.ts'

const RECORDS = requiredRecords(
  'example.com',
  { selector: 's1', publicKey: 'a2V5' },
  {
    spfInclude: 'spf.acme.test',
    returnPath: { label: 'bounces', host: 'return.acme.test' },
    tracking: { label: 'links', host: 'links.acme.test' },
    mxHost: 'mx.acme.test',
  },
)
const REQUEST = { domainName: 'example.com', records: RECORDS }

function dnsOf(resolver: Partial<DnsResolver>): Dns {
  const never = () => new Promise<never>(() => undefined)
  return { session: () => ({ resolve: never, examine: never, ...resolver }) }
}

/** Says the same about every name. */
function dnsThatSays(answer: (name: string, type: DnsRecordType) => DnsAnswer): Dns {
  const resolve = async <T extends DnsRecordType>(name: string, type: T) => answer(name, type) as DnsAnswer<T>
  return dnsOf({
    resolve,
    async examine(name, type) {
      const steps = [{ name, zone: 'example.com', servers: [], agreeing: 1, answered: 1 }]
      const source = 'authoritative'
      return { name, type, answer: await resolve(name, type), source, steps, isUnanimous: true, resolvers: [] }
    },
  })
}

function txt(...values: readonly string[]): DnsAnswer<'TXT'> {
  const records = values.map((text) => ({ text, strings: [text] }))
  return { kind: 'records', records, values, ttlSeconds: 60, aliases: [] }
}

describe('checking a domain', () => {
  test('DNS that never answers and ignores the signal does not delay the check beyond the deadline', async () => {
    const report = await checkDomain(REQUEST, dnsOf({}), { deadlineMs: 30 })
    assert.equal(report.records.length, RECORDS.length)
    for (const { record, error, diagnosis } of report.records) {
      assert.equal(record.status, 'unknown')
      assert.equal(error?.type, 'SYSTEM')
      assert.equal(diagnosis, 'no_answer')
    }
    assert.equal(judgeReport(report), 'dns_unreachable')
  })

  test('what cannot be read at any later time is not reported as an outage', async () => {
    const oversize = {
      kind: 'unreachable',
      failure: 'oversize',
      reason: 'ns1 has too large an answer',
      aliases: [],
    } as const
    const { records } = await checkDomain(
      REQUEST,
      dnsThatSays(() => oversize),
      { deadlineMs: 1000 },
    )
    for (const { diagnosis, error } of records) {
      assert.equal(diagnosis, 'check_limit')
      assert.match(error?.error ?? '', /too large an answer\. Remove records/)
    }
    const bad = { kind: 'unreachable', failure: 'bad_name', reason: 'bad', aliases: [] } as const
    const policies = [
      ['v=spf1 include:a.testinclude:b.test include:spf.acme.test -all', 'spf_joined'],
      ['v=spf1 include:https://a.test include:spf.acme.test -all', 'spf_broken'],
      ['v=spf1 include:user@a.test include:spf.acme.test -all', 'spf_broken'],
      ['v=spf1 exists:a:b.test include:gone.test -all', 'spf_missing'],
    ]
    for (const [policy = '', diagnosis] of policies) {
      const known = new Map([
        ['example.com', policy],
        ['spf.acme.test', 'v=spf1 ip4:192.0.2.1 -all'],
      ])
      const dns = dnsThatSays((name) => {
        const text = known.get(name)
        if (text !== undefined) return txt(text)
        return /[^a-z0-9._-]/.test(name) ? bad : { kind: 'no_such_name', aliases: [] }
      })
      const report = await checkDomain(REQUEST, dns, { deadlineMs: 1000 })
      const spf = report.records.find(({ record }) => record.purpose === 'SPF')
      assert.deepEqual([spf?.diagnosis, spf?.error?.type], [diagnosis, 'TXT'], policy)
      assert.doesNotMatch(spf?.error?.error ?? '', /again/)
    }
  })

  test('queries are aborted before the deadline, so that the answers can be judged', async () => {
    const told = dnsThatSays(() => ({ kind: 'no_such_name', aliases: [] })).session()
    const patient: DnsResolver = {
      ...told,
      // Looks elsewhere until the very end.
      resolve: (_name, _type, signal) =>
        new Promise((done) => {
          const late = () => done({ kind: 'unreachable', failure: 'cancelled', reason: 'late', aliases: [] })
          signal.addEventListener('abort', late)
        }),
    }
    const report = await checkDomain(REQUEST, dnsOf(patient), { deadlineMs: 600 })
    const [dkim] = report.records
    assert.equal(dkim?.diagnosis, 'no_such_name')
  })

  test('a signal of the caller ends it early', async () => {
    const stop = new AbortController()
    const seen: AbortSignal[] = []
    const dns = dnsOf({
      examine(name, type, signal) {
        seen.push(signal)
        return new Promise((done) => {
          signal.addEventListener('abort', () => {
            const answer = { kind: 'unreachable', failure: 'cancelled', reason: 'stopped', aliases: [] } as const
            done({ name, type, answer, source: 'resolver', steps: [], isUnanimous: true, resolvers: [] })
          })
          stop.abort()
        })
      },
    })
    const report = await checkDomain(REQUEST, dns, { deadlineMs: 600_000, signal: stop.signal })
    assert.equal(judgeReport(report), 'dns_unreachable')
    assert.ok(seen.every(({ aborted }) => aborted))
  })

  test('queries end a quarter of a second before the deadline, or at half of a short one', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    for (const [deadlineMs, queriesMs] of [
      [1000, 750],
      [100, 50],
    ] as const) {
      const seen: AbortSignal[] = []
      const silent = dnsOf({
        examine(_name, _type, signal) {
          seen.push(signal)
          return new Promise(() => undefined)
        },
      })
      const checking = checkDomain(REQUEST, silent, { deadlineMs })
      t.mock.timers.tick(queriesMs - 1)
      assert.ok(!seen.some(({ aborted }) => aborted))
      t.mock.timers.tick(1)
      assert.ok(seen.length > 0 && seen.every(({ aborted }) => aborted))
      t.mock.timers.tick(deadlineMs - queriesMs)
      assert.equal(judgeReport(await checking), 'dns_unreachable')
    }
  })

  test('a caller who has already stopped waiting gets a report at once', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const checking = checkDomain(REQUEST, dnsOf({}), { deadlineMs: 600_000, signal: AbortSignal.abort() })
    t.mock.timers.tick(250)
    assert.equal(judgeReport(await checking), 'dns_unreachable')
  })

  test('nothing of it goes on after the report: no query, timer or listener', async () => {
    const seen: AbortSignal[] = []
    const told = dnsThatSays(() => ({ kind: 'no_such_name', aliases: [] })).session()
    const stop = new AbortController()
    const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const timers = countTimers()
    for (const isStopped of [false, true]) {
      const dns = dnsOf({
        ...told,
        examine(name, type, signal) {
          seen.push(signal)
          if (isStopped) stop.abort()
          return told.examine(name, type, signal)
        },
      })
      await checkDomain(REQUEST, dns, { deadlineMs: 600_000, signal: stop.signal })
      assert.equal(countTimers(), timers)
      assert.ok(seen.length > 0 && seen.every(({ aborted }) => aborted))
      assert.deepEqual(getEventListeners(stop.signal, 'abort'), [])
    }
  })

  test('all records share one session', async () => {
    let sessions = 0
    const told = dnsThatSays(() => ({ kind: 'no_such_name', aliases: [] }))
    const counting: Dns = {
      session() {
        sessions++
        return told.session()
      },
    }
    await checkDomain(REQUEST, counting, { deadlineMs: 5000 })
    assert.equal(sessions, 1)
  })

  test('optional records are reported and block nothing; required ones do', async () => {
    const right = dnsThatSays((name, type) => {
      if (type !== 'TXT') return { kind: 'no_such_type', aliases: [] }
      if (name === 's1._domainkey.example.com') return txt('v=DKIM1; p=a2V5')
      if (name === 'example.com') return txt('v=spf1 include:spf.acme.test -all')
      if (name === 'spf.acme.test') return txt('v=spf1 ip4:192.0.2.1 -all')
      return { kind: 'no_such_name', aliases: [] }
    })
    const report = await checkDomain(REQUEST, right, { deadlineMs: 5000 })
    assert.equal(judgeReport(report), 'all_right')
    assert.deepEqual(listBlockingErrors(report), [])
    assert.deepEqual(
      listCheckedRecords(report).map(({ purpose, status }) => [purpose, status]),
      [
        ['DKIM', 'valid'],
        ['SPF', 'valid'],
        ['DMARC', 'invalid'],
        ['RETURN_PATH', 'invalid'],
        ['TRACKING', 'invalid'],
        ['MX', 'invalid'],
      ],
    )
    assert.equal(report.spfTree?.lookups, 1)
    const strict = RECORDS.map((record) => (record.purpose === 'DMARC' ? { ...record, required: true } : record))
    const strictReport = await checkDomain({ ...REQUEST, records: strict }, right, { deadlineMs: 5000 })
    assert.equal(judgeReport(strictReport), 'record_wrong')
    assert.deepEqual(
      listBlockingErrors(strictReport).map(({ type, required }) => [type, ...required]),
      [['TXT', 'v=DMARC1; p=none']],
    )
  })

  test('a wrong record decides although the query for another one failed', async () => {
    const dns = dnsThatSays((name) =>
      name === 'example.com'
        ? { kind: 'unreachable', failure: 'silent', reason: 'silence', aliases: [] }
        : { kind: 'no_such_name', aliases: [] },
    )
    assert.equal(judgeReport(await checkDomain(REQUEST, dns, { deadlineMs: 5000 })), 'record_wrong')
  })

  test('published values are stored only up to a limit', async () => {
    const long = `v=spf1 ${'-all x:y '.repeat(5000)}`
    const many = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(60_000)}`)
    const report = await checkDomain(
      REQUEST,
      dnsThatSays((_name, type) => (type === 'TXT' ? txt(...many) : { kind: 'no_such_type', aliases: [] })),
      { deadlineMs: 5000 },
    )
    const longReport = await checkDomain(
      REQUEST,
      dnsThatSays(() => txt(long)),
      { deadlineMs: 5000 },
    )
    for (const { record, error, warnings } of [...report.records, ...longReport.records.slice(0, 3)]) {
      assert.ok(warnings.length <= 20)
      assert.ok(record.actual.length <= 20)
      assert.ok(record.actual.every((value) => value.length <= 4097))
      assert.ok((error?.error.length ?? 0) < 5000, error?.error.slice(0, 200))
    }
  })

  test('of very many warnings, the first twenty are kept', async () => {
    const servers = Array.from({ length: 30 }, (_, index) => {
      const reason = `ns${index} is silent`
      return {
        server: `ns${index}`,
        statement: { kind: 'unreachable', failure: 'silent', reason, aliases: [] } as const,
      }
    })
    const told = dnsThatSays(() => ({ kind: 'no_such_name', aliases: [] })).session()
    const dns = dnsOf({
      ...told,
      async examine(name, type, signal) {
        const evidence = await told.examine(name, type, signal)
        return { ...evidence, steps: [{ name, zone: 'example.com', servers, agreeing: 1, answered: 1 }] }
      },
    })
    const { records } = await checkDomain(REQUEST, dns, { deadlineMs: 5000 })
    for (const { warnings } of records) {
      assert.deepEqual(
        warnings.map((warning) => /ns[0-9]+ is silent/.exec(warning)?.[0]),
        servers.slice(0, 20).map(({ statement }) => statement.reason),
      )
    }
  })
})
