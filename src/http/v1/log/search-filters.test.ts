import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogFilters } from '../../../events/log/log-query.ts'
import { type AskedFilters, combineFilters } from './combine-filters.ts'
import { toSearchFilters } from './search-filters.ts'

const FIELDS = ['recipient', 'sender', 'from', 'subject'] as const
const LONG = 'abcdefghijklmnop@x.test'
const OF_LONG = { text: LONG, fields: FIELDS, ids: [LONG, 'abcdefghijklmnop', 'cc3e23c6-577b-8f53-8291-4b9c1f8987a0'] }

function anywhere(text: string) {
  return { text, fields: FIELDS, ids: [text] }
}

test('a search text is what its parts mean together', () => {
  const searches: Readonly<Record<string, AskedFilters>> = {
    hello: { filters: { anyText: 'hello' } },
    'hello world': { filters: { texts: [anywhere('hello'), anywhere('world')] } },
    '-hello': { filters: { without: { texts: [anywhere('hello')] } } },
    'to:u@b.test': { filters: { texts: [{ text: 'u@b.test', fields: ['recipient'] }] } },
    'hello to:u@': { filters: { texts: [anywhere('hello'), { text: 'u@', fields: ['recipient'] }] } },
    'type:bounce -type:click': { filters: { types: ['Bounce'], without: { types: ['Click'] } } },
    'code:550 -code:4xx': {
      filters: { codes: [{ from: 550, to: 550 }], without: { codes: [{ from: 400, to: 499 }] } },
    },
    // Known names in their own spelling, others as they are.
    'provider:GMAIL -provider:Own': { filters: { providers: ['Gmail'], without: { providers: ['Own'] } } },
    'class:invalidrecipient': { filters: { classifications: ['InvalidRecipient'] } },
    'domain:a.test -domain:b.test': { domains: ['a.test'], withoutDomains: ['b.test'], filters: {} },
    'answer:"no such" -answer:x': { filters: { answers: ['no such'], without: { answers: ['x'] } } },
    'id:abc': { filters: { messageId: 'abc' } },
    '-id:abc': { filters: { without: { texts: [{ text: 'abc', fields: [], ids: ['abc'] }] } } },
    // The Message-ID of a message may be known by several ids, if it is long enough.
    'id:abcdefghijklmno@x.test': { filters: { messageId: 'abcdefghijklmno@x.test' } },
    [`id:${LONG}`]: { filters: { texts: [OF_LONG] } },
    [LONG]: { filters: { texts: [OF_LONG] } },
    [`hello id:${LONG}`]: { filters: { texts: [anywhere('hello'), OF_LONG] } },
    [`-id:${LONG}`]: { filters: { without: { texts: [{ ...OF_LONG, fields: [] }] } } },
  }
  for (const [text, expected] of Object.entries(searches))
    assert.deepEqual(toSearchFilters(text, 'interface'), expected, text)
})

test('where a message was sent from is searched by those alone who see it', () => {
  const searches: Readonly<Record<string, LogFilters>> = {
    'ip:192.0.2.1': { sendingAddresses: ['192.0.2.1'] },
    'source:s': { sendingSources: ['s'] },
    'pool:p': { sendingPools: ['p'] },
    '-ip:2001:db8:0::1': { without: { sendingAddresses: ['2001:db8::1'] } },
    '-source:s': { without: { sendingSources: ['s'] } },
    '-pool:p': { without: { sendingPools: ['p'] } },
  }
  for (const [text, filters] of Object.entries(searches)) {
    assert.deepEqual(toSearchFilters(text, 'sending'), { filters }, text)
    assert.throws(() => toSearchFilters(text, 'interface'), { code: 'forbidden' }, text)
  }
  // Also with a value that is wrong.
  assert.throws(() => toSearchFilters('ip:x', 'interface'), { code: 'forbidden' })
  assert.throws(() => toSearchFilters('ip:x', 'sending'), { code: 'invalid_request' })
})

