import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, delivery, NOON, openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import { AppError } from '../../lib/app-error.ts'
import { DaysUnavailableError } from '../log/days-unavailable.ts'
import type { Connector } from './connector.ts'
import { EventQuotas } from './event-quotas.ts'
import { ingestBody, ingestRecords } from './ingest-events.ts'
import { LOCAL } from './quarantine-room.ts'
import { splitRecords } from './split-records.ts'

const plain: Connector = { name: 'plain', toEvents: (record) => [{ event: record }] }

async function openIngest() {
  const scene = await openMemoryScene()
  const deps = { ...scene.deps, retentionMs: 90 * DAY * 1000, serviceMessageIdField: 'service_message_id' }
  const ingest = (body: unknown, connector = plain) =>
    ingestRecords(deps, connector, splitRecords(Buffer.from(JSON.stringify(body))), { source: LOCAL })
  const quarantined = () => deps.quarantine.list({ afterId: 0, limit: 100 })
  return { domain: scene.domain, deps, ingest, quarantined }
}

function event(changes: object = {}) {
  return { ...delivery(), ...changes }
}

test('each record is stored, a duplicate or rejected by its index, and one never fails the others', async () => {
  const service = await openIngest()
  const batch = [event(), event(), event({ id: '' }), event({ domain_name: 'other.test' }), event({ id: 'm2' }), 7]
  const result = await service.ingest(batch)
  assert.deepEqual(result, {
    stored: 2,
    duplicates: 1,
    rejected: [
      { index: 2, error: 'id: must not be empty' },
      { index: 3, error: 'domain_name: "other.test" is not a known domain' },
      { index: 5, error: 'an event must be a JSON object' },
    ],
  })
})

test('a rejected record is quarantined with its bytes, its dialect and its reason, once however often it is sent', async () => {
  const service = await openIngest()
  await service.ingest([event({ domain_name: 'other.test' })])
  await service.ingest([event({ domain_name: 'other.test' })])
  const [record, ...more] = await service.quarantined()
  assert.equal(more.length, 0)
  assert.equal(Buffer.from(record?.payload ?? []).toString(), JSON.stringify(event({ domain_name: 'other.test' })))
  assert.deepEqual(
    [record?.connector, record?.reason, record?.times],
    ['plain', 'domain_name: "other.test" is not a known domain', 2],
  )
})

test('the reasons of a payload with several records are joined once each, up to a thousand characters', async () => {
  const { deps, quarantined } = await openIngest()
  const payload = Buffer.from('one message')
  const reject = async (...problems: readonly string[]) => {
    const records = problems.map((problem) => ({ payload, value: null, problem }))
    await ingestRecords(deps, plain, records, { source: LOCAL })
    const kept = await quarantined()
    assert.equal(kept.length, 1)
    return kept[0]?.reason ?? ''
  }
  assert.equal(await reject('a', 'b', 'a'), 'a; b')
  assert.equal(await reject('x'.repeat(1000)), 'x'.repeat(1000))
  assert.equal(await reject('x'.repeat(1001)), `${'x'.repeat(999)}…`)
})

test('rejected records are quarantined some at a time: whatever others store waits for no more than these', async () => {
  const { deps } = await openIngest()
  const sizes: number[] = []
  const add: typeof deps.quarantine.add = (records, nowMs) => {
    sizes.push(records.length)
    return deps.quarantine.add(records, nowMs)
  }
  const records = splitRecords(Buffer.from(JSON.stringify(Array.from({ length: 1000 }, (_, index) => ({ index })))))
  const watched = { ...deps, quarantine: { ...deps.quarantine, add } }
  const { rejected } = await ingestRecords(watched, plain, records, { source: LOCAL })
  assert.equal(rejected.length, 1000)
  assert.equal(await deps.quarantine.count(), 1000)
  assert.ok(Math.max(...sizes) <= 200, sizes.join(' '))
})

test('a payload is added to the quarantine once, also if its records are more than are added at a time', async () => {
  const { deps } = await openIngest()
  const sizes: number[] = []
  const add: typeof deps.quarantine.add = async (records) => sizes.push(records.length) > 0
  const payloads = Array.from({ length: 200 }, (_, index) => Buffer.from(`${index}`))
  const ingest = (all: readonly Buffer[]) =>
    ingestRecords(
      { ...deps, quarantine: { ...deps.quarantine, add } },
      plain,
      all.map((payload, index) => ({ payload, value: null, problem: `p${index}` })),
      { source: LOCAL },
    )
  await ingest([...payloads, ...payloads.slice(5, 7)])
  await ingest([...payloads, Buffer.from('one more')])
  assert.deepEqual(sizes, [200, 200, 1])
})

test('without room in the quarantine the others are stored, nothing more is added, and the sender is told', async () => {
  const { deps, domain } = await openIngest()
  let calls = 0
  const add = async () => ++calls < 0
  const watched = { ...deps, quarantine: { ...deps.quarantine, add } }
  const wrong = Array.from({ length: 300 }, (_, index) => ({ index }))
  const records = splitRecords(Buffer.from(JSON.stringify([event(), ...wrong])))
  await assert.rejects(ingestRecords(watched, plain, records, { source: LOCAL }), {
    code: 'quota_exceeded',
    message: /no room for rejected records of this source \(300 in this request\)/,
    retryAfterSeconds: 300,
  })
  assert.equal(calls, 1)
  assert.equal((await deps.log.counts([domain.number])).get(domain.number)?.delivery, 1)
  // The same for what retention has removed meanwhile.
  await deps.log.append([{ domainNumber: domain.number, event: delivery({ timestamp: NOON - 2 * DAY }) }])
  await deps.log.removeBefore((NOON - DAY) * 1000)
  const late = splitRecords(Buffer.from(JSON.stringify([event({ timestamp: NOON - 2 * DAY })])))
  await assert.rejects(ingestRecords(watched, plain, late, { source: LOCAL }), /\(1 in this request\)/)
})

test('a body without any JSON is refused; with one record of it, the others are quarantined', async () => {
  const { deps, quarantined } = await openIngest()
  const ingest = (body: string) => ingestBody(deps, plain, Buffer.from(body), { source: LOCAL })
  await assert.rejects(ingest('a\nb'), { code: 'invalid_payload', message: /^nothing in the body is valid JSON/ })
  assert.deepEqual(await quarantined(), [])
  const { stored, rejected } = await ingest(`a\n${JSON.stringify(event())}\nb`)
  assert.deepEqual([stored, rejected.map(({ index }) => index)], [1, [0, 2]])
  assert.equal((await ingest('[a, b]')).rejected.length, 2)
})