test('a part that is wrong is named', () => {
  for (const text of ['type:nothing', 'code:abc', 'code:500-400'])
    assert.throws(() => toSearchFilters(text, 'interface'), { code: 'invalid_request', message: /^Invalid (q|code): / })
})

test('filters of the parameters and of the text have to match both', () => {
  const combine = (a: LogFilters, b: LogFilters) => combineFilters({ filters: a }, { filters: b })
  const lists = [
    'types',
    'providers',
    'classifications',
    'replies',
    'sendingAddresses',
    'sendingSources',
    'sendingPools',
  ]
  for (const name of lists) {
    const of = (...values: readonly string[]) => ({ [name]: values }) as LogFilters
    assert.deepEqual(combine(of('a', 'b'), of('b', 'c')), { filters: of('b') }, name)
    assert.deepEqual(combine(of('a'), {}), { filters: of('a') }, name)
    assert.deepEqual(combine({}, of('a')), { filters: of('a') }, name)
    // Nothing can match.
    assert.deepEqual(combine(of('a'), of('b')).domains, [], name)
  }
  const codes = (...ranges: readonly (readonly [number, number])[]) => ({
    codes: ranges.map(([from, to]) => ({ from, to })),
  })
  assert.deepEqual(combine(codes([400, 499], [550, 550]), codes([450, 600])), {
    filters: codes([450, 499], [550, 550]),
  })
  assert.deepEqual(combine(codes([400, 450]), codes([450, 460])), { filters: codes([450, 450]) })
  assert.deepEqual(combine(codes([400, 449]), codes([450, 460])).domains, [])
  assert.deepEqual(combine(codes([400, 449]), {}), { filters: codes([400, 449]) })
  assert.deepEqual(combine({}, codes([400, 449])), { filters: codes([400, 449]) })
  assert.deepEqual(combine({ messageId: 'a' }, { messageId: 'a' }), { filters: { messageId: 'a' } })
  assert.deepEqual(combine({}, { messageId: 'a' }), { filters: { messageId: 'a' } })
  assert.deepEqual(combine({ messageId: 'a' }, { messageId: 'b' }).domains, [])
})

test('texts, answers and what is not wanted are those of both', () => {
  const [a, b] = [anywhere('a'), anywhere('b')]
  const combined = combineFilters(
    { filters: { texts: [a], answers: ['x'], subject: 's', without: { texts: [a], types: ['Bounce'] } } },
    { filters: { texts: [b], answers: ['y'], anyText: 'z', without: { texts: [b], codes: [{ from: 1, to: 2 }] } } },
  )
  const without = { types: ['Bounce'], codes: [{ from: 1, to: 2 }], texts: [a, b] }
  assert.deepEqual(combined, {
    filters: { texts: [a, b], answers: ['x', 'y'], subject: 's', anyText: 'z', without },
  })
  const names = [
    'providers',
    'classifications',
    'sendingAddresses',
    'sendingSources',
    'sendingPools',
    'answers',
    'replies',
  ]
  for (const name of names) {
    const of = (...values: readonly string[]): LogFilters => ({ without: { [name]: values } })
    assert.deepEqual(combineFilters({ filters: of('a') }, { filters: of('b') }), { filters: of('a', 'b') }, name)
  }
})

test('domains are compared by their normalized names', () => {
  const filters = {}
  const combine = (a: readonly string[] | undefined, b: readonly string[] | undefined) =>
    combineFilters({ filters, ...(a && { domains: a }) }, { filters, ...(b && { domains: b }) }).domains
  assert.deepEqual(combine(['A.test', 'b.test'], ['a.TEST']), ['a.test'])
  assert.deepEqual(combine(['a.test'], ['b.test']), [])
  assert.deepEqual([combine(['A.test'], undefined), combine(undefined, undefined)], [['a.test'], undefined])
  assert.deepEqual(combineFilters({ filters, withoutDomains: ['a.test'] }, { filters, withoutDomains: ['b.test'] }), {
    withoutDomains: ['a.test', 'b.test'],
    filters,
  })
})