describe('with a quota of events', () => {
  async function openWithQuota(eventsPerDay: number) {
    const { deps, domain, quarantined } = await openIngest()
    const tenantId = (await deps.domains.findByName('a.test'))?.tenantId ?? ''
    const quotas = new EventQuotas({
      keys: {
        findTenant: async (id) => ({ id, name: id, clientId: id, createdAtMs: 0, quotas: { eventsPerDay } }),
      },
      domains: deps.domains,
      clock: deps.clock,
      countEvents: async () => 0,
    })
    const used = async () => (await quotas.find(tenantId))?.day.used
    return { deps: { ...deps, quotas }, domain, quarantined, tenantId, used }
  }
  const bodyOf = (...ids: readonly string[]) => Buffer.from(JSON.stringify(ids.map((id) => event({ id }))))

  test('what a tenant sends is stored whole or not at all, and duplicates do not count', async () => {
    const { deps, tenantId, used, quarantined } = await openWithQuota(3)
    const ingest = (...ids: readonly string[]) => ingestBody(deps, plain, bodyOf(...ids), { source: LOCAL, tenantId })
    assert.deepEqual(await ingest('1', '2', '1'), { stored: 2, duplicates: 1, rejected: [] })
    assert.equal(await used(), 2)
    await assert.rejects(ingest('3', '4'), { code: 'quota_exceeded' })
    assert.deepEqual([await used(), (await quarantined()).length], [2, 0])
    assert.equal((await ingest('3')).stored, 1)
  })

  test('of what others send, the records beyond it are quarantined for their tenant, in the order of the request', async () => {
    const { deps, tenantId, used, quarantined } = await openWithQuota(2)
    const values = [event({ id: '1' }), event({ id: '' }), event({ id: '2' }), event({ id: '3' }), event({ id: '' })]
    const body = Buffer.from(JSON.stringify(values))
    const ingest = (own: typeof deps) => ingestBody(own, plain, body, { source: LOCAL })
    const { stored, rejected } = await ingest(deps)
    const beyond = 'the quota of the tenant is used up: 2 events a day (UTC)'
    const empty = 'id: must not be empty'
    assert.deepEqual(
      [stored, rejected.map(({ index, error }) => [index, error])],
      [
        2,
        [
          [1, empty],
          [3, beyond],
          [4, empty],
        ],
      ],
    )
    assert.equal(await used(), 2)
    const sources = (await quarantined()).map(({ source }) => source)
    assert.deepEqual(
      sources.filter(({ kind }) => kind === 'tenant'),
      [{ kind: 'tenant', name: tenantId }],
    )
    const add: typeof deps.quarantine.add = async ([record]) => record?.source.kind !== 'tenant'
    const again = await ingest({ ...deps, quarantine: { ...deps.quarantine, add } })
    assert.equal(
      again.rejected.find(({ index }) => index === 3)?.error,
      `${beyond}; not kept, the quarantine has no room for more of them`,
    )
  })

  test('records that are not one request are stored one by one, as far as there is room', async () => {
    const { deps, tenantId } = await openWithQuota(2)
    const records = splitRecords(bodyOf('1', '2', '3'))
    const { stored, rejected } = await ingestRecords(deps, plain, records, { source: LOCAL, tenantId })
    assert.deepEqual([stored, rejected.map(({ index }) => index)], [2, [2]])
    const unreadable = [{ payload: Buffer.from('x'), value: undefined, problem: 'p' }]
    const result = await ingestRecords(deps, plain, unreadable, { source: LOCAL })
    assert.deepEqual(result.rejected, [{ index: 0, error: 'p' }])
  })

  test('what is not stored is given back: all that failed, and events of days that were removed', async () => {
    const { deps, domain, tenantId, used } = await openWithQuota(10)
    const failing = (error: Error) => ({ ...deps, log: { ...deps.log, append: () => Promise.reject(error) } })
    const origin = { source: LOCAL, tenantId }
    await assert.rejects(ingestBody(failing(new Error('no')), plain, bodyOf('1', '2', '3'), origin), /no/)
    assert.equal(await used(), 0)
    const partly = new DaysUnavailableError(['2026-03-01'], 2)
    await assert.rejects(ingestBody(failing(partly), plain, bodyOf('1', '2', '3'), origin), /set aside/)
    assert.equal(await used(), 2)
    await deps.log.append([{ domainNumber: domain.number, event: delivery({ timestamp: NOON - 2 * DAY }) }])
    await deps.log.removeBefore((NOON - DAY) * 1000)
    const late = [event({ id: '8', timestamp: NOON - 2 * DAY }), event({ id: '9' }), event({ id: '9' })]
    const { stored, duplicates, rejected } = await ingestBody(deps, plain, Buffer.from(JSON.stringify(late)), origin)
    assert.deepEqual([stored, duplicates, rejected.map(({ index }) => index)], [1, 1, [0]])
    assert.equal(await used(), 3)
  })
})

test('the domain is found whatever its letter case, trailing dot or script', async () => {
  const service = await openIngest()
  const { stored } = await service.ingest([
    event({ domain_name: 'A.TEST.' }),
    event({ domain_name: 'ａ.test', id: 'm2' }),
  ])
  assert.equal(stored, 2)
})

test('times outside the log are refused: older than retention, more than a day ahead', async () => {
  const service = await openIngest()
  const at = (timestamp: number) => event({ timestamp, id: `m${timestamp}` })
  const result = await service.ingest([
    at(NOON - 90 * DAY),
    at(NOON - 90 * DAY - 1),
    at(NOON + DAY),
    at(NOON + DAY + 1),
    at(253_402_300_799),
  ])
  assert.equal(result.stored, 2)
  assert.deepEqual(
    result.rejected.map(({ index }) => index),
    [1, 3, 4],
  )
  assert.match(
    result.rejected[0]?.error ?? '',
    /^timestamp: older than the retention period \(since 2025-12-01T12:00:00.000Z\)$/,
  )
  assert.equal(result.rejected[1]?.error, 'timestamp: more than a day in the future')
})

test('an event of a day that retention has removed is rejected and quarantined', async () => {
  const service = await openIngest()
  await service.ingest([event({ timestamp: NOON - 2 * DAY })])
  await service.deps.log.removeBefore((NOON - DAY) * 1000)
  const result = await service.ingest([event({ timestamp: NOON - 2 * DAY }), event()])
  assert.deepEqual(result, {
    stored: 1,
    duplicates: 0,
    rejected: [{ index: 0, error: 'timestamp: the day was already removed by retention' }],
  })
  assert.equal((await service.quarantined()).length, 1)
})

test('a record may stand for several events or none, and is rejected whole where one of them is wrong', async () => {
  const service = await openIngest()
  const perRecipient: Connector = {
    name: 'list',
    toEvents: (record) => (record as { to: string[] }).to.map((recipient) => ({ event: event({ recipient }) })),
  }
  const result = await service.ingest(
    [{ to: ['a@b.test', 'c@b.test'] }, { to: [] }, { to: ['d@b.test', 'nobody'] }],
    perRecipient,
  )
  assert.deepEqual(result, {
    stored: 2,
    duplicates: 0,
    rejected: [{ index: 2, error: 'recipient: must be an email address' }],
    skipped: 1,
  })
})

test('what is said of a record is about that record, also after one whose events were left out', async () => {
  const { deps, domain, ingest } = await openIngest()
  await deps.log.append([{ domainNumber: domain.number, event: delivery({ timestamp: NOON - 2 * DAY }) }])
  await deps.log.removeBefore((NOON - DAY) * 1000)
  const several: Connector = {
    name: 'several',
    toEvents: (record) => (record as object[]).map((changes) => ({ event: event(changes) })),
  }
  const { stored, rejected } = await ingest(
    [[{ id: 'm2' }, { id: '' }], [{ id: 'm3' }], [{ id: 'm4', timestamp: NOON - 2 * DAY }]],
    several,
  )
  assert.equal(stored, 1)
  assert.deepEqual(rejected, [
    { index: 0, error: 'id: must not be empty' },
    { index: 2, error: 'timestamp: the day was already removed by retention' },
  ])
})

test('when the quarantine cannot be written, nothing of the request is stored', async () => {
  const service = await openIngest()
  const quarantine = {
    ...service.deps.quarantine,
    add: () => Promise.reject(new AppError('storage_unavailable', 'disk full')),
  }
  const records = splitRecords(Buffer.from(JSON.stringify([event(), 7])))
  await assert.rejects(ingestRecords({ ...service.deps, quarantine }, plain, records, { source: LOCAL }), /disk full/)
  assert.equal((await service.deps.log.counts([service.domain.number])).size, 0)
})

test('when domains cannot be looked up, the request fails and can be sent again: no record is called wrong', async () => {
  const { deps, quarantined } = await openIngest()
  const isAway = () => Promise.reject(new AppError('storage_unavailable', 'the control database is away'))
  const domains = new Proxy(deps.domains, {
    get: (store, name) => (name === 'findByName' ? isAway : Reflect.get(store, name)),
  })
  const records = splitRecords(Buffer.from(JSON.stringify([event(), event({ id: '' })])))
  const sent = ingestRecords({ ...deps, domains }, plain, records, { source: LOCAL })
  await assert.rejects(sent, { code: 'storage_unavailable' })
  assert.deepEqual(await quarantined(), [])
})

describe('a source that names no sender domain', () => {
  const told = (senderDomains: readonly string[], ifUnknown?: 'skip'): Connector => ({
    name: 'told',
    toEvents: (record) => [{ event: record, senderDomains, ...(ifUnknown && { ifUnknown }) }],
  })
  const { domain_name: _, ...fields } = event()

  test('is attributed to the first name that is a domain or lies below one, the longest part first', async () => {
    const service = await openIngest()
    const names = ['x.test', 'deep.Bounces.a.test.', 'a.test']
    assert.equal((await service.ingest(fields, told(names))).stored, 1)
    const query = { domains: [service.domain], messageId: 'm1', limit: 1, budgetMs: 1000 }
    const { events } = await service.deps.log.listMessage(query)
    assert.equal(JSON.parse(events[0] ?? '').domain_name, 'a.test')
  })

  test('is never attributed by a likeness, a top-level domain or nothing at all', async () => {
    const service = await openIngest()
    for (const name of ['ba.test', 'a.test.evil.test', 'test', '', '.', 'a.test..']) {
      const { rejected } = await service.ingest({ ...fields, id: `m-${name}` }, told([name]))
      assert.equal(rejected.length, 1, name)
    }
    assert.equal((await service.ingest(fields, told([]))).rejected.length, 1)
  })

  test('of an unknown domain is rejected and quarantined, or skipped and counted if it may be foreign mail', async () => {
    const service = await openIngest()
    assert.deepEqual(await service.ingest(fields, told(['x.test'])), {
      stored: 0,
      duplicates: 0,
      rejected: [{ index: 0, error: 'domain_name: "x.test" is not a known domain' }],
    })
    const skipped = { stored: 0, duplicates: 0, rejected: [], skipped: 1 }
    assert.deepEqual(await service.ingest(fields, told(['x.test'], 'skip')), skipped)
    const silent: Connector = { name: 'silent', toEvents: () => [] }
    assert.deepEqual(await service.ingest(fields, silent), skipped)
    assert.equal((await service.quarantined()).length, 1)
    assert.equal((await service.ingest(fields, told(['b.a.test'], 'skip'))).stored, 1)
  })
})

test('an event with a reference is stored as the reference proves it, if that can be found out', async () => {
  const { deps } = await openIngest()
  const told: Connector = {
    name: 'told',
    toEvents: (record) => [{ event: record, reference: 'r1' }, { event: { ...(record as object), id: 'm2' } }],
  }
  const asked: unknown[] = []
  const tieEvent: NonNullable<Parameters<typeof ingestRecords>[0]['tieEvent']> = async ({ reference }, origin) => {
    asked.push([reference, origin])
    return { event: event({ id: 'proven' }) }
  }
  const ids = async () => {
    const query = { domains: [(await deps.domains.findByName('a.test')) ?? assert.fail()], filters: {}, limit: 9 }
    const window = { startTimestamp: 0, endTimestamp: NOON }
    const { events } = await deps.log.list({ ...query, window, budgetMs: 1000 })
    return events.map((text) => (JSON.parse(text) as { id: string }).id).sort()
  }
  const records = splitRecords(Buffer.from(JSON.stringify([event()])))
  await ingestRecords({ ...deps, tieEvent }, told, records, { source: LOCAL })
  assert.deepEqual(asked, [['r1', { source: LOCAL }]])
  assert.deepEqual(await ids(), ['m2', 'proven'])
  await ingestRecords(deps, told, records, { source: LOCAL })
  assert.deepEqual(await ids(), ['m1', 'm2', 'proven'])
})

describe('an unsigned report', () => {
  const reporting: Connector = {
    name: 'reporting',
    toEvents: (record) => [{ event: record, isReport: (record as { type: string }).type === 'OOBBounce' }],
  }
  const bounce = (changes: object = {}) => event({ type: 'OOBBounce', ...changes })

  test('counts where the log has the message with this recipient, whatever its letter case', async () => {
    const service = await openIngest()
    await service.ingest([event()])
    assert.equal((await service.ingest([bounce(), bounce({ recipient: 'U@b.test' })], reporting)).stored, 2)
  })

  test('counts where the message comes before it in the same request', async () => {
    const service = await openIngest()
    assert.equal((await service.ingest([event(), bounce()], reporting)).stored, 2)
  })

  test('about another message, recipient or domain is rejected and quarantined', async () => {
    const service = await openIngest()
    await service.ingest([event()])
    const { stored, rejected } = await service.ingest(
      [bounce({ id: 'm2' }), bounce({ recipient: 'v@b.test' }), bounce({ domain_name: 'other.test' })],
      reporting,
    )
    assert.equal(stored, 0)
    assert.deepEqual(
      rejected.map(({ error }) => error),
      [
        'the report does not match any message in the log',
        'the report does not match any message in the log',
        'domain_name: "other.test" is not a known domain',
      ],
    )
    assert.equal((await service.quarantined()).length, 3)
  })
})

describe('other work runs while a body is processed', () => {
  /** How often it gets its turn until the body is stored or refused. */
  async function countTurns(body: string): Promise<number> {
    const { deps } = await openIngest()
    let turns = 0
    let isDone = false
    const turn = () => {
      turns++
      if (!isDone) setImmediate(turn)
    }
    setImmediate(turn)
    await ingestBody(deps, plain, Buffer.from(body), { source: LOCAL }).catch((error: unknown) =>
      assert(error instanceof AppError),
    )
    isDone = true
    return turns
  }

  /** How often others get their turn until all of these are done. */
  async function countTurnsOf(work: () => Promise<unknown>): Promise<number> {
    let turns = 0
    const count = () => {
      turns++
      waiting = setImmediate(count)
    }
    let waiting = setImmediate(count)
    await work()
    clearImmediate(waiting)
    return turns
  }

  test('after each 64 records, in one request or in many', async () => {
    const { deps } = await openIngest()
    const events = Array.from({ length: 640 }, (_, index) => event({ id: `m${index}` }))
    const texts = events.map((one) => Buffer.from(JSON.stringify(one)))
    const origin = { source: LOCAL }
    const ways = {
      'a request': () =>
        ingestBody(deps, plain, Buffer.concat(texts.flatMap((text) => [text, Buffer.from('\n')])), origin),
      'many requests': () => Promise.all(texts.map((text) => ingestBody(deps, plain, text, origin))),
      'many records': () => Promise.all(texts.map((text) => ingestRecords(deps, plain, splitRecords(text), origin))),
    }
    for (const [way, ingest] of Object.entries(ways)) {
      const turns = await countTurnsOf(ingest)
      assert.ok(turns >= 8 && turns <= 30, `${way}: ${turns} turns`)
    }
  })

  test('while the end of a long record is searched for', async () => {
    const { deps } = await openIngest()
    const body = Buffer.from(`[[${'1,'.repeat(2_000_000)}1]]`)
    const turns = await countTurnsOf(() => ingestBody(deps, plain, body, { source: LOCAL }))
    assert.ok(turns >= 25, `${turns} turns`)
  })

  test('without a single valid record', async () => {
    const turns = await countTurns('{"a":tru}\n'.repeat(10_000))
    assert(turns > 100, `${turns} turns for 10,000 records`)
  })

  test('with few very long records', async () => {
    const long = JSON.stringify({ a: 'x'.repeat(1_000_000) })
    const turns = await countTurns([long, long, long, long, long, long, long, long].join('\n'))
    assert(turns >= 7, `${turns} turns for 8 records`)
  })
})

test('reports in a request with many messages are compared with few of them', async () => {
  const service = await openIngest()
  const count = 2000
  let comparisons = 0
  const connector: Connector = {
    name: 'reporting',
    toEvents: (record) => {
      const { isReport, ...told } = record as { isReport?: boolean; id: string }
      // Read again for each comparison.
      const counting = Object.defineProperty({ ...told }, 'id', {
        enumerable: true,
        get: () => {
          comparisons++
          return told.id
        },
      })
      return [{ event: counting, isReport: isReport === true }]
    },
  }
  const messages = Array.from({ length: count }, (_, index) => event({ id: `m${index}` }))
  const reports = messages.map((message) => ({ ...message, type: 'OOBBounce', isReport: true }))
  const { stored } = await service.ingest([...messages, ...reports], connector)
  assert.equal(stored, 2 * count)
  assert(comparisons < 100 * count, `${comparisons} comparisons`)
})
